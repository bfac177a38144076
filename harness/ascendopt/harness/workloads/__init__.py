"""Workloads and numpy references of well-known public operators."""

from ascendopt.harness.workloads.catalogue import find_workload, known_operators

__all__ = ["find_workload", "known_operators"]
