"""Which errors are the user's, and the one sentence that each becomes."""

from __future__ import annotations

from pathlib import Path


def user_message(error: Exception) -> str | None:
    """One sentence for an error that the user can act on; None for anything else.

    Typer's own usage errors are known by their shape: the library they come from depends on typer's version.
    """
    if type(error).__name__ == "Abort":
        return "cancelled"
    format_message = getattr(error, "format_message", None)
    if callable(format_message) and hasattr(error, "exit_code"):
        return str(format_message()).strip()
    if _is_ours(error):
        return str(error)
    if isinstance(error, OSError) and error.filename is not None:
        return f"{Path(str(error.filename))}: {error.strerror}."
    return None


def _is_ours(error: Exception) -> bool:
    from ascendopt.analysis.baseline import BaselineError
    from ascendopt.analysis.chips import UnknownChip
    from ascendopt.analysis.config import ConfigError
    from ascendopt.analysis.operators import NotAnOperator
    from ascendopt.analysis.rules.registry import UnknownRule
    from ascendopt.bank.errors import BankError
    from ascendopt.cli.main import UserError
    from ascendopt.harness.devices.base import DeviceFailure
    from ascendopt.harness.episode import EpisodeError
    from ascendopt.harness.executors.base import ExecutorError
    from ascendopt.harness.gates.evaluator import ReferenceFailure
    from ascendopt.harness.journal.events import JournalError
    from ascendopt.harness.llm.settings import ModelSettingsError
    from ascendopt.harness.op_summary import OpSummaryError
    from ascendopt.harness.operator_copy import OperatorError
    from ascendopt.harness.search.tunables import TunableError
    from ascendopt.harness.target import TargetError
    from ascendopt.harness.workload_file import WorkloadFileError

    ours = (UserError, OperatorError, TargetError, WorkloadFileError, JournalError, OpSummaryError, ExecutorError)
    late = (ModelSettingsError, EpisodeError, TunableError, ReferenceFailure, DeviceFailure)
    analysis = (UnknownChip, UnknownRule, NotAnOperator, ConfigError, BaselineError)
    return isinstance(error, (*ours, *late, *analysis, BankError))
