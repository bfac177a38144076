"""Workloads and numpy references of well-known public operators, and workloads made up for unknown ones."""

from ascendopt.harness.workloads.catalogue import find_workload, known_operators
from ascendopt.harness.workloads.infer import UnsupportedOperatorError, infer_workload

__all__ = ["UnsupportedOperatorError", "find_workload", "infer_workload", "known_operators"]
