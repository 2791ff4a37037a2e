"""Spans and counts for OpenTelemetry: one per operation, with sizes and outcomes, never with a word of a transcript."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from cenotaph import BudgetExhausted, IrreversibleCompactionError, Session, audit, compact, rehydrate
from cenotaph.runtime import telemetry

pytest.importorskip("opentelemetry.sdk")

SECRET = "Never restart pump-7781."
LOG = "\n".join(f"12:00:{i % 60:02} pump-7781 pressure {i}" for i in range(600))


def history() -> list[dict[str, Any]]:
    call = {"id": "c1", "type": "function", "function": {"name": "read_file", "arguments": '{"path": "pump.log"}'}}
    return [
        {"role": "user", "content": SECRET},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": LOG},
        {"role": "assistant", "content": "Read."},
        {"role": "user", "content": "Go on."},
    ]


class Seen:
    """What was exported."""

    def __init__(self, spans: Any, reader: Any) -> None:
        self._spans, self._reader = spans, reader

    def spans(self) -> list[tuple[str, dict[str, Any]]]:
        return [(span.name, dict(span.attributes)) for span in self._spans.get_finished_spans()]

    def counts(self, name: str) -> dict[tuple[Any, ...], float]:
        data = self._reader.get_metrics_data()
        metrics = [] if data is None else [m for r in data.resource_metrics for s in r.scope_metrics for m in s.metrics]
        return {
            tuple(sorted(point.attributes.items())): point.value
            for metric in metrics
            if metric.name == name
            for point in metric.data.data_points
        }


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> Iterator[Seen]:
    from opentelemetry import metrics, trace
    from opentelemetry.sdk.metrics import MeterProvider
    from opentelemetry.sdk.metrics.export import InMemoryMetricReader
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    spans, reader = InMemorySpanExporter(), InMemoryMetricReader()
    tracing, metering = TracerProvider(), MeterProvider([reader])
    tracing.add_span_processor(SimpleSpanProcessor(spans))
    monkeypatch.setattr(trace, "get_tracer", tracing.get_tracer)
    monkeypatch.setattr(metrics, "get_meter", metering.get_meter)
    telemetry._counter.cache_clear()
    yield Seen(spans, reader)
    telemetry._counter.cache_clear()


def test_a_cut_is_a_span_and_a_count(seen: Seen) -> None:
    result = compact(history(), to_tokens=500, tools=["generic"], store="memory://otel", session="s", model="gpt-4o")
    ((name, told),) = seen.spans()
    assert name == "cenotaph.compact"
    assert told["cenotaph.outcome"] == "cut"
    assert told["cenotaph.tokens.before"] == result.tokens_before
    assert told["cenotaph.tokens.after"] == result.tokens_after
    assert (told["cenotaph.session"], told["cenotaph.way_in"]) == ("s", "python")
    way = ("cenotaph.way_in", "python")
    assert seen.counts("cenotaph.compactions") == {(("cenotaph.outcome", "cut"), way): 1}
    removed = result.tokens_before - result.tokens_after
    assert seen.counts("cenotaph.tokens.removed") == {(way,): removed}


def test_a_halt_a_gap_and_what_was_found_are_told_apart(seen: Seen) -> None:
    with pytest.raises(BudgetExhausted):
        compact([{"role": "user", "content": SECRET * 400}] * 2, to_tokens=100, model="gpt-4o")
    compact(history(), to_tokens=500, tools=["generic"], store="memory://otel2", session="s", model="gpt-4o")
    rehydrate("file:pump.log", store="memory://otel2", session="s")
    with pytest.raises(IrreversibleCompactionError):
        rehydrate("file:other.log", store="memory://otel2", session="s")
    assert [told["cenotaph.outcome"] for _, told in seen.spans()] == ["halt", "cut", "found", "gap"]
    assert sum(seen.counts("cenotaph.rehydrations").values()) == 2


def test_an_audit_counts_its_findings(seen: Seen) -> None:
    report = audit(history(), "All is well.")
    assert report.findings
    ((name, told),) = seen.spans()
    assert (name, told["cenotaph.findings"]) == ("cenotaph.audit", len(report.findings))


def test_the_way_in_is_the_adapters(seen: Seen) -> None:
    session = Session("s", to_tokens=500, store="memory://otel3", tools=["generic"], model="gpt-4o")
    with telemetry.way_in("langchain"):
        session.view(history())
    session.view(history()[:1])
    assert [told["cenotaph.way_in"] for _, told in seen.spans()] == ["langchain", "python"]


def test_no_attribute_holds_a_word_of_the_transcript(seen: Seen) -> None:
    compact(history(), to_tokens=500, tools=["generic"], store="memory://otel4", session="s", model="gpt-4o")
    audit(history(), "All is well.")
    told = repr([seen.spans(), seen.counts("cenotaph.compactions"), seen.counts("cenotaph.audits")])
    assert "pump" not in told


def test_without_opentelemetry_nothing_of_it_is_loaded() -> None:
    code = (
        "import sys, cenotaph\n"
        "cenotaph.compact([{'role': 'user', 'content': 'hi'}], to_tokens=500, dialect='openai-chat', model='gpt-4o')\n"
        "assert not [name for name in sys.modules if name.startswith('opentelemetry')]\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
