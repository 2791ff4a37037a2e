"""A generated conversation, posted whole, compacted and posted again: what the provider's fake says to it.

Used by the suite on a few hundred conversations of each provider and by `benchmarks/providers.py` on as many
as wanted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from askers import BINDINGS, Asked, Asker, drawn, with_messages
from fake_anthropic import Anthropic
from fake_bedrock import Bedrock
from fake_chat import Chat
from fake_gemini import Gemini
from fake_responses import Responses
from loopback import CONVERSATION, Client, Loopback

from cenotaph import BudgetExhausted, CompactionInvariantError, Policy, compact
from cenotaph.errors import IndexBudgetExceeded

Cut = Callable[..., Any]
"""`compact`, or something in its place that has to be found out."""

SIZES = (2, 3, 4, 6, 8, 10, 14, 24)
SHARES = (0.95, 0.8, 0.6, 0.4, 0.2)


@dataclass
class Tally:
    """What was posted.

    Attributes:
        conversations: Generated ones.
        posted: Compacted requests that were posted.
        by: How many of them under which policy and binding.
        halts: Conversations of which nothing could leave.
        unchanged: Conversations that were small enough.
        tokens_before, tokens_after: Of the requests that were posted.
        problems: Each refusal: seed, what was drawn, and the message of the 400. A cut that the library
            itself takes for broken is one too.
    """

    conversations: int = 0
    posted: int = 0
    by: Counter[str] = field(default_factory=Counter)
    halts: int = 0
    unchanged: int = 0
    tokens_before: int = 0
    tokens_after: int = 0
    problems: list[str] = field(default_factory=list)


def server() -> Loopback:
    """All five providers on one port."""
    return Loopback(Anthropic(), Chat(), Responses(), Gemini(), Bedrock())


def compacted(cut: Cut, asker: Asker, asked: Asked, body: dict[str, Any], share: float, **how: Any) -> Any:
    """The result at a share of the tokens, else at the fewest that can be reached; None if nothing can leave."""
    how |= {"tools": [asker.tools], "model": asked.model}
    target = max(1, int(cut(body, to_tokens=1 << 40, **how).tokens_before * share))
    try:
        return cut(body, to_tokens=target, **how)
    except IndexBudgetExceeded:
        return None
    except BudgetExhausted as halt:
        target = halt.reachable
    try:
        return cut(body, to_tokens=target, **how)
    except (BudgetExhausted, IndexBudgetExceeded):
        return None


def post(asker: Asker, seed: int, client: Client, tally: Tally, cut: Cut = compact) -> None:
    """One conversation: whole, then perhaps gone on with, then compacted."""
    rng = drawn(seed, asker.name)
    binding, drops, share = rng.choice(BINDINGS), rng.random() < 0.5, rng.choice(SHARES)
    how: dict[str, Any] = {"policy": Policy(rng.choice(("strict", "archive"))), "binding": binding}
    how |= {"drop_block": drops and binding == "prefix", "store": rng.choice((None, "memory://"))}
    asked = asker.asked(seed, rng.choice(SIZES), binding, how["drop_block"])
    where = f"{asker.name} seed {seed} {how['policy'].name} {binding} drop_block={how['drop_block']} share={share}"
    headers = {**asked.headers, CONVERSATION: f"{asker.name}-{seed}"}
    tally.conversations += 1
    closing = asker.closing(asked.body[asked.key])
    body = with_messages(asked, asked.body, closing)
    response = client.post(asked.path, body, headers)
    if response.status != 200:
        tally.problems.append(f"{where}: whole: {response.text}")
        return
    if rng.random() < 0.5:
        body, closing = with_messages(asked, body, [*asker.said(response.body), asker.human()]), []
    else:
        body = asked.body
    try:
        done = compacted(cut, asker, asked, body, share, **how)
    except CompactionInvariantError as error:
        tally.problems.append(f"{where}: cut: {error}")
        return
    if done is None or not done.changed:
        tally.halts += done is None
        tally.unchanged += done is not None
        return
    response = client.post(asked.path, with_messages(asked, done.request, closing), headers)
    tally.posted += 1
    tally.by[f"{how['policy'].name} {binding}{' drop_block' * how['drop_block']}"] += 1
    tally.tokens_before += done.tokens_before
    tally.tokens_after += done.tokens_after
    if response.status != 200:
        tally.problems.append(f"{where}: compacted: {response.text}")


def run(asker: Asker, count: int, *, first: int = 0, cut: Cut = compact) -> Tally:
    """Posts compacted requests until there are `count`; conversations that halt are counted, not posted."""
    tally = Tally()
    with server() as loopback:
        client = Client(loopback.port)
        try:
            seed = first
            while tally.posted < count and tally.conversations < 20 * count:
                post(asker, seed, client, tally, cut)
                seed += 1
        finally:
            client.close()
    return tally
