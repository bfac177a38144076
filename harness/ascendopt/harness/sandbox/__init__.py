"""Processes with limits, for everything that runs or reads untrusted text: compilers, references."""

from ascendopt.harness.sandbox.levels import SandboxLevel, probe_level
from ascendopt.harness.sandbox.limited import Completed, Limits, run_limited

__all__ = ["Completed", "Limits", "SandboxLevel", "probe_level", "run_limited"]
