"""Equal edits have equal ids; other edits have others."""

from __future__ import annotations

import hashlib

from ascendopt.analysis.symptoms.model import SymptomKind
from ascendopt.bank.identity import motif_id
from ascendopt.bank.motif import Rewrite

TILE = SymptomKind.SMALL_TILE


def test_the_id_is_the_digest_that_its_docstring_describes() -> None:
    rewrite = Rewrite(operator="tile", parameters=(("b", "2"), ("a", "1")), before="f($x, $y)", after="g($y)")
    # By hand: symptom, operator, parameters by name, tokens with metavariables numbered as they appear.
    text = "\0".join(["small-tile", "tile", "a=1", "b=2", "f ( $0 , $1 )", "g ( $1 )"])
    assert motif_id(TILE, rewrite) == "m" + hashlib.sha256(text.encode()).hexdigest()[:16]


def test_layout_comments_and_names_of_metavariables_do_not_count() -> None:
    first = Rewrite(before="Div($a,$b,$n);", after="Muls($a,$b,$n);")
    second = Rewrite(before="Div( $dst, $src,\n  $count );  // slow", after="Muls($dst, $src, /* fast */ $count);")
    assert motif_id(TILE, first) == motif_id(TILE, second)


def test_which_metavariable_stands_where_counts() -> None:
    assert motif_id(TILE, Rewrite(before="Sub($a, $b)", after="f($a)")) != motif_id(
        TILE, Rewrite(before="Sub($a, $b)", after="f($b)")
    )


def test_symptom_parameters_and_patterns_count() -> None:
    base = Rewrite(operator="depth", parameters=(("to", "2"),))
    others = [
        Rewrite(operator="depth", parameters=(("to", "4"),)),
        Rewrite(operator="depths", parameters=(("to", "2"),)),
    ]
    ids = {motif_id(TILE, base), *(motif_id(TILE, other) for other in others), motif_id(SymptomKind.FEW_CORES, base)}
    assert len(ids) == 4


def test_a_diff_counts_only_where_there_is_nothing_else() -> None:
    diff = "--- a/x.cpp\n+++ b/x.cpp\n@@ -3,2 +3,2 @@\n int a;\n-f( 1 );\n+f(2);\n"
    moved = "--- a/y.cpp\n+++ b/y.cpp\n@@ -90,2 +80,2 @@\n int other;\n-f(1);\n+  f(2);\n"
    assert motif_id(TILE, Rewrite(diff=diff)) == motif_id(TILE, Rewrite(diff=moved))
    assert motif_id(TILE, Rewrite(diff=diff)) != motif_id(TILE, Rewrite(diff=diff.replace("f(2)", "f(3)")))
    assert motif_id(TILE, Rewrite(operator="x", diff=diff)) == motif_id(TILE, Rewrite(operator="x"))
