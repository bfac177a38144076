"""MEM001 where the host decides: a tiling function beside the kernel, and arguments of a kernel launch."""

from __future__ import annotations

from pathlib import Path

import pytest

from ascendopt.analysis.checking import check_facts
from ascendopt.analysis.chips import load_chip
from ascendopt.analysis.facts import analyse_operator
from ascendopt.analysis.findings import Finding
from ascendopt.analysis.operators import discover
from ascendopt.analysis.selection import Selection

KERNEL = """\
#include "kernel_operator.h"
using namespace AscendC;
class Halve {
  public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, uint32_t share, TPipe* pipe) {
        pipe->InitBuffer(inQueue, 2, share);
        pipe->InitBuffer(outQueue, 1, share);
    }
  private:
    TQue<QuePosition::VECIN, 2> inQueue;
    TQue<QuePosition::VECOUT, 1> outQueue;
};
extern "C" __global__ __aicore__ void halve(GM_ADDR x, GM_ADDR y, uint32_t rows, uint32_t share) {
    TPipe pipe;
    Halve op;
    op.Init(x, y, share, &pipe);
}
"""
LAUNCH = """\
#include "acl/acl.h"
constexpr uint32_t PARTS = 3;
constexpr uint64_t UNIFIED_BUFFER_BYTES = @SIZE@;

void Run(aclrtStream stream, void* x, void* y, uint32_t rows) {
    const uint32_t share = static_cast<uint32_t>(UNIFIED_BUFFER_BYTES / PARTS / 32 * 32);
    ACLRT_LAUNCH_KERNEL(halve)(40, stream, x, y, rows, share);
}
"""
TILING = """\
#include "register/tilingdata_base.h"
namespace optiling {
static ge::graphStatus Tile(gert::TilingContext* context) {
    uint64_t ub = 0;
    auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
    platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ub);
    HalveTilingData tiling;
    tiling.set_share(ub / @PARTS@);
    return ge::GRAPH_SUCCESS;
}
}  // namespace optiling
BEGIN_TILING_DATA_DEF(HalveTilingData)
TILING_DATA_FIELD_DEF(uint32_t, share);
END_TILING_DATA_DEF;
"""


def budget(folder: Path, host: str, kernel: str = KERNEL) -> list[tuple[str, int, Finding]]:
    """MEM001 findings as (file, line, finding) of a kernel with its host side in the same folder."""
    (folder / "halve.cpp").write_text(kernel)
    (folder / "launch.cpp").write_text(host)
    facts = analyse_operator(discover(folder / "launch.cpp"), "Ascend910B2")
    found = check_facts(facts, load_chip("Ascend910B2"), None, Selection.of(["MEM001"]))
    return [(one.path.name, one.path.read_bytes().count(b"\n", 0, one.span.start) + 1, one) for one in found]


def test_a_size_that_the_host_made_up_is_named(tmp_path: Path) -> None:
    # 262144 / 3 rounded down to 32: 87360; two and one buffers of it: 262080 of 196608 bytes.
    [(file, line, finding)] = budget(tmp_path, LAUNCH.replace("@SIZE@", "256 * 1024"))
    assert (file, line) == ("launch.cpp", 3)
    assert "UNIFIED_BUFFER_BYTES is fixed to 262144" in finding.message
    assert finding.facts["allocated_bytes"] == 262080
    assert "GetCoreMemSize" in finding.message


def test_a_size_that_fits_is_fine(tmp_path: Path) -> None:
    assert budget(tmp_path, LAUNCH.replace("@SIZE@", "192 * 1024")) == []


@pytest.mark.parametrize(("parts", "fits"), [(2, False), (3, True)])
def test_the_host_must_divide_by_every_buffer(tmp_path: Path, parts: int, fits: bool) -> None:
    kernel = KERNEL.replace("uint32_t rows, uint32_t share) {", "GM_ADDR tiling) {\n    GET_TILING_DATA(data, tiling);")
    kernel = kernel.replace("op.Init(x, y, share, &pipe)", "op.Init(x, y, data.share, &pipe)")
    found = budget(tmp_path, TILING.replace("@PARTS@", str(parts)), kernel)
    assert (found == []) is fits
    if not fits:
        assert found[0][:2] == ("launch.cpp", 8)
        # 3 buffers of half of UB.
        assert found[0][2].facts["allocated_bytes"] == 294912
