"""Words that decide what became of a statement: who speaks, what cancels, what softens, what it hangs on."""

from __future__ import annotations

from typing import Final


def word_set(words: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(words.split())


SPEAKERS: Final[dict[str, frozenset[str]]] = {
    "user": word_set(
        "user users human person operator customer client requester owner you they user's human's"
        " utilisateur l'utilisateur usuario usuaria nutzer nutzerin nutzers utente gebruiker usuário benutzer"
    ),
    "system": word_set("system prompt developer instructions instruction policy"),
    "developer": word_set("system prompt developer instructions instruction policy"),
    "agent": word_set("agent assistant model i we ai agent's assistant's"),
}
"""Who a statement of each provenance may be put down to, and stay that speaker's."""

OTHERS: Final = word_set("""
    user human person operator customer client agent assistant model ai bot i we my our colleague reviewer teammate
    vendor contractor intern docs documentation readme wiki manual comment commit tool tools output log logs script
    ticket page website article file developer maintainer support blog guide template linter compiler terminal shell
    stranger someone somebody summary summarizer""")
"""Who else may be named as the one who says something."""

NEUTRAL: Final = word_set("""
    todo todos constraint constraints rule rules note notes noted important requirement requirements instruction
    instructions request requests message messages fact facts context status pending blocked environment decision
    decisions preference preferences verbatim quote quoted quotes word words exact exactly exact-wording wording
    hard strict security safety restriction restrictions limit limits remember reminder standing order orders
    guideline guidelines policy policies scope boundary boundaries critical key main primary current open active
    explicit explicitly clear clearly original all first second third last latest turn turns task tasks step steps
    item items detail details setting settings configuration config value values state states guardrail guardrails
    must do don't dos donts prohibition prohibitions obligation obligations permission permissions warning warnings
    caution also additionally finally furthermore moreover still applies apply holds effect force remains remain
    stands stand per according said says say stated asked asks ask instructed instructs told tells tell requested
    required requires insisted insists wrote writes write specified specifies emphasized emphasised stressed
    reminded added adds warned warns repeated confirmed confirms demanded demands wants want wanted early beginning
    start session conversation work project background intent technical concept concepts here following above below
    this these that it the a an of from by to us me in on at with and as for is are be has have please keep mind
    always binding non-negotiable nonnegotiable given set out down things points point list summary next binds bind
    what bound valid house conventions convention agreement agreements respect carry carried over know knows need
    needs hold held hold-over""")
"""Words of a label, a heading or a report that leave what follows as it is."""

CANCELLING: Final = word_set("""
    ignore ignored ignoring disregard disregarded outdated obsolete lifted lifts lift cancel cancelled canceled cancels
    revoke revoked revokes withdraw withdrawn withdrew withdraws rescind rescinded superseded supersedes overridden
    overrides void invalid false untrue wrong incorrect mistaken reject rejected rejects example examples hypothetical
    hypothetically deprecated expired waived waive relaxed joke joked joking discarded dismissed retracted retracts
    struck abandoned obsoleted repealed annulled suspended past former formerly stale historical
    moot nullified undone reversed aufgehoben hinfällig annulé annulée levée anulado revocado annullato revocato
    opgeheven ingetrokken отменено отменён 取消 撤回 解除""")
"""Words that take back what they stand with."""

PERMITTING: Final = word_set("""
    allowed allow allows permitted permits permit approved approves authorized authorised cleared unblocked unlocked
    writable free fine ok okay acceptable welcome green-lit greenlit granted possible erlaubt autorisé permitido
    permesso toegestaan разрешено""")
"""Words that let somebody do a thing, unless they are denied."""

CONDITIONS: Final = word_set("""
    if unless until except without only before after once when while provided whenever during till wenn falls sofern
    bis außer ausser ohne nur bevor si sauf seulement avant après quand sans salvo excepto solo hasta antes después
    cuando sin se exceto até quando sem tranne finché prima dopo senza als tenzij totdat alleen voor zonder если пока
    только кроме без""")
"""Words that a statement hangs on; each with what follows it."""

ADDED: Final = word_set("""
    if unless except but or optional optionally maybe perhaps possibly ideally generally usually normally mostly
    preferably sometimes urgent needed necessary possible though although however otherwise temporarily probably""")
"""Words that, added to a copy, make it bind less."""

SOFT: Final = word_set("""
    prefer prefers preferred preferably should try tries avoid avoids careful carefully caution cautious ideally
    generally usually normally mostly possible suggested suggests suggest recommended recommends recommend consider
    considers might could would may maybe perhaps possibly likes like wishes hopes tends aims aim mindful hesitant
    reluctant discouraged sparingly minimal minimize minimise nice sollte sollten möglichst lieber devrait évite
    éviter preferiblemente debería evitar idealmente dovrebbe preferibilmente liever желательно""")
"""Words that ask for less than a duty."""

SCOPE: Final = word_set("""
    all any every each whole entire both only some many few anything everything nothing anywhere everywhere
    production prod staging stage dev development test testing qa local remote live sandbox preview canary
    public private internal external master main develop release today tomorrow weekend weekends weekday weekdays
    daily weekly monthly hourly nightly""")
"""Words that say how far a statement reaches."""

BOUNDS: Final = word_set("most least maximum minimum max min exactly within up under over more less fewer than")
"""Words that make a number a limit."""

DIRECTIONS: Final = word_set("""
    not no never nobody none nothing neither nor without except unless until before after instead rather than over
    from to into via onto under above
    below only against behind between if when while once""")
"""Words whose meaning is in what follows them: each keeps its follower, or the statement is another."""

SYNONYMS: Final = tuple(
    map(
        word_set,
        (
            "modify change edit alter",
            "delete remove erase",
            "directory folder",
            "database db",
            "run execute launch",
            "file files",
            "repository repo",
            "configuration config",
            "ask consult",
            "use employ utilize utilise",
        ),
    )
)
"""Words that stand for each other here."""

READING: Final = word_set(
    "read view inspect list look check see consult open reference compare diff cat show print examine"
)
"""Acts that change nothing: a leave to do one takes no ban on changes back."""

RULE_NOUNS: Final = word_set("""
    restriction restrictions rule rules constraint constraints ban freeze prohibition limit limits limitation
    requirement requirements instruction instructions embargo block hold lock policy line
    point item sentence bullet entry statement""")
"""What a text calls a statement that it speaks of without its words."""

UNITS: Final[dict[str, str]] = {
    word: group.split()[0]
    for group in (
        "millisecond ms milliseconds msec", "second seconds sec secs s", "minute minutes min mins",
        "hour hours hr hrs h", "day days d", "week weeks wk", "month months", "quarter quarters", "year years yr yrs",
        "byte bytes", "kb kilobytes",
        "kib", "mb megabytes", "mib", "gb gigabytes", "gib", "tb terabytes", "bit bits", "mbit", "gbit", "mbps", "gbps",
        "dollar dollars usd $", "euro euros eur €", "pound pounds gbp £", "cent cents", "yen", "franc francs chf",
        "percent %", "mg", "g gram grams", "kg kilograms kilo kilos", "lb lbs", "ml", "l litre litres liter liters",
        "cl", "mm", "cm", "m metre metres meter meters", "km", "mile miles", "celsius °c", "fahrenheit °f",
        "person persons people", "request requests", "token tokens", "line lines", "page pages", "retry retries",
        "sekunde sekunden", "minute minuten", "stunde stunden", "tag tage tagen", "woche wochen", "monat monate",
        "seconde secondes", "heure heures", "jour jours", "semaine semaines", "segundo segundos", "minuto minutos",
        "hora horas", "día días", "semana semanas", "hourly", "daily", "weekly", "monthly", "yearly annually",
    )
    for word in group.split()
}
"""Units, each with the one that it is a form of."""

_OPPOSITES: Final = (
    ("paused stopped halted suspended", "running resumed started active"),
    ("locked frozen", "unlocked open thawed released"),
    ("enabled on active", "disabled off inactive"),
    ("approved accepted granted signed", "rejected declined refused denied pending unsigned"),
    ("cancelled canceled aborted", "confirmed done completed ongoing active scheduled"),
    ("open pending unresolved todo", "closed done resolved finished complete completed fixed"),
    ("blocked stuck", "unblocked ready pending done running cleared"),
    ("passed passing green", "failed failing red broken"),
    ("draft provisional tentative", "final published confirmed definitive"),
    ("up online reachable", "down offline unreachable"),
    ("merged", "unmerged open reverted"),
    ("private internal", "public external"),
    ("mandatory required compulsory", "optional voluntary"),
    ("valid", "expired invalid"),
    ("booked reserved", "cancelled free available"),
)


def _opposed() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for one, other in _OPPOSITES:
        for here, there in ((one, other), (other, one)):
            for word in here.split():
                found.setdefault(word, set()).update(there.split())
    return {word: frozenset(others) for word, others in found.items()}


OPPOSED_STATES: Final = _opposed()
"""States in which a thing can't be at once with the one that they are listed under."""
