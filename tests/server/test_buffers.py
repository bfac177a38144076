"""Hover and code lens: bytes and shares, computed by hand."""

from __future__ import annotations

from dataclasses import replace

from lsprotocol import types
from server.conftest import KERNEL, Opener

from ascendopt.analysis.active_case import ActiveCase
from ascendopt.analysis.summary.sizes import kib, percent
from ascendopt.server.features.code_lens import lenses
from ascendopt.server.features.hover import hover_at

# Ascend910B2: the platform gives 192 KB less 256 bytes = 196352 bytes to a kernel.
LIMIT = 196352


def text_at(hover: types.Hover | None) -> str:
    assert hover is not None and isinstance(hover.contents, types.MarkupContent)
    return hover.contents.value


def test_hover_on_a_queue_says_bytes_and_share(opened: Opener) -> None:
    document, report = opened("doubler.asc", KERNEL)
    text = text_at(hover_at(document, report, KERNEL.index("inQueue, 2") + 2))
    # 2 * 6400 * 2 bytes = 25600; 25600 / 196352 = 13.04 %; the kernel: 25600 + 12800 * 4 = 76800 = 75 KB, 39.1 %.
    assert "2 × 12,800 = 25,600 bytes" in text
    assert "double-buffered" in text
    assert "13 % of the 191.75 KB" in text
    assert "UB 75 KB of 191.75 KB (39 %)" in text


def test_hover_on_a_use_of_the_buffer_finds_it(opened: Opener) -> None:
    document, report = opened("doubler.asc", KERNEL)
    text = text_at(hover_at(document, report, KERNEL.index("TPosition::VECCALC> work") + len("TPosition::VECCALC> w")))
    assert "51,200 bytes" in text


def test_hover_on_a_finding_shows_its_page(opened: Opener) -> None:
    document, report = opened("doubler.asc", KERNEL)
    text = text_at(hover_at(document, report, KERNEL.rindex("FreeTensor(out)") + 2))
    assert "ASC-QUE001" in text and "## Why" in text


def test_hover_elsewhere_is_silent(opened: Opener) -> None:
    document, report = opened("doubler.asc", KERNEL)
    assert hover_at(document, report, KERNEL.index("using")) is None


def test_lens_over_the_entry(opened: Opener) -> None:
    document, report = opened("doubler.asc", KERNEL)
    found = lenses(document, report)
    line = KERNEL.split("\n").index('extern "C" __global__ __aicore__ void doubler(GM_ADDR x, GM_ADDR y) {')
    assert [lens.range.start.line for lens in found] == [line, line]
    titles = [lens.command.title for lens in found if lens.command is not None]
    assert titles == ["UB 75 KB of 191.75 KB (39 %) on Ascend910B2", "Search tiling"]


SYMBOLIC = (
    KERNEL.replace("12800 * sizeof(float)", "data.tile * sizeof(float)")
    .replace("TPipe* pipe) {\n", "TPipe* pipe, TileData data) {\n")
    .replace("using namespace AscendC;", "using namespace AscendC;\nstruct TileData { uint32_t tile; };")
    .replace("GM_ADDR y) {\n    TPipe pipe;", "GM_ADDR y, TileData tiling) {\n    TPipe pipe;")
    .replace("op.Init(x, y, &pipe)", "op.Init(x, y, &pipe, tiling)")
)


def test_lens_says_what_a_case_decides(opened: Opener) -> None:
    document, report = opened("doubler.asc", SYMBOLIC)
    [use, _search] = lenses(document, report)
    assert use.command is not None
    assert use.command.title == "UB symbolic, at least 25 KB: needs a case on Ascend910B2"
    case = ActiveCase("large/float16", "Ascend910B2", {"tile": 6400})
    [use, _search] = lenses(document, replace(report, case=case))
    # 25600 + 6400 * 4 = 51200 bytes = 50 KB of 191.75 KB = 26.1 %.
    assert use.command is not None
    assert use.command.title == "UB 50 KB of 191.75 KB (26 %) on Ascend910B2, case large/float16"


def test_sizes_read_well() -> None:
    assert [kib(147456), kib(LIMIT), kib(100)] == ["144 KB", "191.75 KB", "0.1 KB"]
    assert [percent(147456, LIMIT), percent(1, LIMIT), percent(0, LIMIT)] == ["75 %", "<1 %", "0 %"]
