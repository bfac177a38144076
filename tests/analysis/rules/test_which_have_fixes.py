"""Every rule has a fix, with a fixture that shows it, or a reason here why its finding does not say what to write."""

from __future__ import annotations

import inspect
from importlib import import_module

from analysis.rules import test_fixed_texts, test_fixes

from ascendopt.analysis import rules
from ascendopt.analysis.rules import registry

LAYOUT = "where the data is to lie is a decision: offsets move together"
SPLIT = "into which parts is a decision, and the parts need a loop"
ROOM = "which buffer gets shorter, or who divides UB in another way, is a decision"
BUFFER = "needs another buffer"
WAY = "there are several ways out, each over another buffer or type"
HOST = "the host has to follow, in code of its own"
SHAPE = "the code takes another shape"
MEANT = "which of the numbers is wrong is not known"
NONE = {
    **dict.fromkeys(("ALN001", "ALN002", "ALN003", "ALN004", "ALN005", "ALN006", "ALN007", "ALN014"), LAYOUT),
    **dict.fromkeys(("ALN015", "ALN016", "ALN017", "ALN018", "RNG010", "RNG011", "RNG015", "RNG016", "RNG018"), LAYOUT),
    **dict.fromkeys(("RNG001", "RNG003", "RNG004", "RNG020", "RNG021", "RNG022", "RNG024", "RNG026"), SPLIT),
    **dict.fromkeys(("MEM001", "MEM002", "MEM004", "MEM010", "TMP001", "TMP002", "TMP006", "RNG023"), ROOM),
    **dict.fromkeys(("OVL003", "OVL004", "DTY006", "DTY007", "RNG006", "CUB004"), BUFFER),
    **dict.fromkeys(("DTY001", "DTY009", "DTY010", "ATM003", "CUB005", "ALN019", "XCR009", "RNG008"), WAY),
    **dict.fromkeys(("MEM011", "MIS011", "XCR001", "XCR002", "XCR008"), HOST),
    **dict.fromkeys(("PRF001", "PRF003", "PRF009", "PRF018", "PRF021", "MSK005", "QUE008", "QUE009", "QUE010"), SHAPE),
    **dict.fromkeys(("MEM003", "MEM012", "MIS001", "CUB002", "QUE004"), SHAPE),
    **dict.fromkeys(("ALN013", "ALN020", "MEM008", "RNG002"), MEANT),
    "MEM013": "how much memory it needs is not known",
    "MIS013": "what the missing arm is to do is not known",
    "MIS003": "the records of the successor are laid out in another way",
    "MIS008": "what the cycles are used for is not known",
    "REG001": "nothing is wrong",
    "SUP001": "only a person knows the reason",
    "SUP002": "the comment may be meant for another chip",
    "SYN004": "the variable for the id must live until the wait: where it goes is a decision",
}


def test_every_rule_has_a_fix_or_a_reason_why_not() -> None:
    without = {code.removeprefix("ASC-") for code in registry.codes() if "fix=" not in _source(code)}
    assert without == set(NONE)


def test_every_fix_is_shown_by_a_fixture() -> None:
    stems = (*test_fixed_texts.SAFE, *test_fixed_texts.UNSAFE, *test_fixes.SAFE, *test_fixes.UNSAFE)
    shown = {stem.split("_")[0].upper() for stem in stems}
    assert shown == {code.removeprefix("ASC-") for code in registry.codes() if "fix=" in _source(code)}


def _source(code: str) -> str:
    return inspect.getsource(import_module(f"{rules.__name__}.{registry.MODULES[code]}"))
