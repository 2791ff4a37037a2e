"""The words by which an English sentence forbids, and what makes a ban hang on something; a few of other languages."""

from __future__ import annotations

import re
from typing import Final

from cenotaph.core.audit.aftermath.names import NOUNS
from cenotaph.core.audit.verdicts.words import word_set

__all__ = [
    "ABLE",
    "ASKING",
    "BREAK",
    "BRIDGE",
    "CHANGE_ELSEWHERE",
    "DENYING_MODALS",
    "DESCRIBING",
    "ENSURING",
    "EXCEPTING",
    "FILLER",
    "HANGING",
    "KEEP_OUT",
    "LEAVE",
    "LEFT",
    "MAY_BAN",
    "MAY_BAN_ELSEWHERE",
    "MODALS",
    "NOW",
    "NO_EXCEPTION",
    "OFF_LIMITS",
    "QUOTING",
    "REPORTERS",
    "SENT",
    "SOFT",
    "STARTS",
    "TAIL_FINE",
    "TO_PLACE",
    "TRANSPARENT",
    "WANTING",
]

FILLER: Final = word_set("""
    ever under any circumstance circumstances point time please again just be being been to want wish you me us anyone
    anybody allowed permitted supposed meant going try attempt attempts a an the further more need have let see start is
    are in way or there should must even so much as dare direct manual actual own new additional of kind every all it
    think about want's expected authorized authorised let allow anything script scripts tool tests job something make
    makes making made perform performing do doing""")
"""What may stand between a denial and the verb that it denies."""
BRIDGE: Final = word_set("""
    to in into onto inside within at on under underneath below of from with against over up around near beneath upon
    anything any all everything every each whatever something a an the my our your their his her its this that these
    those file files content contents code stuff things thing data existing other single production prod live current
    whole entire local remote real actual shared old new main both either what's is which are lives sits stored located
    path paths tree repo repository config configs configuration settings setting source sources system systems called
    named module package app application service directly""") | (frozenset(NOUNS) - {"schema", "schemas"})
"""What may stand between a verb and the name of what it acts on, and leaves it that."""
TRANSPARENT: Final = word_set(
    "anything any all everything file files content contents things stuff data code something"
)
BREAK: Final = word_set("""
    because so since when if unless while but instead until before after although though for and then or as by only
    without except than like via using outside beyond besides""")
"""Where the object of a verb ends."""
TO_PLACE: Final = word_set("to into onto on in at against under inside within")
SENT: Final = frozenset({"push", "force", "deploy", "run", "access", "create", "commit"})
"""Acts whose place is what they are done to, whatever it is that is pushed, deployed, run or put there."""
EXCEPTING: Final = word_set("except excepting besides exception exceptions excluding save")
HANGING: Final = word_set("""
    unless until till when whenever while before yet temporarily today tonight tomorrow unnecessarily manually if
    myself without outside apart only during where needlessly accidentally blindly yourself otherwise""")
"""What a ban hangs on."""
SOFT: Final = word_set("""
    prefer prefers try tries avoid ideally maybe perhaps possibly generally usually normally mostly rather hopefully
    probably preferably""")
QUOTING: Final = word_set("says said states stated reads saying claims told asked mentions titled quote example e.g")
ASKING: Final = word_set("why how what who where did does do is are was were should can could would will which am")
STARTS: Final = word_set("""
    please and or but so then also you always again just important note remember rule now however therefore pls ok okay
    btw fyi either still absolutely definitely really seriously again must that guys claude agent assistant""")
REPORTERS: Final = word_set("i we they it he she this that these those who which there")
WANTING: Final = word_set("want wish need expect like think")
MODALS: Final = word_set("must should shall may can will are is be were do")
DENYING_MODALS: Final = word_set("mustn't shouldn't shan't can't cannot won't mayn't aren't isn't")
ABLE: Final = word_set("can't cannot won't can will")
ENSURING: Final = word_set("important ensure sure essential critical crucial imperative vital")
"""After these a report is an order: `make sure that X is not changed`."""
LEAVE: Final = word_set("alone untouched unchanged intact be as unmodified")
LEFT: Final = re.compile(
    r"(?:alone|be$|untouched|unchanged|intact|unmodified|as(?: it| they)? (?:is|are)|as-is)(?![\w-])"
)
KEEP_OUT: Final = ("out of", "away from", "off", "off of", "clear of", "out")
OFF_LIMITS: Final = re.compile(
    r"(?:strictly |completely |absolutely )?(?:off[- ]limits|out of bounds|untouchable|sacrosanct|sacred"
    r"|hands[- ]off|read[- ]only|frozen|immutable|forbidden|prohibited|not allowed|not permitted|banned|locked"
    r"|protected)\b"
)
DESCRIBING: Final = re.compile(r"read[- ]only|frozen|immutable|locked|protected")
TAIL_FINE: Final = word_set("""
    because since ever please at to for under in it they this that as again himself period full thanks thank ok okay
    either directory folder during anymore whatsoever anyway and or nor so i we you he she
    there these those is are was""")
"""What may follow the name, and leaves the ban what it is."""
NOW: Final = re.compile(
    r"\bfor (?:now|the moment|the time being)\b|\bby hand\b|\bat (?:this|the) (?:point|moment|stage)\b"
)
NO_EXCEPTION: Final = re.compile(
    r"\b(?:no|without|zero) (?:any )?exceptions?\b|\bwithout fail\b|\bonly (?:ever )?read\b"
    r"|\bduring (?:this|the|our) (?:whole )?(?:task|session|conversation|work|run|chat)\b"
)


MAY_BAN: Final = re.compile(
    r"\b(?:not|never|nothing|nobody|nooit|none|nicht|nichts|niemals|niet|nunca|non|no|ne|cannot|avoid|stop|stays?|sin"
    r"|refrain|remains?|read|dont|forbid\w*|frozen|finger|prohibi\w*|pas|protected|leave|locked|keep|kein\w*|untouched"
    r"|unchanged|untouchable|intact|immutable|interdi\w*|hands|off|banned|verboten|verboden|vietat\w*|jamais|mai)\b"
    r"|n['’]t\b",
    re.IGNORECASE,
)
"""One of these stands in every ban that is written in ASCII."""
MAY_BAN_ELSEWHERE: Final = re.compile(
    r"\b(?:jamás|não|proibid\w*|не|нельзя|никогда|запрещ\w*)\b|不|请勿|切勿|严禁|禁止|别|ないで|ては|しない|ちゃだめ"
    r"|하지 ?마|금지",
    re.IGNORECASE,
)
CHANGE_ELSEWHERE: Final = re.compile(
    r"änder|veränder|schreib|lösch|bearbeit|anfass|fass\w* .*an|anrühr|berühr|überschreib|entfern|modifi|touche|écri"
    r"|supprim|chang|toqu|toc[ao]|escrib|borr|elimin|cambi|sobrescrib|alter[ae]|escrev|apag|scriv|cancell|wijzig|schrijf"
    r"|verwijder|aanrak|aanpas|измен|трога|редактир|удал|пис|修改|更改|改动|编辑|写入|删除|触碰|碰|动|变更|変更|編集|書き|削除|触|수정|변경|삭제|건드|쓰지",
    re.IGNORECASE,
)
