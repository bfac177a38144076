"""What the sweep over examples reads from their build files."""

from __future__ import annotations

from pathlib import Path

import pytest

from .cmake import read_listing

LISTING = """
set(ARCH "dav-2201" CACHE STRING "architecture: dav-2201 dav-3510")
option(FRONT "front" OFF)
string(REGEX MATCH "([0-9]+)" NUMBER "${ARCH}")
if(FRONT)
  add_definitions(-DFRONT)
endif()
target_compile_definitions(demo PRIVATE ARCHITECTURE=${NUMBER})
"""


@pytest.mark.parametrize(
    ("given", "expected"),
    [({}, {"ARCHITECTURE": "2201"}), ({"ARCH": "dav-3510", "FRONT": "ON"}, {"ARCHITECTURE": "3510", "FRONT": "1"})],
)
def test_definitions_from_matched_text(tmp_path: Path, given: dict[str, str], expected: dict[str, str]) -> None:
    file = tmp_path / "CMakeLists.txt"
    file.write_text(LISTING)
    assert read_listing(file, given).definitions == expected
