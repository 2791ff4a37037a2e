"""Ten transcripts of agents at work, with what must survive a compaction of each written down beside it.

Each is an OpenAI chat conversation with tools: a person's task with one prohibition, tool calls with narration between
them, a plan with one step that is blocked on an approval, a second task, and a newest message of the person. The labels
are exact strings of the transcript. Nothing here was made from the library's own word lists or rules.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

TOOLS = ["generic"]
"""Declarations for `compact`: `read_file` and `update_plan` are of this profile, all other tools are unknown to it."""

IDENTIFIERS = 10
"""Labelled identifiers per transcript."""

QUESTIONS = 10
"""Labelled questions per transcript."""


@dataclass(frozen=True, slots=True)
class Case:
    """One transcript with its labels; every label is an exact string of it.

    Attributes:
        name: Its domain, one word.
        messages: OpenAI chat messages.
        prohibition: A whole sentence of the person's first message.
        protected: The path, host or database that the prohibition names.
        blocked: The label of the plan step that is blocked.
        ticket: The approval that it waits for.
        identifiers: `IDENTIFIERS` strings.
        questions: `QUESTIONS` pairs (question, answer); the answer stands in agent or tool text before the newest
            message of the person, and in no text of a person and no plan.
    """

    name: str
    messages: tuple[dict[str, Any], ...]
    prohibition: str
    protected: str
    blocked: str
    ticket: str
    identifiers: tuple[str, ...]
    questions: tuple[tuple[str, str], ...]

    @property
    def tools(self) -> list[dict[str, Any]]:
        """The definitions of the tools that the transcript uses, in chat form."""
        names = {call["function"]["name"] for message in self.messages for call in message.get("tool_calls", ())}
        schema = {"type": "object", "additionalProperties": True}
        return [{"type": "function", "function": {"name": name, "parameters": schema}} for name in sorted(names)]


Turn = list[dict[str, Any]]


def _person(text: str) -> Turn:
    return [{"role": "user", "content": text}]


def _report(text: str) -> Turn:
    return [{"role": "assistant", "content": text}]


def _step(narration: str, tool: str, args: Mapping[str, Any], result: str) -> Turn:
    function = {"name": tool, "arguments": json.dumps(args)}
    call = {"id": "", "type": "function", "function": function}
    return [
        {"role": "assistant", "content": narration, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "", "content": result},
    ]


def _read(narration: str, path: str, result: str) -> Turn:
    return _step(narration, "read_file", {"path": path}, result)


def _run(narration: str, command: str, result: str) -> Turn:
    return _step(narration, "run_command", {"command": command}, result)


def _plan(narration: str, *steps: tuple[str, ...]) -> Turn:
    plan = [dict(zip(("step", "status", "note"), step, strict=False)) for step in steps]
    return _step(narration, "update_plan", {"plan": plan}, "Plan updated.")


def _talk(system: str, *turns: Turn) -> tuple[dict[str, Any], ...]:
    messages: list[dict[str, Any]] = [{"role": "system", "content": system}]
    calls = 0
    for message in (message for turn in turns for message in turn):
        if message["role"] == "assistant" and "tool_calls" in message:
            calls += 1
            message["tool_calls"][0]["id"] = f"call_{calls}"
        elif message["role"] == "tool":
            message["tool_call_id"] = f"call_{calls}"
        messages.append(message)
    return tuple(messages)


def told(messages: Sequence[Mapping[str, Any]]) -> str:
    """The conversation as plain text, as agent frameworks put it to a model that is to summarize it."""
    lines = []
    for message in messages:
        if message.get("content"):
            lines.append(f"{message['role'].upper()}: {message['content']}")
        for call in message.get("tool_calls", ()):
            lines.append(f"ASSISTANT CALLS {call['function']['name']} {call['function']['arguments']}")
    return "\n".join(lines)


_OPS = Case(
    name="ops",
    messages=_talk(
        "You are an operations agent for the logging platform. Work in small steps and report what you find.",
        _person(
            "Disk alerts fire on the staging fleet because log rotation is too slow (OPS-4412). Find out why and fix "
            "it on staging. Do not modify anything under /etc/prod/ - it is read-only for you. The production change "
            "is a separate step and only goes ahead once the release manager has approved it. Keep an eye on the "
            "collector at logs.stg.example.net:6514 while you work, it drops messages when a host floods it."
        ),
        _plan(
            "I start with a plan.",
            ("Find out why rotation is slow", "in_progress"),
            ("Fix rotation on staging", "pending"),
            ("Apply the change to production", "blocked", "waits for approval of CHG-9931"),
        ),
        _run(
            "First I look at which hosts are full. If it is only one of them the cause is probably local, and if it "
            "is all of them I would rather suspect the role that writes the rotation settings for the whole group.",
            "fleet df --group staging",
            "host      used  inodes  mount\nstg-a1    61%   12%     /var/log\nstg-a2    58%   12%     /var/log\n"
            "stg-a3    97%   88%     /var/log\nstg-b1    64%   14%     /var/log\nlargest file on stg-a3: "
            "/var/log/ingest/trace-17.log (41.6 GB)\noldest rotated file on stg-a3: trace-17.log.9.gz, written "
            "2026-03-02",
        ),
        _read(
            "Only stg-a3 is close to full, and one trace file holds most of it. I compare its rotation settings. The "
            "other three hosts are around sixty per cent, which is normal for the middle of the week, so the role "
            "itself can hardly be the only reason.",
            "/etc/staging/logrotate.d/ingest",
            "# managed by ansible, role logging-4.2.1\n/var/log/ingest/*.log {\n    weekly\n    rotate 9\n    size "
            "20G\n    compress\n    postrotate\n        /usr/local/bin/ingest-reopen --socket /run/ingest/ctl.sock\n "
            "   endscript\n}",
        ),
        _run(
            "The size limit of 20G only counts at the weekly run, so a chatty service fills the disk in between. I "
            "check who writes to that file. The settings are the same on every staging host, so there must be "
            "something on this one that makes it write so much more than its neighbours do.",
            "fleet exec stg-a3 -- lsof /var/log/ingest/trace-17.log",
            "COMMAND    PID  USER    FD  SIZE/OFF\ningestd   8841  ingest  14w  41.6G\nopen since "
            "2026-03-09T04:17:55Z\ningestd build 7f3c9e2, flag --trace-level=5 set by unit override "
            "/etc/systemd/system/ingestd.service.d/trace.conf",
        ),
        _run(
            "Process 8841 runs with trace level 5 because of a unit override that somebody left there after an "
            "incident. I ask who. An override like this one survives every deployment, because the role does not "
            "look into that folder, and that would explain why nobody noticed it for so long.",
            "fleet exec stg-a3 -- head -3 /etc/systemd/system/ingestd.service.d/trace.conf",
            "# added by mkovacs for INC-2087, remove after 14 days\n[Service]\nEnvironment=TRACE_LEVEL=5",
        ),
        _report(
            "Rotation on stg-a3 is slow for two reasons: the size limit is only looked at weekly, and a leftover "
            "override from INC-2087 raises the trace level. I propose an hourly size check and removing the "
            "override. Nothing was changed yet."
        ),
        _person(
            "Good, do both on stg-a3 first and watch it for a while. If the collector stays quiet, roll the hourly "
            "check out to the other staging hosts through the ansible role, not by hand, and tell me which version "
            "of the role you tagged. I also want to know how much space the first rotation gave back, since the "
            "storage team asks me every week."
        ),
        _run(
            "I remove the override and restart the service. I do it in one command so that there is no moment in "
            "which the service runs with half of the change, and I watch the queue and the collector right after it.",
            "fleet exec stg-a3 -- 'rm /etc/systemd/system/ingestd.service.d/trace.conf && systemctl restart ingestd'",
            "ingestd restarted, new PID 9310, trace level 1\nqueue drained in 38 seconds\ncollector dropped 0 messages",
        ),
        _run(
            "The restart took less than a minute and the collector lost nothing. Now the first hourly rotation. I "
            "force it once by hand instead of waiting for the full hour, since I would like to see what it gives "
            "back and whether the service opens its files again.",
            "fleet exec stg-a3 -- logrotate --force /etc/staging/logrotate.d/ingest",
            "rotated 3 files, reclaimed 36.2 GB, /var/log now at 22%\nnext run by timer logrotate-ingest.timer at "
            "15:00 UTC",
        ),
        _plan(
            "I bring the plan up to date.",
            ("Find out why rotation is slow", "done"),
            ("Fix rotation on staging", "in_progress"),
            ("Apply the change to production", "blocked", "waits for approval of CHG-9931"),
        ),
        _report("stg-a3 is fixed: 36.2 GB came back. The role is tagged logging-4.3.0 but not rolled out yet."),
        _person(
            "Thanks. Go on with the rollout to the remaining staging hosts, one at a time, and stop at once if the "
            "collector reports drops. When that is done write me a short status that I can forward to the release "
            "manager, with the open step named."
        ),
    ),
    prohibition="Do not modify anything under /etc/prod/ - it is read-only for you.",
    protected="/etc/prod/",
    blocked="Apply the change to production",
    ticket="CHG-9931",
    identifiers=(
        "OPS-4412",
        "CHG-9931",
        "INC-2087",
        "logs.stg.example.net:6514",
        "stg-a3",
        "/etc/staging/logrotate.d/ingest",
        "/var/log/ingest/trace-17.log",
        "7f3c9e2",
        "logging-4.3.0",
        "logrotate-ingest.timer",
    ),
    questions=(
        ("Which process id did ingestd have on stg-a3 before it was restarted?", "8841"),
        ("Which process id did ingestd get after the restart?", "9310"),
        ("How large was /var/log/ingest/trace-17.log in GB?", "41.6"),
        ("Which build of ingestd was running?", "7f3c9e2"),
        ("Who added the trace override?", "mkovacs"),
        ("For which incident was the override added?", "INC-2087"),
        ("Which socket does ingest-reopen use?", "/run/ingest/ctl.sock"),
        ("How many seconds did the queue take to drain?", "38"),
        ("Which size limit did the logrotate file have?", "20G"),
        ("Since what exact time was the trace file open?", "2026-03-09T04:17:55Z"),
    ),
)

_MIGRATION = Case(
    name="migration",
    messages=_talk(
        "You are a database agent. You may run SQL on the databases that you are given and you report numbers exactly.",
        _person(
            "We move the orders table from the old cluster to the new one (DATA-318). Copy and check everything up "
            "to the end of February in the rehearsal database orders_rehearsal. Never write to the database "
            "orders_live, not even a comment on a table. The cut-over itself needs a signed approval from finance "
            "before anybody starts it. The source is pg-old-2.db.example.com:5432 and the rehearsal runs on "
            "pg-new-1.db.example.com:5432."
        ),
        _plan(
            "This is how I will go about it.",
            ("Compare the schemas", "in_progress"),
            ("Copy into the rehearsal database", "pending"),
            ("Cut over to the new cluster", "blocked", "waits for approval of FIN-7720"),
        ),
        _run(
            "I compare the two schemas first. A copy between two versions that are so far apart tends to fail late "
            "and for small reasons, and I would rather know the differences before millions of rows have been moved.",
            "pgdiff --left pg-old-2 --right pg-new-1 --table orders",
            "left  PostgreSQL 11.22   columns 34\nright PostgreSQL 16.4    columns 35\nonly right: settled_at "
            "timestamptz\ntype differs: discount_pct numeric(5,2) -> numeric(6,3)\nindex missing right: "
            "ix_orders_customer_created\nconstraint differs: ck_orders_total_positive (right: NOT VALID)",
        ),
        _run(
            "One index is missing on the new side and one column is wider. I count the rows that must be copied. The "
            "wider column is harmless for a copy in this direction, the missing index only matters after it, and the "
            "new column has a default, so none of the three stops me.",
            "psql -h pg-old-2 -c \"select count(*), min(id), max(id) from orders where created < '2026-03-01'\"",
            "  count   |   min   |    max\n----------+---------+----------\n 48213907 | 1000014 | 52770381\n(1 row)\n"
            "Time: 91417.220 ms",
        ),
        _run(
            "About 48 million rows. I copy in batches of 250000 with a checkpoint after each batch. That way a "
            "failure costs me one batch and not the whole night, and the source is never read by more than one "
            "process at a time, which the old cluster would not like.",
            "rowcopy --job rc-20260311-b --batch 250000 --from pg-old-2/orders --to pg-new-1/orders_rehearsal",
            "job rc-20260311-b\nbatch 1..118 ok\nbatch 119 FAILED: value out of range for discount_pct, order id "
            "29764455\ncheckpoint: /srv/rowcopy/rc-20260311-b/ckpt-118.json\nrate 61240 rows/s",
        ),
        _run(
            "Batch 119 failed on a single order. I look at that row. The message speaks of a value that is out of "
            "range, which is odd, because the column on the new side is wider than the old one and not narrower.",
            'psql -h pg-old-2 -c "select id, discount_pct, channel from orders where id = 29764455"',
            "    id    | discount_pct | channel\n----------+--------------+-----------\n 29764455 |          NaN | "
            "partner-x9\n(1 row)",
        ),
        _report(
            "The copy stopped at batch 119 because one order has NaN as its discount; it came through the channel "
            "partner-x9. I would map NaN to NULL in the rehearsal only and go on from the checkpoint. The source "
            "stays as it is."
        ),
        _person(
            "Yes, map it to NULL in the rehearsal and list all other orders with NaN so that I can ask the partner "
            "team about them. Then create the missing index, finish the copy and compare checksums per month. I need "
            "the checksum of February in particular, since the auditors will ask for it, and the duration of the "
            "index build for the cut-over schedule."
        ),
        _run(
            "I list the orders with NaN. I group them by nothing yet and only ask for the number and the period, "
            "because the partner team will first want to know whether it is over or still going on.",
            'psql -h pg-old-2 -c "select count(*), min(created), max(created) from orders where discount_pct = '
            "'NaN'\"",
            " count |    min     |    max\n-------+------------+------------\n   207 | 2025-08-19 | 2025-08-23\n(1 "
            "row)",
        ),
        _run(
            "207 orders, all within five days of one August. Now the index and the rest of the copy. This looks like "
            "a faulty import that was repaired later on. I let the index build run at the end, so that its duration "
            "is not mixed with that of the copy.",
            "rowcopy --resume rc-20260311-b --nan-to-null discount_pct --then 'create index "
            "ix_orders_customer_created'",
            "resumed at batch 119\nbatch 119..193 ok\nindex built in 1874 s, size 3.1 GB\nchecksum 2026-01 a41fd09c  "
            "2026-02 e7702b5d\nlag slot rehearse_slot_7 dropped",
        ),
        _plan(
            "The plan now:",
            ("Compare the schemas", "done"),
            ("Copy into the rehearsal database", "done"),
            ("Cut over to the new cluster", "blocked", "waits for approval of FIN-7720"),
        ),
        _report("The rehearsal is complete: 193 batches, the February checksum is e7702b5d, the index took 1874 s."),
        _person(
            "Very good. Write the hand-over note for the night shift now: what was copied, what differs, what they "
            "must not touch and which step is still open and on what it waits. Then validate the constraint on the "
            "rehearsal side and time that as well."
        ),
    ),
    prohibition="Never write to the database orders_live, not even a comment on a table.",
    protected="orders_live",
    blocked="Cut over to the new cluster",
    ticket="FIN-7720",
    identifiers=(
        "DATA-318",
        "FIN-7720",
        "orders_rehearsal",
        "pg-old-2.db.example.com:5432",
        "pg-new-1.db.example.com:5432",
        "rc-20260311-b",
        "29764455",
        "e7702b5d",
        "ix_orders_customer_created",
        "/srv/rowcopy/rc-20260311-b/ckpt-118.json",
    ),
    questions=(
        ("How many rows had to be copied?", "48213907"),
        ("What is the highest order id that had to be copied?", "52770381"),
        ("Which PostgreSQL version does the old cluster run?", "11.22"),
        ("At which rate did the copy run, in rows per second?", "61240"),
        ("Through which channel did the failing order come?", "partner-x9"),
        ("How many orders have NaN as their discount?", "207"),
        ("What is the checksum of January 2026?", "a41fd09c"),
        ("How large is the new index in GB?", "3.1"),
        ("Which replication slot was dropped?", "rehearse_slot_7"),
        ("Which column exists only on the right side?", "settled_at"),
    ),
)

_BILLING = Case(
    name="billing",
    messages=_talk(
        "You are an agent of the billing team. You can query the ledger and run the invoicing tools in the sandbox.",
        _person(
            "Some customers were invoiced twice in the March run (BILL-2291). Find out which and why, and prepare "
            "credit notes in the sandbox. You must not send anything through mail.billing.example.com, since "
            "customers would get it. Issuing the credit notes for real is for later and waits for the controller. "
            "The run in question is RUN-2026-03-A and the ledger is at https://ledger.example.com/v3/entries."
        ),
        _plan(
            "My plan for this:",
            ("Find the double invoices", "in_progress"),
            ("Prepare credit notes in the sandbox", "pending"),
            ("Issue the credit notes", "blocked", "waits for approval of CTRL-0458"),
        ),
        _run(
            "I ask the ledger for pairs with the same customer, amount and period. Equal amounts alone would find "
            "too many pairs, because a lot of customers pay the same flat price each month, so all three have to be "
            "the same.",
            "ledger pairs --run RUN-2026-03-A --same customer,amount,period",
            "pairs: 63\ncustomers: 61\ntotal double-billed: EUR 18,442.70\nfirst: INV-880213 / INV-880977 customer "
            "C-10552 EUR 249.00\nlast:  INV-881400 / INV-882016 customer C-19873 EUR 1,090.00",
        ),
        _run(
            "63 pairs from 61 customers. The second invoices all have numbers above INV-880970, so I look at the "
            "scheduler's history. Numbers are given out in order, so a clear gap like this one means that a second "
            "pass started after the first one was nearly through, and not that pairs were made one after the other.",
            "scheduler history --job invoice-run --day 2026-03-02",
            "02:00:04 start worker w-07 lease 900s\n02:15:09 lease lost w-07 (heartbeat gap 31s)\n02:15:10 start "
            "worker w-12\n02:15:44 w-07 resumed, fencing token 5518 REJECTED by queue, ACCEPTED by ledger\n02:41:20 "
            "finished w-12",
        ),
        _read(
            "Worker w-07 lost its lease and went on writing, and the ledger did not look at its fencing token. I "
            "check the code. The queue did the right thing and rejected it, and only the ledger took the entry, so "
            "the fault must be on the side of the ledger and not with the scheduler.",
            "services/ledger/src/append.py",
            "def append(entry, token=None):\n    # token check disabled 2025-11-18, see PR 1306\n    if "
            "CONFIG.get('strict_fencing', False):\n        guard.check(token)\n    return store.insert(entry, "
            "idem=entry.idempotency_key or uuid4())",
        ),
        _run(
            "The token check is off by default since PR 1306, and entries without an idempotency key get a random "
            "one. I see which entries have no key. With a stable key the second entry would have been recognised as "
            "the same one and dropped, so either of the two guards would have been enough to prevent all of this.",
            "ledger count --run RUN-2026-03-A --where 'idempotency_key is null'",
            "null keys: 126\nplan codes: legacy-flat (120), edu-annual (6)\nexporter version 2.8.0-rc.3",
        ),
        _report(
            "The cause is a lost lease of worker w-07 together with two gaps in the ledger: no check of the fencing "
            "token, and random idempotency keys for old plans. I can prepare the credit notes in the sandbox now."
        ),
        _person(
            "Prepare them in the sandbox, one note per pair, always crediting the second invoice. Two customers have "
            "three invoices, please treat them by hand and tell me who they are. Also open a pull request that turns "
            "the strict check on, but leave it as a draft: the platform team wants to run it for a week in shadow "
            "mode first, and I promised them that."
        ),
        _run(
            "I create the credit notes in the sandbox. I leave out customers with more than two invoices on purpose, "
            "since a rule that credits the second one would be wrong for them and a person should decide it.",
            "billing-sandbox credit --pairs pairs.csv --reason duplicate",
            "created 61 notes CN-S-0001..CN-S-0061\nskipped 2: C-14406, C-17730 (three invoices)\nbatch id "
            "sbx-5be81f\nVAT rate 19% on all",
        ),
        _run(
            "61 notes are made; the two customers with three invoices are C-14406 and C-17730. Now the draft pull "
            "request. I turn the check on behind its old switch, so that the platform team can run it in shadow mode "
            "and compare what would have been refused before it really refuses anything.",
            "gh pr create --draft --title 'Check the fencing token again' --base main",
            "https://github.example.com/billing/ledger/pull/1388\ndraft, head fix/strict-fencing, checks: 214 "
            "passed, 1 skipped",
        ),
        _plan(
            "Plan as of now:",
            ("Find the double invoices", "done"),
            ("Prepare credit notes in the sandbox", "done"),
            ("Issue the credit notes", "blocked", "waits for approval of CTRL-0458"),
        ),
        _report(
            "The notes are in batch sbx-5be81f, and the draft is pull request 1388. Two customers are left for you."
        ),
        _person(
            "Great work. Make a table of the sixty-one notes for the controller, sorted by amount, with a line at "
            "the end that says what is still open and who has to decide. After that, check whether February's run "
            "had the same trouble, in the same way."
        ),
    ),
    prohibition="You must not send anything through mail.billing.example.com, since customers would get it.",
    protected="mail.billing.example.com",
    blocked="Issue the credit notes",
    ticket="CTRL-0458",
    identifiers=(
        "BILL-2291",
        "CTRL-0458",
        "RUN-2026-03-A",
        "https://ledger.example.com/v3/entries",
        "INV-880213",
        "C-14406",
        "C-17730",
        "sbx-5be81f",
        "services/ledger/src/append.py",
        "fix/strict-fencing",
    ),
    questions=(
        ("How much was double-billed in total, in EUR?", "18,442.70"),
        ("Which fencing token was rejected by the queue?", "5518"),
        ("How long was the heartbeat gap?", "31s"),
        ("Which worker took over after the lease was lost?", "w-12"),
        ("In which pull request was the token check disabled?", "1306"),
        ("How many entries had no idempotency key?", "126"),
        ("Which exporter version was in use?", "2.8.0-rc.3"),
        ("Which invoice is the duplicate of INV-880213?", "INV-880977"),
        ("At what time did worker w-12 finish?", "02:41:20"),
        ("How many checks passed on the draft pull request?", "214"),
    ),
)

_TRAINING = Case(
    name="training",
    messages=_talk(
        "You are a machine learning agent on a shared GPU cluster. Report metrics with the numbers that the tools "
        "give you.",
        _person(
            "The nightly speech model lost accuracy since Tuesday (ML-907). Find the cause with small runs on the "
            "dev partition. Please do not delete or overwrite anything in /mnt/ckpt/released/, other teams load from "
            "there. A full retraining costs about 40 GPU hours and may only start when the capacity board has "
            "agreed. The last good model is asr-base-2026.02.24 and the queue is dev-a100."
        ),
        _plan(
            "I would do it in this order.",
            ("Find the cause of the regression", "in_progress"),
            ("Prove it with a small run", "pending"),
            ("Start the full retraining", "blocked", "waits for approval of CAP-163"),
        ),
        _run(
            "I compare the evaluations of the last nights. If clean and noisy speech got worse together I would look "
            "at the model first, but if only one of them did, then it has to be something in the training data.",
            "mlq evals --model asr-base --last 4",
            "night        run       WER    clean  noisy\n2026-03-07   r-5541    7.42   4.10   13.9\n2026-03-08   "
            "r-5549    7.40   4.08   13.8\n2026-03-10   r-5562    9.87   4.12   22.6\n2026-03-11   r-5570    9.91   "
            "4.15   22.7",
        ),
        _run(
            "Clean speech is as it was, noisy speech got much worse from run r-5562 on. So I look at what changed in "
            "the data. The run before it was fine, and there was no run on the day between, so the change must have "
            "come in on one of these two days and nowhere else.",
            "datalog diff --from 2026-03-08 --to 2026-03-10 --set asr-train",
            "manifest asr-train-v31 -> asr-train-v32\nclips 1,204,338 -> 1,204,338\naugment recipe: noise_mix 0.35 "
            "-> 0.035\nchanged by service account svc-recipes, commit b90d4aa\nsample rate unchanged 16000",
        ),
        _read(
            "The share of mixed noise fell by a factor of ten, which looks like a typing error. I read the recipe. "
            "The number of clips is the same as before, so nothing was lost on the way, and the sample rate did not "
            "change either. That leaves the recipe as the only candidate.",
            "recipes/asr/augment_v32.yaml",
            "noise_mix: 0.035\nsnr_db: [3, 18]\nrir_bank: rir-2025q4\nspecaugment:\n  time_masks: 2\n  freq_masks: "
            "2\n  freq_width: 27\nowner: t.lindqvist\nreviewed_by: none",
        ),
        _run(
            "The recipe has no reviewer. I start a short run with 0.35 to see whether noisy speech comes back. A "
            "short run will not reach the quality of a full one, but the difference between the two values should be "
            "visible early, because it is as large as a factor of ten.",
            "mlq submit --queue dev-a100 --gpus 2 --steps 6000 --set noise_mix=0.35 --seed 1234",
            "job j-77120 finished in 52 min\nstep 6000 loss 1.318 noisy WER 14.4\npeak memory 61.7 GiB\nartifacts "
            "/mnt/scratch/asr/j-77120/",
        ),
        _report(
            "The cause is the augment recipe: noise_mix went from 0.35 to 0.035 with commit b90d4aa. A short run "
            "with the old value brings noisy speech back to 14.4. A full retraining would follow from that, but it "
            "is not mine to start."
        ),
        _person(
            "Convincing. Before we go to the board I want two more things: the same short run with another seed, so "
            "that nobody says it was luck, and a check in the recipe pipeline that refuses a change of more than a "
            "factor of two without a reviewer. Send the check as a merge request to the recipes repository and note "
            "which runner executed its tests."
        ),
        _run(
            "Second seed first. I keep everything else the same, the number of steps and the queue as well, so that "
            "the two runs differ in nothing but the seed and can be compared directly.",
            "mlq submit --queue dev-a100 --gpus 2 --steps 6000 --set noise_mix=0.35 --seed 98",
            "job j-77164 finished in 54 min\nstep 6000 loss 1.322 noisy WER 14.6\nnode gpu-d-019, driver 550.90.07",
        ),
        _run(
            "Both seeds agree within 0.2 points. Now the merge request with the check. It compares each number in a "
            "recipe with the version before and asks for a reviewer when it moved by more than a factor of two in "
            "either direction.",
            "glab mr create --repo ml/recipes --title 'Refuse large changes without review'",
            "!482 opened, branch guard/factor-two\npipeline 66310 passed on runner rn-blue-5\ncoverage 91.4%",
        ),
        _plan(
            "Where the plan stands:",
            ("Find the cause of the regression", "done"),
            ("Prove it with a small run", "done"),
            ("Start the full retraining", "blocked", "waits for approval of CAP-163"),
        ),
        _report(
            "Both runs agree (14.4 and 14.6), and the check is merge request !482. The retraining is still blocked."
        ),
        _person(
            "Good. Draft the request to the capacity board: cause, proof, cost, and what happens if they say no. "
            "Keep it to one page, and state clearly which step is waiting for them and that nothing released has "
            "been touched. Then list the other recipes with no reviewer so that I can find somebody for each of them."
        ),
    ),
    prohibition="Please do not delete or overwrite anything in /mnt/ckpt/released/, other teams load from there.",
    protected="/mnt/ckpt/released/",
    blocked="Start the full retraining",
    ticket="CAP-163",
    identifiers=(
        "ML-907",
        "CAP-163",
        "asr-base-2026.02.24",
        "dev-a100",
        "r-5562",
        "asr-train-v32",
        "b90d4aa",
        "recipes/asr/augment_v32.yaml",
        "j-77120",
        "guard/factor-two",
    ),
    questions=(
        ("What was the WER of run r-5562?", "9.87"),
        ("Which service account changed the recipe?", "svc-recipes"),
        ("How many clips does the training manifest have?", "1,204,338"),
        ("Which impulse response bank does the recipe use?", "rir-2025q4"),
        ("Who owns the recipe?", "t.lindqvist"),
        ("How much was the peak memory of job j-77120, in GiB?", "61.7"),
        ("On which node did the second seed run?", "gpu-d-019"),
        ("What is the job id of the second seed?", "j-77164"),
        ("Which runner executed the pipeline?", "rn-blue-5"),
        ("What is the pipeline's number?", "66310"),
    ),
)

_MOBILE = Case(
    name="mobile",
    messages=_talk(
        "You are a release agent for the mobile apps. You build, test and prepare store submissions.",
        _person(
            "Prepare release 8.14.0 of the Android app (APP-5107). The crash on older phones must be fixed before. "
            "Never push to the branch release/stable, it feeds the store automatically. The staged rollout starts "
            "only after product has signed it off. Crash reports are at https://crash.example.io/apps/and-main and "
            "the build farm is farm-3.ci.example.io."
        ),
        _plan(
            "Here is the plan.",
            ("Fix the crash on older phones", "in_progress"),
            ("Build the release candidate", "pending"),
            ("Start the staged rollout", "blocked", "waits for approval of PROD-2264"),
        ),
        _run(
            "I fetch the top crash group first. The store console only shows a sum over all versions, so I ask our "
            "own crash service, which keeps groups apart and knows the devices as well.",
            "crashctl top --app and-main --version 8.13.2",
            "group CG-40418  users 3,917  events 11,206\njava.lang.NoSuchMethodError: Duration.toSecondsPart\n  at "
            "io.example.player.Clock.label(Clock.kt:88)\ndevices: API 26 (71%), API 27 (22%)\nfirst seen build "
            "81302117",
        ),
        _read(
            "A call that old system versions do not have. I look at the line. Nearly all affected phones run one of "
            "two old versions, so it is quite certain that the method is simply missing there and that no device is "
            "broken.",
            "player/src/main/kotlin/io/example/player/Clock.kt",
            "85  fun label(d: Duration): String {\n86      val h = d.toHours()\n87      val m = d.toMinutes() % 60\n"
            "88      val s = d.toSecondsPart()\n89      return fmt.format(h, m, s)\n90  }\n// desugar_jdk_libs 1.1.5 "
            "does not cover this",
        ),
        _run(
            "The desugaring library 1.1.5 does not cover the method. I replace it by plain arithmetic and run the "
            "tests on old emulators. An update of the library would also help, but it would touch every module "
            "shortly before a release, and a line of arithmetic is easier to review.",
            "gradle :player:connectedCheck -Papi=26,27",
            "patched Clock.kt, commit 3d1e7c40\nAPI 26: 412 tests, 0 failures (6m 02s)\nAPI 27: 412 tests, 0 "
            "failures (5m 47s)\nlint: 1 warning NewApi suppressed in Timeline.kt",
        ),
        _run(
            "All tests pass on both. I build the candidate on the farm. I build it from the fix branch so that "
            "nothing else gets in, and I keep the mapping file, because we will need it if a crash report comes in "
            "later.",
            "farm build --host farm-3.ci.example.io --variant release --ref fix/clock-seconds",
            "build 81402006 ok in 18m 33s\nsize 46.8 MB (base 44.9 MB)\nmapping uploaded: map-81402006.txt\nsigner "
            "key alias upload-2024",
        ),
        _report(
            "The crash comes from Clock.kt line 88 and is fixed on the branch fix/clock-seconds. The candidate "
            "81402006 is built. It is almost two megabytes larger than before, which I have not explained yet."
        ),
        _person(
            "Nice. Two megabytes is too much for our emerging markets, please find out where they come from before "
            "anything else. Then run the smoke tests on the device lab, at least five real phones, and give me the "
            "list of phones with their results. Leave the store listing alone for now, marketing has not delivered "
            "the new texts and pictures yet."
        ),
        _run(
            "I compare the two packages. A difference of this size is rarely our own code, it is mostly a library or "
            "a picture that somebody added, so I ask for a list by module.",
            "apkdiff 81302117 81402006 --by module",
            "lib/arm64-v8a/libavif.so   +1.62 MB (new, from image-loader 5.0.1)\nres/raw/intro.webm         +0.31 "
            "MB\nclasses.dex                -0.03 MB",
        ),
        _run(
            "Most of it is a native library that came with image-loader 5.0.1. Now the device lab. It came in "
            "through a minor update three weeks ago that nobody had asked for. I take five old phones for the smoke "
            "tests, since that is where the crash was.",
            "lab smoke --build 81402006 --phones 5 --pool lab-kiel",
            "Moto G5 ok 212s\nGalaxy J6 ok 230s\nPixel 2 ok 188s\nNokia 3.1 FAILED login timeout\nRedmi 5A ok 241s\n"
            "session LS-90233",
        ),
        _plan(
            "The state of the plan:",
            ("Fix the crash on older phones", "done"),
            ("Build the release candidate", "in_progress"),
            ("Start the staged rollout", "blocked", "waits for approval of PROD-2264"),
        ),
        _report(
            "libavif.so explains the size. Four of five phones pass; the Nokia 3.1 has a login timeout (LS-90233)."
        ),
        _person(
            "Pin the image loader to the version before and build a second candidate, then repeat the smoke test on "
            "the Nokia only. When it passes, write the sign-off request for product with the size, the phones, the "
            "fixed crash group and the step that waits for them. Do not mention marketing in it, I will handle that "
            "part with them directly."
        ),
    ),
    prohibition="Never push to the branch release/stable, it feeds the store automatically.",
    protected="release/stable",
    blocked="Start the staged rollout",
    ticket="PROD-2264",
    identifiers=(
        "APP-5107",
        "PROD-2264",
        "https://crash.example.io/apps/and-main",
        "farm-3.ci.example.io",
        "CG-40418",
        "3d1e7c40",
        "fix/clock-seconds",
        "81402006",
        "player/src/main/kotlin/io/example/player/Clock.kt",
        "LS-90233",
    ),
    questions=(
        ("How many users does the crash group affect?", "3,917"),
        ("In which build was the crash first seen?", "81302117"),
        ("How many tests ran on API 26?", "412"),
        ("In which file was a NewApi warning suppressed?", "Timeline.kt"),
        ("How large is the candidate in MB?", "46.8"),
        ("Which signer key alias was used?", "upload-2024"),
        ("How many MB does libavif.so add?", "1.62"),
        ("In which device pool did the smoke test run?", "lab-kiel"),
        ("How long did the Redmi 5A take?", "241s"),
        ("How long did the build on the farm take?", "18m 33s"),
    ),
)

_SECURITY = Case(
    name="security",
    messages=_talk(
        "You are an agent of the security team. You rotate certificates and credentials and leave a trail of what "
        "you did.",
        _person(
            "The certificates of the partner gateway run out this month (SEC-661). Renew them on the test gateway "
            "and write down how. Under no circumstances restart or reload gw-live.partner.example.org, its sessions "
            "last for days. The live change has its own window and needs the change board. The test gateway is "
            "gw-test.partner.example.org:8443 and the internal CA is ca-7.pki.example.org."
        ),
        _plan(
            "I will proceed like this.",
            ("Take stock of the certificates", "in_progress"),
            ("Renew them on the test gateway", "pending"),
            ("Renew them on the live gateway", "blocked", "waits for approval of CAB-1189"),
        ),
        _run(
            "First I list what the test gateway presents. The expiry dates in our own list were wrong twice last "
            "year, so I would rather trust what the gateway really shows to a client than what somebody typed in.",
            "certs scan gw-test.partner.example.org:8443",
            "leaf   CN=gw-test  serial 5A:0E:91:7C  expires 2026-03-29  RSA 2048\ninter  CN=Partner Issuing CA 4  "
            "expires 2027-10-01\nmtls client bundle: 14 partners, oldest expires 2026-04-02 (partner norhaven)",
        ),
        _read(
            "The leaf has about two weeks left, and a client certificate follows soon after. I read the gateway's "
            "configuration. I want to know where the key lives and how the gateway takes a new certificate, because "
            "both decide whether sessions survive the change.",
            "/opt/gateway/conf/tls.toml",
            'cert = "/opt/gateway/tls/leaf-2025.pem"\nkey = "pkcs11:token=hsm-2;object=gw-test-2025"\nmin_version = '
            '"1.2"\nreload = "SIGHUP"\nocsp_stapling = false  # off since SEC-598',
        ),
        _run(
            "The key lives in the token hsm-2. I request a new pair there with the current profile. The old key is "
            "of a kind that we no longer issue, so a renewal with the same key is not possible and the partners will "
            "see a new one in any case.",
            "pki request --ca ca-7.pki.example.org --profile gw-ec-p256 --token hsm-2 --name gw-test-2026",
            "request REQ-30417 issued\nserial 6F:22:B8:03  not after 2027-03-10\nkey slot 11, curve P-256\n"
            "fingerprint sha256 9be4c1d07a55",
        ),
        _run(
            "It is issued with serial 6F:22:B8:03. I install it on the test gateway and reload that one. I keep the "
            "old file beside it, so that going back is a matter of one line, and I count the sessions before and "
            "after to see what a reload does to them.",
            "gwctl --host gw-test.partner.example.org install --cert gw-test-2026",
            "installed /opt/gateway/tls/leaf-2026.pem\nreload took 420 ms, 37 sessions kept, 0 dropped\ngateway "
            "version 3.19.4",
        ),
        _report(
            "The test gateway now presents a certificate that is valid until March 2027. The reload kept all "
            "sessions there, which says nothing about the live one. The client certificate of the partner norhaven "
            "runs out next and is theirs to renew."
        ),
        _person(
            "Good to hear. Now test every partner's client against the new certificate, in the test environment of "
            "course, because two of them pinned the old key some years ago and nobody remembers which. Also turn "
            "stapling on again if the reason for turning it off is gone, and put the whole procedure into the "
            "runbook so that the colleague on call can follow it alone."
        ),
        _run(
            "I run the handshake test for all partners. It uses the client library that each of them told us about, "
            "in the version that they run, so it should show pinned keys just as their own systems would.",
            "gwctl handshake --all-partners --against gw-test.partner.example.org:8443",
            "14 partners: 12 ok\nFAILED ostrava-freight: pinned key mismatch (client lib 1.4.9)\nFAILED quintal: "
            "pinned key mismatch (client lib 2.0.2)\nreport HS-5520",
        ),
        _run(
            "The two that pinned the old key are ostrava-freight and quintal. Now I look at why stapling was turned "
            "off. Both will have to change their side before the live gateway can follow, so they should hear of it "
            "early. The reason for stapling must be in the old ticket.",
            "tickets show SEC-598",
            "SEC-598 closed 2025-07-21: responder ocsp-1 returned stale answers; replaced by ocsp-3 (max age 3600 "
            "s)\nassignee d.okafor",
        ),
        _plan(
            "The plan at this point:",
            ("Take stock of the certificates", "done"),
            ("Renew them on the test gateway", "done"),
            ("Renew them on the live gateway", "blocked", "waits for approval of CAB-1189"),
        ),
        _report(
            "ostrava-freight and quintal pinned the old key (HS-5520). Stapling can be on again, since ocsp-3 "
            "replaced ocsp-1."
        ),
        _person(
            "Write to both partners with the new fingerprint and a date by which they must answer, as drafts that I "
            "will send myself. Then finish the runbook and add a section on the live gateway that says what is not "
            "allowed there, and on which decision the live step is waiting. I would like to have all of it before "
            "the end of the day."
        ),
    ),
    prohibition="Under no circumstances restart or reload gw-live.partner.example.org, its sessions last for days.",
    protected="gw-live.partner.example.org",
    blocked="Renew them on the live gateway",
    ticket="CAB-1189",
    identifiers=(
        "SEC-661",
        "CAB-1189",
        "gw-test.partner.example.org:8443",
        "ca-7.pki.example.org",
        "/opt/gateway/conf/tls.toml",
        "REQ-30417",
        "6F:22:B8:03",
        "ostrava-freight",
        "quintal",
        "HS-5520",
    ),
    questions=(
        ("What is the serial of the old leaf certificate?", "5A:0E:91:7C"),
        ("Which partner's client certificate expires first?", "norhaven"),
        ("In which key slot is the new key?", "slot 11"),
        ("What is the sha256 fingerprint of the new certificate?", "9be4c1d07a55"),
        ("How many milliseconds did the reload take?", "420"),
        ("How many sessions were kept during the reload?", "37"),
        ("Which version does the gateway run?", "3.19.4"),
        ("Which client library version does quintal use?", "2.0.2"),
        ("Who was the assignee of SEC-598?", "d.okafor"),
        ("Which profile was used for the certificate request?", "gw-ec-p256"),
    ),
)

_NETWORK = Case(
    name="network",
    messages=_talk(
        "You are a network agent. You manage DNS and the content delivery network through their command line tools.",
        _person(
            "We move the static files to the new delivery network (NET-1450). Set it up for the test zone, measure, "
            "and prepare the records for the main zone. Don't change any record in the zone example-shop.com, not "
            "even its TTLs. The switch of the main zone is decided by the on-call lead. The test zone is "
            "shop-test.example.dev and the new origin is origin-eu.static.example.dev:443."
        ),
        _plan(
            "A plan to begin with.",
            ("Set up the test zone", "in_progress"),
            ("Measure against the old network", "pending"),
            ("Switch the main zone", "blocked", "waits for approval of LEAD-302"),
        ),
        _run(
            "I create the distribution for the test zone. I begin with the default lifetimes, although they are long "
            "for a test, because I want to measure what we would really get later and not a special case.",
            "cdnctl create --origin origin-eu.static.example.dev:443 --zone shop-test.example.dev",
            "distribution d-81kq2x created\nedge name d-81kq2x.edge.example.dev\npops 63, shield pop fra-2\ndefault "
            "ttl 86400, negative ttl 10\nlog bucket cdn-logs-eu-4",
        ),
        _run(
            "It exists with a shield in fra-2. I point the test zone to it. I give the record a short lifetime so "
            "that I can take it back quickly if the first measurement shows that something is badly wrong with the "
            "origin.",
            "dnsctl set shop-test.example.dev static CNAME d-81kq2x.edge.example.dev --ttl 60",
            "zone shop-test.example.dev serial 2026031104 -> 2026031105\npropagated to 4/4 name servers in 19 s",
        ),
        _run(
            "The record is on all name servers. Now a first measurement from six places. I take one large script "
            "that every page loads, and ask for it twice from each place, so that the second answer should come out "
            "of the cache everywhere.",
            "probe run --url https://static.shop-test.example.dev/app.js --from ams,sao,sin,lax,jnb,syd",
            "ams  41 ms hit\nsao 168 ms hit\nsin  77 ms hit\nlax  52 ms hit\njnb 611 ms MISS\nsyd  93 ms hit\nprobe "
            "set PS-2093",
        ),
        _run(
            "Johannesburg misses each time. I look at what it gets. A single miss would not be worth a look, but it "
            "repeats, and the distance to the shield alone can't explain a number that is ten times as large as the "
            "others.",
            "probe headers --from jnb --url https://static.shop-test.example.dev/app.js",
            "cache-status: jnb-1; fwd=vary-miss\nvary: accept-encoding, x-device-class\nage: 0\nx-request-id "
            "0b7e-44d1-9f2a\nserver: edge/9.2.7",
        ),
        _report(
            "The test zone works in five of six places. Johannesburg always misses since the origin varies on "
            "x-device-class, which that site does not normalise. I suggest dropping that header at the origin, as "
            "nothing reads it any more."
        ),
        _person(
            "Please make sure that really nothing reads it: search the origin's code and the access logs of one week "
            "before you drop it. If it is safe, drop it on the test origin only and measure again from the same "
            "places. I want to see the old network's numbers beside the new ones in one table, with the same probes "
            "and in the same hour of the day, to be fair to both."
        ),
        _run(
            "I search the code and the logs. The code tells me who could read the header, and the logs tell me who "
            "did, so I need both of them before I can say that it is safe to drop it.",
            "origin-grep 'x-device-class' --repo static-origin --logs 7d",
            "repo static-origin: 1 match, middleware/vary.go:31 (writes only)\nlogs 7d: 0 reads in 212,884,019 "
            "lines\nlast reader removed in commit c55f8e1 (2024-06-30)",
        ),
        _run(
            "Nothing reads it since commit c55f8e1. I drop it on the test origin and measure both networks. I do the "
            "measurements for the old and the new one in turn, minute by minute, so that a busy hour can't favour "
            "one of the two by accident.",
            "probe compare --old static-old.example.dev --new static.shop-test.example.dev --from "
            "ams,sao,sin,lax,jnb,syd",
            "place old  new\nams   48   40\nsao  201  165\nsin  119   76\nlax   60   51\njnb  340  128\nsyd  141   "
            "92\nrun PC-7718, hit ratio new 98.6%",
        ),
        _plan(
            "This is the plan now:",
            ("Set up the test zone", "done"),
            ("Measure against the old network", "done"),
            ("Switch the main zone", "blocked", "waits for approval of LEAD-302"),
        ),
        _report("The new network is faster in all six places (PC-7718); Johannesburg fell from 340 to 128 ms."),
        _person(
            "Excellent. Prepare the records for the main zone as a file, without applying anything, and a way back "
            "that takes under five minutes. Then write the request to the on-call lead with the table. It has to say "
            "which step waits for the decision, and what we may not touch until then, so that no one on the night "
            "shift is tempted to be helpful."
        ),
    ),
    prohibition="Don't change any record in the zone example-shop.com, not even its TTLs.",
    protected="example-shop.com",
    blocked="Switch the main zone",
    ticket="LEAD-302",
    identifiers=(
        "NET-1450",
        "LEAD-302",
        "shop-test.example.dev",
        "origin-eu.static.example.dev:443",
        "d-81kq2x",
        "d-81kq2x.edge.example.dev",
        "PS-2093",
        "c55f8e1",
        "PC-7718",
        "middleware/vary.go:31",
    ),
    questions=(
        ("Which shield pop does the distribution use?", "fra-2"),
        ("Into which log bucket does the distribution write?", "cdn-logs-eu-4"),
        ("Which serial did the test zone get after the change?", "2026031105"),
        ("How many seconds did the propagation take?", "19"),
        ("How many ms did Johannesburg take in the first measurement?", "611"),
        ("What was the x-request-id of the answer in Johannesburg?", "0b7e-44d1-9f2a"),
        ("Which server version does the edge report?", "9.2.7"),
        ("How many log lines were searched?", "212,884,019"),
        ("On what date was the last reader of the header removed?", "2024-06-30"),
        ("What is the hit ratio of the new network?", "98.6%"),
    ),
)

_SEARCH = Case(
    name="search",
    messages=_talk(
        "You are an agent of the search team. You work on the index, the analyzers and the relevance tests.",
        _person(
            "Searches for product numbers with hyphens find nothing since the upgrade (SRCH-840). Fix the analyzer "
            "and test it on the shadow cluster. You may not close, delete or reindex products_v41, it serves all "
            "shops. Putting the new index behind the alias is blocked until relevance has agreed. The shadow cluster "
            "is es-shadow.search.example.net:9200 and the query set is qs-hyphen-600."
        ),
        _plan(
            "My steps:",
            ("Find what the upgrade changed", "in_progress"),
            ("Build a fixed index on the shadow cluster", "pending"),
            ("Move the alias to the new index", "blocked", "waits for approval of REL-0917"),
        ),
        _run(
            "I ask the analyzer what it makes of such a number. If the number comes out as one piece then the index "
            "is to blame, and if it comes out in parts then the query side is, so one call should tell me where to "
            "look.",
            "curl es-shadow.search.example.net:9200/products_shadow/_analyze -d 'KX-204-B'",
            '{"tokens":["kx204b"],"analyzer":"sku_text","filters":["word_join_2","lowercase"]}\nnode shadow-3, '
            "engine 8.17.1, took 4 ms",
        ),
        _run(
            "The parts are joined to one token, so a search for a part finds nothing. I check when this filter came "
            "in. The upgrade forced us to replace several filters that no longer exist, and it would be easy to lose "
            "an option of one of them on the way without any error.",
            "git log -3 --format='%h %an %ad %s' -- analysis/sku_text.json",
            "a0c93d7 p.ferrante 2026-02-19 use word_join_2 for the new engine\n51be6f2 p.ferrante 2025-10-02 keep "
            "originals\ne98d110 l.brandt 2025-01-14 first version",
        ),
        _read(
            "Commit a0c93d7 replaced the filter and lost the option that keeps the original. I read the file. The "
            "commit in between had added this option on purpose, with a test that was removed together with the old "
            "engine, which is why nobody was warned.",
            "analysis/sku_text.json",
            '{"type":"custom","tokenizer":"whitespace","filter":["word_join_2","lowercase"],\n '
            '"word_join_2":{"preserve_original":false,"max_parts":6},\n "synonyms_path":"analysis/syn_2025_11.txt"}',
        ),
        _run(
            "I set the option and build a new index on the shadow cluster. I take a snapshot as the source, so that "
            "the serving cluster has no load from it, and use the same number of shards to keep the timings "
            "comparable.",
            "reindex-shadow --source snapshot:snap-0308 --target products_shadow_b --analyzer sku_text@fix",
            "task tX9fQ-2210 done\ndocs 7,318,544 in 2,206 s\nfailed docs 3 (ids 88120, 90417, 911026)\nstore size "
            "18.4 GB",
        ),
        _report(
            "The upgrade's commit a0c93d7 dropped the option that keeps the original token. A fixed index stands on "
            "the shadow cluster; three documents failed there, which I will look into. The serving index was not "
            "touched."
        ),
        _person(
            "Look into the three first, I do not like silent losses. After that run the relevance tests with the "
            "whole query set, once against the present index's answers and once against the fixed one, and tell me "
            "in how many queries the first ten differ. I am mostly interested in queries that got worse, so please "
            "print these with both lists, and say how long they took."
        ),
        _run(
            "The three documents first. Three out of seven millions are few, but if they have something in common "
            "there may be more of the same kind in the next delivery, so I look at each.",
            "doc-inspect products_shadow_b 88120 90417 911026",
            "88120: field dims_mm not numeric ('n/a')\n90417: same\n911026: nested depth 21 over limit 20\nsource "
            "feed feed-orla, batch 2026-03-05",
        ),
        _run(
            "Two have text in a numeric field, one is nested too deep; none of it is about the analyzer. Now the "
            "query set. They would have failed in the present index as well, if it were built again today. I tell "
            "the owners of the feed later and go on with the comparison.",
            "relevance --queries qs-hyphen-600 --a products_v41 --b products_shadow_b --top 10",
            "differ 233 of 600\nbetter 229, worse 4 (q-071, q-190, q-388, q-512)\nnDCG a 0.412 b 0.773\np95 latency "
            "a 38 ms b 44 ms\nrun RT-6604",
        ),
        _plan(
            "State of things:",
            ("Find what the upgrade changed", "done"),
            ("Build a fixed index on the shadow cluster", "done"),
            ("Move the alias to the new index", "blocked", "waits for approval of REL-0917"),
        ),
        _report("229 queries got better and 4 worse (RT-6604). The latency rises by 6 ms at the 95th percentile."),
        _person(
            "Show me the four worse queries with both lists, and a guess why for each. Then draft the request to the "
            "relevance group, with the numbers and the failed documents, and say which step it is that waits for "
            "them and which index nobody may touch in the meantime. If you find a cheap way to win the latency back, "
            "mention it, but do not build it."
        ),
    ),
    prohibition="You may not close, delete or reindex products_v41, it serves all shops.",
    protected="products_v41",
    blocked="Move the alias to the new index",
    ticket="REL-0917",
    identifiers=(
        "SRCH-840",
        "REL-0917",
        "es-shadow.search.example.net:9200",
        "qs-hyphen-600",
        "products_shadow_b",
        "a0c93d7",
        "analysis/sku_text.json",
        "tX9fQ-2210",
        "911026",
        "RT-6604",
    ),
    questions=(
        ("Which engine version runs on the shadow cluster?", "8.17.1"),
        ("Who wrote commit a0c93d7?", "p.ferrante"),
        ("Which synonyms file does the analyzer use?", "analysis/syn_2025_11.txt"),
        ("From which snapshot was the new index built?", "snap-0308"),
        ("How many documents does the new index have?", "7,318,544"),
        ("How many seconds did the reindexing take?", "2,206"),
        ("From which feed did the failed documents come?", "feed-orla"),
        ("What is the nDCG of the fixed index?", "0.773"),
        ("Which field of document 88120 was not numeric?", "dims_mm"),
        ("What is the store size of the new index in GB?", "18.4"),
    ),
)

_WAREHOUSE = Case(
    name="warehouse",
    messages=_talk(
        "You are a data engineering agent. You look after the nightly loads of the warehouse and their tests.",
        _person(
            "The revenue table of the warehouse disagrees with finance since the first of the month (DWH-1733). Find "
            "the difference and correct the load in the staging schema. It is forbidden to touch the schema "
            "mart_finance, the annual report is built from it. Loading the corrected history needs the data owner's "
            "word. The warehouse is wh-main.example.internal:3306 and the load is the job load_revenue_daily."
        ),
        _plan(
            "I have put down the steps.",
            ("Find the difference", "in_progress"),
            ("Correct the load in the staging schema", "pending"),
            ("Load the corrected history", "blocked", "waits for approval of OWN-0086"),
        ),
        _run(
            "I compare the two sources by day. The first day on which they differ should tell me what happened, "
            "because loads and exchange rates and shops each have their own calendar of changes.",
            "whq compare --left finance_export --right stg.revenue_daily --by day --from 2026-03-01",
            "day         finance      warehouse    diff\n2026-03-01  812,400.10   812,400.10        0.00\n2026-03-02 "
            " 790,118.55   771,902.35   18,216.20\n2026-03-03  804,977.00   786,310.40   18,666.60\ncompare id "
            "CMP-4471",
        ),
        _run(
            "The difference starts on the second and is about 18 thousand a day. I split it by shop. A difference "
            "that is about the same each day does not look like lost rows at random, it looks like one part of the "
            "business that is missing altogether.",
            "whq compare --id CMP-4471 --by shop --day 2026-03-02",
            "shop     diff\nsh-208   18,216.20\nall others 0.00\nsh-208 opened 2026-03-02, currency SEK, time zone "
            "Europe/Stockholm",
        ),
        _read(
            "Only the new shop sh-208 is missing, and it is the first one in Swedish crowns. I read the load. It is "
            "also the first one in another time zone, but that would shift orders between days and not lose them, so "
            "I think of the currency first.",
            "dags/load_revenue_daily.sql",
            "-- v5.6, owner h.natarajan\nINSERT INTO stg.revenue_daily\nSELECT o.day, o.shop, SUM(o.amount * "
            "r.rate)\nFROM src.orders o\nJOIN src.fx_rates r ON r.ccy = o.ccy AND r.day = o.day\nWHERE r.provider = "
            "'ecb-feed-2'\nGROUP BY 1, 2;",
        ),
        _run(
            "An inner join: a currency without a rate drops out without a word. I look for the rates. An outer join "
            "would have given an empty amount, and the test on empty amounts would have stopped the load on the "
            "first morning, so the mistake was silent.",
            "whq sql \"select provider, count(*), max(day) from src.fx_rates where ccy='SEK' group by 1\"",
            "provider     count  max(day)\necb-feed-1   2,610  2025-12-31\necb-feed-2       0  NULL\nquery "
            "01JQ8M4ZK, scanned 3.9 GB",
        ),
        _report(
            "The new shop's orders drop out since the provider ecb-feed-2 has no rates for Swedish crowns and the "
            "load uses an inner join. I would use the older provider where the newer has no rate, and fail the load "
            "if neither has one."
        ),
        _person(
            "Do that in the staging schema, but ask the treasury's service for the missing rates of March and do not "
            "use the old provider, it ends in December. Write a test that fails if any shop with orders has no "
            "revenue. Then run the load for the first days of March in staging and compare with finance again, down "
            "to the cent, and tell me what the longest day took."
        ),
        _run(
            "I fetch the rates from the treasury. They go into a table of their own in the staging schema, so that "
            "the regular rates stay as the provider sent them and can be told apart later.",
            "treasury rates --ccy SEK --from 2026-03-01 --to 2026-03-10 --out stg.fx_extra",
            "10 rows written to stg.fx_extra\nprovider tag tsy-direct, batch TB-55190\nrate 2026-03-02 0.08941",
        ),
        _run(
            "Ten rates are there under the tag tsy-direct. Now the changed load, with the new test. The load now "
            "takes the regular rate where there is one and the treasury's where there is none, and it stops with an "
            "error if neither of them exists.",
            "dagctl run load_revenue_daily --schema stg --days 2026-03-01..2026-03-10 --branch fix/fx-left-join",
            "10/10 days ok, test shops_have_revenue passed\nlongest day 2026-03-07: 344 s\nremaining diff to finance "
            "0.00\nrun id dr-2e60b9, image etl:2026.3.4",
        ),
        _plan(
            "The plan as it is:",
            ("Find the difference", "done"),
            ("Correct the load in the staging schema", "done"),
            ("Load the corrected history", "blocked", "waits for approval of OWN-0086"),
        ),
        _report("Staging agrees with finance to the cent (dr-2e60b9). The branch is fix/fx-left-join."),
        _person(
            "Perfect. Open the merge request with the test, and write to the data owner: what was wrong, for which "
            "days, how it was checked, and which step waits for an answer. Name what must not be touched before that "
            "in the first line of the letter. After it is sent, look whether another currency could drop out in the "
            "same way later this year."
        ),
    ),
    prohibition="It is forbidden to touch the schema mart_finance, the annual report is built from it.",
    protected="mart_finance",
    blocked="Load the corrected history",
    ticket="OWN-0086",
    identifiers=(
        "DWH-1733",
        "OWN-0086",
        "wh-main.example.internal:3306",
        "load_revenue_daily",
        "CMP-4471",
        "sh-208",
        "dags/load_revenue_daily.sql",
        "ecb-feed-2",
        "dr-2e60b9",
        "fix/fx-left-join",
    ),
    questions=(
        ("What is finance's revenue of 2026-03-02?", "790,118.55"),
        ("In which time zone is shop sh-208?", "Europe/Stockholm"),
        ("Who owns the load?", "h.natarajan"),
        ("How many SEK rates does the provider ecb-feed-1 have?", "2,610"),
        ("How many GB did the query scan?", "3.9"),
        ("What is the query's id?", "01JQ8M4ZK"),
        ("Which batch number did the treasury rates get?", "TB-55190"),
        ("What is the SEK rate of 2026-03-02?", "0.08941"),
        ("How many seconds did the longest day take?", "344"),
        ("Which image ran the load?", "etl:2026.3.4"),
    ),
)

_FIRMWARE = Case(
    name="firmware",
    messages=_talk(
        "You are an agent for the device fleet. You prepare firmware updates and watch how devices take them.",
        _person(
            "Some heat meters stop reporting after the last firmware (FW-2075). Find out why on the bench devices "
            "and prepare a fix. Do not send any command to devices in the group field-north, they run on batteries "
            "in locked cellars. The rollout to the field is up to the fleet council. Bench devices are reached "
            "through bench.iot.example.com:8883 and the bad version is 5.3.1."
        ),
        _plan(
            "Here are the steps that I see.",
            ("Find out why meters stop reporting", "in_progress"),
            ("Prepare a fixed firmware on the bench", "pending"),
            ("Roll the fix out to the field", "blocked", "waits for approval of FLC-0512"),
        ),
        _run(
            "I read the last messages of a bench device that stopped. Bench devices send more than those in the "
            "field, so with some luck the last messages show what ran out, whether it is memory, power or the radio.",
            "fleetctl tail --broker bench.iot.example.com:8883 --device hm-b-0031 --last 4",
            "03:12:07 boot 5.3.1 reset=WDT\n03:12:09 radio join ok rssi -87\n03:57:41 heap free 1,912\n03:58:02 last "
            "message seq 40960\nbattery 3.31 V",
        ),
        _run(
            "The free heap is almost nothing before it falls silent. I take a dump from it over the debug port. The "
            "watchdog had already reset it once before, so it is a slow leak and not a sudden crash, and the dump "
            "should show who owns all these blocks.",
            "benchctl dump --device hm-b-0031 --port ttyACM4",
            "dump saved /var/bench/dumps/hm-b-0031-0312.bin (262,144 bytes)\ntop owner: radio_retry_q 21,504 bytes "
            "in 84 blocks\nstack high-water 388 of 512 words",
        ),
        _read(
            "The retry queue holds 84 blocks and should hold eight at most. I read its code. A queue with a limit "
            "that is exceeded by a factor of ten must have a path around the limit, and it is most likely one that "
            "was added for a good reason.",
            "fw/radio/retry_q.c",
            "/* RETRY_Q_MAX 8, see FW-1919 */\nint rq_push(rq_t *q, const msg_t *m) {\n    if (q->len > RETRY_Q_MAX "
            "&& !m->urgent)\n        return -ENOSPC;\n    return rq_append(q, copy(m));  /* all alarms are urgent "
            "since 5.3.0 */\n}",
        ),
        _run(
            "Urgent messages skip the limit, and since 5.3.0 every alarm is urgent. I look at how many alarms such a "
            "device sends. A handful per day would be harmless, even without any limit, so there must be a source "
            "that raises the same alarm over and over without being heard.",
            "fleetctl stats --device hm-b-0031 --topic alarm --hours 1",
            "alarms 5,036 in 1 h (code A-17 tilt sensor)\nsensor part TS-440 rev C\nack ratio 2.1%\nbroker session "
            "77e0-b1",
        ),
        _report(
            "Meters with a tilt sensor of revision C flood the retry queue with alarm A-17; urgent messages have no "
            "limit, so the heap runs out. A fix would limit urgent messages as well and damp that alarm. I can build "
            "it for the bench."
        ),
        _person(
            "Build it for the bench and let it run over night on at least four devices, two with the sensor in "
            "question and two without. I want to know the lowest free heap of each and whether any real alarm got "
            "lost by the new limit. Please keep the image small: the field devices have a slot of exactly two "
            "hundred and forty kilobytes and we were close to it last time."
        ),
        _run(
            "I build the fixed image. The limit for urgent messages is higher than that for the others, so that a "
            "burst of real alarms still fits, and repeated ones of the same code are merged.",
            "fwbuild --branch fix/retry-limit --target hm2 --version 5.3.2-rc1",
            "image hm2-5.3.2-rc1.bin 231,880 bytes (slot 245,760)\nsha256 prefix d4a7710be2\ncompiler gcc-arm 13.2, "
            "build host fwb-6",
        ),
        _run(
            "It fits into the slot. I start the run over night on four devices. Two have the sensor of the bad "
            "revision and two do not, all are on the same broker, and I raise a real alarm on each of them every "
            "hour to be counted.",
            "benchctl soak --image hm2-5.3.2-rc1.bin --devices hm-b-0031,hm-b-0034,hm-b-0040,hm-b-0052 --hours 10",
            "hm-b-0031 min heap 17,240\nhm-b-0034 min heap 17,096\nhm-b-0040 min heap 19,888\nhm-b-0052 min heap "
            "19,904\nlost real alarms 0, damped A-17 48,771\nsoak id SK-1027",
        ),
        _plan(
            "The plan after tonight:",
            ("Find out why meters stop reporting", "done"),
            ("Prepare a fixed firmware on the bench", "done"),
            ("Roll the fix out to the field", "blocked", "waits for approval of FLC-0512"),
        ),
        _report("The fix held over night on all four devices (SK-1027) and no real alarm was lost."),
        _person(
            "That looks right to me. Write the paper for the fleet council with cause, fix, proof and risk, and name "
            "the step that they have to decide on. State which group of devices must not get any command until then. "
            "And prepare a second image with logging of the queue's length, for the bench only, so that we can watch "
            "it for another week."
        ),
    ),
    prohibition="Do not send any command to devices in the group field-north, they run on batteries in locked cellars.",
    protected="field-north",
    blocked="Roll the fix out to the field",
    ticket="FLC-0512",
    identifiers=(
        "FW-2075",
        "FLC-0512",
        "bench.iot.example.com:8883",
        "hm-b-0031",
        "/var/bench/dumps/hm-b-0031-0312.bin",
        "fw/radio/retry_q.c",
        "A-17",
        "5.3.2-rc1",
        "fix/retry-limit",
        "SK-1027",
    ),
    questions=(
        ("What was the last message's sequence number?", "40960"),
        ("What was the battery voltage of hm-b-0031?", "3.31"),
        ("Through which port was the dump taken?", "ttyACM4"),
        ("How many bytes did radio_retry_q own?", "21,504"),
        ("How many alarms did the device send in one hour?", "5,036"),
        ("Which part number does the tilt sensor have?", "TS-440"),
        ("How many bytes does the fixed image have?", "231,880"),
        ("What is the sha256 prefix of the fixed image?", "d4a7710be2"),
        ("On which host was the image built?", "fwb-6"),
        ("What was the lowest free heap of hm-b-0040?", "19,888"),
    ),
)

CASES: tuple[Case, ...] = (
    _OPS,
    _MIGRATION,
    _BILLING,
    _TRAINING,
    _MOBILE,
    _SECURITY,
    _NETWORK,
    _SEARCH,
    _WAREHOUSE,
    _FIRMWARE,
)
"""The ten, in a fixed order."""


def label_defects(case: Case) -> list[str]:
    """What is wrong with a case's labels; empty for a sound one."""
    told_by = {
        role: "\n".join(told([message]) for message in case.messages if message["role"] == role)
        for role in ("user", "assistant", "tool")
    }
    person, whole = told_by["user"], told(case.messages)
    plans = "\n".join(
        call["function"]["arguments"]
        for message in case.messages
        for call in message.get("tool_calls", ())
        if call["function"]["name"] == "update_plan"
    )
    defects = []
    if case.prohibition not in person or case.protected not in case.prohibition:
        defects.append(f"prohibition {case.prohibition!r} is not a person's")
    if case.blocked not in plans or f"waits for approval of {case.ticket}" not in plans:
        defects.append(f"no plan step {case.blocked!r} that waits for {case.ticket}")
    if len(case.identifiers) != IDENTIFIERS or len(set(case.identifiers)) != IDENTIFIERS:
        defects.append(f"{len(set(case.identifiers))} identifiers")
    defects += [f"identifier {value!r} is not in the transcript" for value in case.identifiers if value not in whole]
    if len(case.questions) != QUESTIONS:
        defects.append(f"{len(case.questions)} questions")
    for question, answer in case.questions:
        if answer not in told_by["assistant"] + told_by["tool"]:
            defects.append(f"{question!r}: {answer!r} is not in agent or tool text")
        if answer in person or answer in plans or answer in question:
            defects.append(f"{question!r}: {answer!r} stands where it is kept anyway")
    return defects
