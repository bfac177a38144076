"""Names: CamelCase operator types, snake_case entries, dtype spellings, C types."""

from __future__ import annotations

import re

_BEFORE_WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")

GE_DTYPES = {
    "DT_FLOAT": "float32",
    "DT_FLOAT16": "float16",
    "DT_BF16": "bfloat16",
    "DT_DOUBLE": "float64",
    "DT_INT4": "int4",
    "DT_INT8": "int8",
    "DT_INT16": "int16",
    "DT_INT32": "int32",
    "DT_INT64": "int64",
    "DT_UINT1": "uint1",
    "DT_UINT8": "uint8",
    "DT_UINT16": "uint16",
    "DT_UINT32": "uint32",
    "DT_UINT64": "uint64",
    "DT_BOOL": "bool",
    "DT_COMPLEX32": "complex32",
    "DT_COMPLEX64": "complex64",
    "DT_COMPLEX128": "complex128",
}
KERNEL_TYPES = {
    "float32": "float",
    "float16": "half",
    "bfloat16": "bfloat16_t",
    "float64": "double",
    "int4": "int4b_t",
    "int8": "int8_t",
    "int16": "int16_t",
    "int32": "int32_t",
    "int64": "int64_t",
    "uint8": "uint8_t",
    "uint16": "uint16_t",
    "uint32": "uint32_t",
    "uint64": "uint64_t",
    "bool": "bool",
    "complex32": "complex32",
    "complex64": "complex64",
}
UNSIGNED = ("uint8_t", "uint16_t", "uint32_t", "uint64_t", "size_t", "bool")
TYPE_BYTES = {
    "bool": 1,
    "char": 1,
    "int8_t": 1,
    "uint8_t": 1,
    "short": 2,
    "int16_t": 2,
    "uint16_t": 2,
    "half": 2,
    "bfloat16_t": 2,
    "int": 4,
    "unsigned": 4,
    "int32_t": 4,
    "uint32_t": 4,
    "float": 4,
    "long": 8,
    "int64_t": 8,
    "uint64_t": 8,
    "size_t": 8,
    "double": 8,
    "complex32": 4,
    "complex64": 8,
}
TYPE_ALIASES = {
    "float16_t": "half",
    "float32_t": "float",
    "__fp16": "half",
    "__bf16": "bfloat16_t",
    "unsigned int": "uint32_t",
    "unsigned char": "uint8_t",
    "unsigned short": "uint16_t",
    "unsigned long": "uint64_t",
    "unsigned long long": "uint64_t",
    "long long": "int64_t",
    "signed char": "int8_t",
    "int": "int32_t",
    "unsigned": "uint32_t",
    "short": "int16_t",
    "long": "int64_t",
    "size_t": "uint64_t",
}


def whole_word(text: str) -> str:
    """Pattern of ``text`` as a whole word. It starts with the text itself, for which `re` searches far faster than
    for a boundary: these patterns run over whole files at every keystroke."""
    return rf"{text}(?<!\w{text})\b"


def to_snake(name: str) -> str:
    """``AddCustom`` -> ``add_custom``; digits stay with the word before them."""
    return _BEFORE_WORD.sub("_", name).lower()


def same_operator(camel: str, snake: str) -> bool:
    """True when the type and the entry name one operator (``AvgPool3D`` and ``avg_pool3_d``)."""
    return camel.replace("_", "").lower() == snake.replace("_", "").lower()


def canonical_type(text: str) -> str:
    """One spelling per C type: no qualifiers or namespaces, ``float16_t`` -> ``half``, ``int`` ->
    ``int32_t``."""
    words = [word for word in text.replace("&", " ").split() if word not in ("const", "volatile", "typename")]
    plain = " ".join(words).removeprefix("AscendC::").removeprefix("std::")
    return TYPE_ALIASES.get(plain, plain)


def type_bytes(name: str) -> int | None:
    """``sizeof`` of a canonical type, or None for one that is not known (a struct, a free template
    parameter)."""
    return TYPE_BYTES.get(name)
