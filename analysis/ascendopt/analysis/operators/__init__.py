"""Operators on disk: discovery, definition, entries, tiling structs."""

from ascendopt.analysis.operators.architectures import entries_for, structs_for
from ascendopt.analysis.operators.discover import discover, find_operators, parse_entries
from ascendopt.analysis.operators.files import ParsedFiles
from ascendopt.analysis.operators.model import (
    Attr,
    Entry,
    Layout,
    NotAnOperator,
    OpDef,
    Operator,
    Port,
    TilingField,
    TilingStruct,
)
from ascendopt.analysis.operators.names import canonical_type, same_operator, to_snake, type_bytes

__all__ = [
    "Attr",
    "Entry",
    "Layout",
    "NotAnOperator",
    "OpDef",
    "Operator",
    "ParsedFiles",
    "Port",
    "TilingField",
    "TilingStruct",
    "canonical_type",
    "discover",
    "entries_for",
    "find_operators",
    "parse_entries",
    "same_operator",
    "structs_for",
    "to_snake",
    "type_bytes",
]
