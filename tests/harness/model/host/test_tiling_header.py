"""The generated header and the way back from bytes to values."""

from __future__ import annotations

import struct
import subprocess
from pathlib import Path
from typing import Any

import pytest

from ascendopt.harness.devices.model.tiling_header import (
    decode,
    generate_header,
    header_hash,
    parse_structs,
    struct_for,
)
from ascendopt.harness.devices.model.toolchain import NATIVE, Toolchain


def field(name: str, type_: str, offset: int, count: int | None = None, nested: str | None = None) -> dict[str, Any]:
    return {"name": name, "type": type_, "offset": offset, "count": count, "struct": nested}


DESCRIPTION: dict[str, Any] = {
    "structs": [
        {
            "op": "Thing",
            "key": None,
            "cls": "Outer",
            "size": 40,
            "fields": [
                field("flag", "bool", 0),
                field("n", "int64_t", 8),
                field("inner", "Inner", 16, nested="Inner"),
                field("list", "uint16_t", 32, count=2),
                field("f", "float", 36),
            ],
        },
        {
            "op": None,
            "key": None,
            "cls": "Inner",
            "size": 16,
            "fields": [field("a", "uint8_t", 0), field("b", "double", 8)],
        },
        {"op": "Thing", "key": 3, "cls": "Keyed", "size": 8, "fields": [field("k", "uint32_t", 0)]},
        {"op": "Other", "key": None, "cls": "Else", "size": 8, "fields": [field("e", "int8_t", 0)]},
    ]
}
STRUCTS = parse_structs(DESCRIPTION)


def test_decoding_gives_dotted_names_and_tuples() -> None:
    outer = struct_for(STRUCTS, "Thing", 1)
    assert outer is not None
    raw = struct.pack("<?7xqB7xd2Hf", True, -7, 255, 0.25, 1, 65535, 1.5)
    assert decode(raw, outer, STRUCTS) == {
        "flag": True,
        "n": -7,
        "inner.a": 255,
        "inner.b": 0.25,
        "list": (1, 65535),
        "f": 1.5,
    }


def test_too_few_bytes_are_refused() -> None:
    outer = struct_for(STRUCTS, "Thing", 1)
    assert outer is not None
    with pytest.raises(ValueError, match="39 bytes, Outer needs 40"):
        decode(bytes(39), outer, STRUCTS)


def test_the_struct_of_a_key_wins() -> None:
    chosen = [struct_for(STRUCTS, "Thing", key) for key in (3, 4)]
    assert [item.cls if item else None for item in chosen] == ["Keyed", "Outer"]
    assert struct_for(STRUCTS, "Nobody", 0) is None


def test_macros_are_those_of_the_operator() -> None:
    text = generate_header(STRUCTS, "Thing")
    macros = [line for line in text.splitlines() if line.startswith("#define")]
    assert macros == ["#define ASC_TILING_STRUCT Outer", "#define ASC_TILING_STRUCT_3 Keyed"]
    assert text.index("struct alignas(8) Inner") < text.index("struct alignas(8) Outer")
    assert header_hash(text) != header_hash(text.replace("uint16_t", "int16_t"))


@pytest.mark.device
@pytest.mark.timeout(300)
def test_the_compiler_agrees_with_the_layout(toolchain: Toolchain, tmp_path: Path) -> None:
    good = tmp_path / "good.cpp"
    good.write_text(generate_header(STRUCTS, "Thing") + "ASC_TILING_STRUCT t{}; ASC_TILING_STRUCT_3 k{};\n")
    command = [*toolchain.compiler.argv, "-std=c++17", "-fsyntax-only", f"-I{NATIVE / 'include' / 'kernel'}"]
    assert subprocess.run([*command, good], capture_output=True, timeout=120, check=False).returncode == 0
    bad = tmp_path / "bad.cpp"
    bad.write_text(good.read_text().replace(", n) == 8", ", n) == 4"))
    done = subprocess.run([*command, bad], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode != 0 and "tiling layout" in done.stderr
