"""Operators of a kind: ``WORKLOADS`` maps OpDef types to workloads whose references are functions of the module."""
