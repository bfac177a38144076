"""Values of a walk."""

from __future__ import annotations

from ascendopt.analysis.facts.runtime import ArrayRef, struct_table
from ascendopt.analysis.values import number


def test_a_copied_struct_has_arrays_of_its_own() -> None:
    made = struct_table().make("MrgSort4Info")
    assert made is not None
    ours = made.fields["elementLengths"] = ArrayRef({"0": number(32)}, None, "elementLengths")
    theirs = made.copy().fields["elementLengths"]
    assert isinstance(theirs, ArrayRef)
    assert theirs.items["0"] == number(32)
    theirs.items["0"] = number(64)
    assert ours.items["0"] == number(32)
