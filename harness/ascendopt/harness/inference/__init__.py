"""Workloads for operators that nobody described: from their definition, their own examples and their host code."""

from ascendopt.harness.inference.examples import example_patterns
from ascendopt.harness.inference.infer import Inferred, UnsupportedOperatorError, infer_workload

__all__ = ["Inferred", "UnsupportedOperatorError", "example_patterns", "infer_workload"]
