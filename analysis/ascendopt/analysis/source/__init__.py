"""Source text: bytes, lines, masked tree, incremental edits. Byte positions; UTF-16 only for LSP callers."""

from ascendopt.analysis.source.conditionals import chip_macros
from ascendopt.analysis.source.detect import is_ascendc, is_host_source, is_kernel_source
from ascendopt.analysis.source.lines import LineTable
from ascendopt.analysis.source.register_code import is_register_code, register_code
from ascendopt.analysis.source.source_file import SourceFile

__all__ = [
    "LineTable",
    "SourceFile",
    "chip_macros",
    "is_ascendc",
    "is_host_source",
    "is_kernel_source",
    "is_register_code",
    "register_code",
]
