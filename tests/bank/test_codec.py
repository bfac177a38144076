"""Motifs through JSON and back, and everything that must not come in."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from bank.bank_samples import evidence, sample, varied
from hypothesis import given
from hypothesis import strategies as st

from ascendopt.analysis.symptoms.model import SymptomKind
from ascendopt.bank.codec import checked, decode, encode, motif_from_json, motif_to_json
from ascendopt.bank.errors import BankError
from ascendopt.bank.identity import identified
from ascendopt.bank.motif import Conditions, Evidence, Motif, Provenance, Rewrite, Status

FULL = identified(
    Motif(
        id="",
        title="Cast<half> in place",
        description="Two\nlines, 中文 and a <b> b.".replace("<b>", "< b >"),
        symptom=SymptomKind.EXTRA_COPY,
        pipe="vector",
        conditions=Conditions(("Ascend910B",), ("float16", "float"), ("loop",), ("tail",)),
        rewrite=Rewrite("in-place", (("a", "1"), ("b", "x")), "f($x);\n\tg($x);", "g($x);", "-f<div>(x);\n+g(x);\n"),
        evidence=(Evidence("model", True, "Ascend910B2", ("large", "tail"), 12.5, 10.0, (1.2, 1.3), 3, 1),),
        provenance=Provenance("samples/toy", "op_kernel/toy.cpp", "Apache-2.0", "2026-11-29", "0.1.0"),
        status=Status.REVIEWED,
        quarantine_reason="",
        tags=("one", "two"),
    )
)
SHORT = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zl", "Zp", "Cf"), exclude_characters="<"), max_size=30
)


def test_a_motif_comes_back_equal() -> None:
    for motif in [FULL, *varied()]:
        assert decode(encode(motif), "here") == motif


@given(
    title=SHORT.filter(lambda text: bool(text.strip()) and "javascript" not in text.lower()),
    tags=st.lists(SHORT, max_size=3),
    held=st.integers(0, 10**9),
)
def test_whatever_is_plain_text_comes_back_equal(title: str, tags: list[str], held: int) -> None:
    tags = [tag for tag in tags if "javascript" not in tag.lower()]
    motif = replace(FULL, title=title, tags=tuple(tags), evidence=(replace(FULL.evidence[0], held=held),))
    assert decode(encode(motif), "here") == motif


def test_the_json_is_the_schema() -> None:
    value = json.loads(encode(FULL))
    assert value["symptom"] == "extra-copy" and value["status"] == "reviewed"
    assert value["rewrite"]["parameters"] == {"a": "1", "b": "x"}
    assert value["evidence"][0]["interval"] == [1.2, 1.3]
    assert list(value) == sorted(value)


def test_what_is_optional_may_be_missing() -> None:
    value = motif_to_json(sample(SymptomKind.SMALL_TILE, "t", "a", "b"))
    for name in ("description", "conditions", "evidence", "status", "quarantine_reason", "tags", "pipe"):
        del value[name]
    assert motif_from_json(value, "here").status is Status.CANDIDATE


Change = Callable[[dict[str, Any]], object]
HOSTILE: dict[str, tuple[Change, str]] = {
    "title is a number": (lambda v: v.update(title=7), "field 'title' must be text, not a number"),
    "title is null": (lambda v: v.update(title=None), "field 'title' must be text, not null"),
    "no title": (lambda v: v.pop("title"), "field 'title' is missing"),
    "blank title": (lambda v: v.update(title="  "), "field 'title' is empty"),
    "terminal escape": (lambda v: v.update(title="a\x1b[31mb"), r"field 'title' has the control character '\x1b'"),
    "8-bit escape": (lambda v: v.update(title="a\x9b31mb"), r"field 'title' has the control character '\x9b'"),
    "two lines in a title": (lambda v: v.update(title="a\nb"), r"field 'title' has the control character '\n'"),
    "writing turned around": (
        lambda v: v.update(title="a\u202eb"),
        r"field 'title' has the control character '\u202e'",
    ),
    "half a surrogate": (lambda v: v.update(title="a\ud800b"), r"field 'title' has the control character '\ud800'"),
    "script": (lambda v: v.update(title="x<script>alert(1)</script>"), "field 'title' holds HTML: '<script>"),
    "image": (lambda v: v.update(title="a <img src=x onerror=f()>"), "field 'title' holds HTML: '<img"),
    "unknown element": (lambda v: v.update(title="a <x-y onclick=f>"), "field 'title' holds HTML: '<x-y"),
    "link": (lambda v: v.update(tags=["javascript:alert(1)"]), "field 'tags' holds HTML"),
    "HTML in the description": (lambda v: v.update(description="a\n<IMG SRC=x>"), "field 'description' holds HTML"),
    "escape in the diff": (lambda v: v["rewrite"].update(diff="\x1b]0;x\x07"), "rewrite, field 'diff' has the control"),
    "huge title": (lambda v: v.update(title="x" * 201), "field 'title' has 201 characters; at most 200 are allowed"),
    "huge diff": (lambda v: v["rewrite"].update(diff="x" * 256_001), "rewrite, field 'diff' has 256001 characters"),
    "many tags": (lambda v: v.update(tags=["t"] * 65), "field 'tags' has 65 entries; at most 64 are allowed"),
    "tags are text": (lambda v: v.update(tags="abc"), "field 'tags' must be a list, not text"),
    "unknown field": (lambda v: v.update(extra=1), "has the unknown field 'extra'"),
    "unknown field inside": (lambda v: v["provenance"].update(x=1), "provenance has the unknown field 'x'"),
    "unknown symptom": (lambda v: v.update(symptom="slow"), "field 'symptom' must be one of single-buffer,"),
    "symptom is a list": (lambda v: v.update(symptom=["small-tile"]), "field 'symptom' must be one of"),
    "unknown status": (lambda v: v.update(status="good"), "field 'status' must be one of candidate, reviewed,"),
    "rewrite is text": (lambda v: v.update(rewrite="x"), "rewrite must be an object, not text"),
    "parameter is a number": (lambda v: v["rewrite"].update(parameters={"a": 1}), "field 'parameters' must be text"),
    "time is text": (lambda v: v["evidence"][0].update(before_us="9"), "field 'before_us' must be a number, not text"),
    "time is true": (lambda v: v["evidence"][0].update(before_us=True), "field 'before_us' must be a number, not true"),
    "time is zero": (lambda v: v["evidence"][0].update(after_us=0), "field 'after_us' must be a number above 0, not 0"),
    "time is infinite": (lambda v: v["evidence"][0].update(after_us=float("inf")), "must be a number above 0, not inf"),
    "time is NaN": (lambda v: v["evidence"][0].update(after_us=float("nan")), "must be a number above 0, not nan"),
    "held is negative": (lambda v: v["evidence"][0].update(held=-1), "field 'held' must be a whole number from 0"),
    "held is a fraction": (lambda v: v["evidence"][0].update(held=1.5), "field 'held' must be a whole number from 0"),
    "interval turned": (lambda v: v["evidence"][0].update(interval=[2, 1]), "lower bound above its upper one"),
    "interval of one": (lambda v: v["evidence"][0].update(interval=[1]), "field 'interval' must be two numbers"),
    "modelled is text": (
        lambda v: v["evidence"][0].update(modelled="yes"),
        "'modelled' must be true or false, not text",
    ),
    "date": (lambda v: v["provenance"].update(date="yesterday"), "field 'date' must be a date as in 2026-01-31"),
    "id of a path": (lambda v: v.update(id="../../etc"), "field 'id' must be m and 16 hexadecimal digits"),
    "id of another": (lambda v: v.update(id="m" + "0" * 16), "field 'id' does not belong to the rewrite"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_must_not_come_in_is_refused_in_one_sentence(name: str) -> None:
    change, message = HOSTILE[name]
    value = copy.deepcopy(motif_to_json(FULL))
    change(value)
    with pytest.raises(BankError) as caught:
        motif_from_json(value, "pack.json: motif 3")
    text = str(caught.value)
    assert text.startswith("pack.json: motif 3") and message in text
    assert text.isprintable() and text.isascii() and len(text) < 400


def test_no_motif_at_all() -> None:
    for value in (None, [], "x", 3):
        with pytest.raises(BankError, match="must be an object"):
            motif_from_json(value, "pack.json: motif 1")


def test_comparisons_and_templates_are_no_html() -> None:
    for title in ("Cast<half> becomes Cast<float>", "n < 32 and m > 4", "kernel<<<dim, null, stream>>>", "a<=b"):
        assert checked(replace(FULL, title=title)).title == title


def test_evidence_gain() -> None:
    assert evidence(120.0, 100.0).gain == pytest.approx(1.2)
