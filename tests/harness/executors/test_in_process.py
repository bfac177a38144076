"""Evaluation in this process."""

from __future__ import annotations

import pytest
from harness.executors.conformance import ExecutorConformance, gates, setup

from ascendopt.harness.executors.base import ExecutorFactory
from ascendopt.harness.executors.here import InProcess

__all__ = ["gates", "setup"]


class TestInProcess(ExecutorConformance):
    @pytest.fixture
    def make(self) -> ExecutorFactory:
        return InProcess
