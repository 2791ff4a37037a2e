"""Failures inside the shipped contract suite explain themselves like those of a test module."""

import pytest

pytest.register_assert_rewrite("cenotaph.testing.store_contract")
