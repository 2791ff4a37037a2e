"""The tool by which an agent asks for what left, as each API wants it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from cenotaph import rehydrate_tool
from cenotaph.errors import ConfigurationError


def names_and_schemas(value: Any) -> list[tuple[str, Any]]:
    """Every (name, JSON schema) pair inside a definition, wherever its format puts them."""
    found = []
    if isinstance(value, dict):
        schemas = [
            v
            for k, v in value.items()
            if k in ("parameters", "input_schema", "inputSchema", "parametersJsonSchema", "parameters_json_schema")
        ]
        if isinstance(value.get("name"), str) and schemas:
            found.append((value["name"], schemas[0].get("json", schemas[0])))
        for child in value.values():
            found += names_and_schemas(child)
    elif isinstance(value, list):
        for child in value:
            found += names_and_schemas(child)
    return found


@pytest.mark.parametrize(
    "dialect",
    ["openai-chat", "openai-responses", "anthropic", "gemini", "bedrock-converse", "pydantic-ai", "langchain"],
)
def test_it_asks_for_one_handle_and_a_cursor(dialect: str) -> None:
    definition = rehydrate_tool(dialect, "recall")
    ((name, schema),) = names_and_schemas(definition)
    assert name == "recall"
    assert set(schema["properties"]) == {"what", "cursor"}
    assert schema["required"] == ["what"]
    assert json.loads(json.dumps(definition)) == definition


def test_a_format_that_is_none_is_refused_with_those_that_are() -> None:
    with pytest.raises(ConfigurationError, match="anthropic"):
        rehydrate_tool("claude-code")
