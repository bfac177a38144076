"""A small operator of our own, y = f(x1, x2) over tiles, whose parts a test fills in."""

from __future__ import annotations

from pathlib import Path

from ascendopt.harness.operator_copy import OperatorSources, read_operator
from ascendopt.harness.structural.base import Change, OperatorView
from ascendopt.harness.structural.registry import structural_operator
from ascendopt.harness.structural.view import changed_texts, restores, view_of

SOC = "Ascend910B2"
KERNEL_PATH = "op_kernel/blend.cpp"
HOST_PATH = "op_host/blend.cpp"

HOST = """\
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include "blend_tiling.h"

namespace optiling {
constexpr uint32_t TILE_LENGTH = 2048;

static ge::graphStatus BlendTiling(gert::TilingContext* context) {
    const auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
    const uint32_t coreCount = platform.GetCoreNumAiv();
    const uint32_t total = context->GetInputShape(0)->GetStorageShape().GetShapeSize();
@SPLIT@
    BlendTilingData tiling;
    tiling.set_total(total);
    tiling.set_coreLength(coreLength);
    tiling.set_tileLength(TILE_LENGTH);
    context->SetBlockDim((total + coreLength - 1) / coreLength);
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ops {
class Blend : public OpDef {
  public:
    explicit Blend(const char* name) : OpDef(name) {
        this->Input("x1").ParamType(REQUIRED).DataType({@TYPES@}).Format({ge::FORMAT_ND});
        this->Input("x2").ParamType(REQUIRED).DataType({@TYPES@}).Format({ge::FORMAT_ND});
        this->Output("y").ParamType(REQUIRED).DataType({@TYPES@}).Format({ge::FORMAT_ND});
        this->AICore().SetTiling(optiling::BlendTiling);
        this->AICore().AddConfig("ascend910b");
    }
};
OP_ADD(Blend);
}  // namespace ops
"""

TILING = """\
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(BlendTilingData)
    TILING_DATA_FIELD_DEF(uint32_t, total);
    TILING_DATA_FIELD_DEF(uint32_t, coreLength);
    TILING_DATA_FIELD_DEF(uint32_t, tileLength);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(Blend, BlendTilingData)
}  // namespace optiling
"""

KERNEL = """\
#include "kernel_operator.h"

using namespace AscendC;

constexpr int32_t BUFFER_NUM = 1;

template <typename T>
class Blend {
  public:
    __aicore__ inline void Init(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, uint32_t total, uint32_t share, uint32_t tile) {
        const uint32_t start = share * GetBlockIdx();
        this->length = total - start < share ? total - start : share;
        this->tile = tile;
        x1Gm.SetGlobalBuffer((__gm__ T*)x1 + start, this->length);
        x2Gm.SetGlobalBuffer((__gm__ T*)x2 + start, this->length);
        yGm.SetGlobalBuffer((__gm__ T*)y + start, this->length);
        pipe.InitBuffer(x1Queue, BUFFER_NUM, tile * sizeof(T));
        pipe.InitBuffer(x2Queue, BUFFER_NUM, tile * sizeof(T));
        pipe.InitBuffer(yQueue, BUFFER_NUM, tile * sizeof(T));
        pipe.InitBuffer(workBuffer, tile * sizeof(T));
        pipe.InitBuffer(tableBuffer, tile * sizeof(T));
    }

    __aicore__ inline void Process() {
@PROCESS@
    }

  private:
    __aicore__ inline void Fill() {
        LocalTensor<T> table = tableBuffer.Get<T>();
        Duplicate(table, static_cast<T>(3), this->tile);
    }

    __aicore__ inline void Step(uint32_t offset) {
        const uint32_t count = this->length - offset < this->tile ? this->length - offset : this->tile;
        CopyIn(offset, count);
        Compute(count);
        CopyOut(offset, count);
    }

    __aicore__ inline void CopyIn(uint32_t offset, uint32_t count) {
        LocalTensor<T> x1 = x1Queue.AllocTensor<T>();
        LocalTensor<T> x2 = x2Queue.AllocTensor<T>();
@COPY_IN@
        x1Queue.EnQue(x1);
        x2Queue.EnQue(x2);
    }

    __aicore__ inline void Compute(uint32_t count) {
        LocalTensor<T> x1 = x1Queue.DeQue<T>();
        LocalTensor<T> x2 = x2Queue.DeQue<T>();
        LocalTensor<T> y = yQueue.AllocTensor<T>();
@COMPUTE@
        yQueue.EnQue(y);
        x1Queue.FreeTensor(x1);
        x2Queue.FreeTensor(x2);
    }

    __aicore__ inline void CopyOut(uint32_t offset, uint32_t count) {
        LocalTensor<T> y = yQueue.DeQue<T>();
        DataCopy(yGm[offset], y, count);
        yQueue.FreeTensor(y);
    }

    TPipe pipe;
    TQue<QuePosition::VECIN, BUFFER_NUM> x1Queue, x2Queue;
    TQue<QuePosition::VECOUT, BUFFER_NUM> yQueue;
    TBuf<QuePosition::VECCALC> workBuffer;
    TBuf<QuePosition::VECCALC> tableBuffer;
    GlobalTensor<T> x1Gm, x2Gm, yGm;
    uint32_t length;
    uint32_t tile;
};

extern "C" __global__ __aicore__ void blend(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(data, tiling);
    Blend<DTYPE_X1> op;
    op.Init(x1, x2, y, data.total, data.coreLength, data.tileLength);
    op.Process();
}
"""

SPLIT = """\
uint32_t coreLength = (total + coreCount - 1) / coreCount;
coreLength = (coreLength + 256 - 1) / 256 * 256;
"""
PROCESS = """\
for (uint32_t offset = 0; offset < this->length; offset += this->tile) {
    Step(offset);
}
"""
COPY_IN = """\
DataCopy(x1, x1Gm[offset], count);
DataCopy(x2, x2Gm[offset], count);
"""
COMPUTE = """\
Add(y, x1, x2, count);
"""
TYPES = "ge::DT_FLOAT"
FLOAT_TENSORS = (("LocalTensor<T> ", "LocalTensor<float> "),)
"""For ``replace``: the kernel as it is written for float alone."""


def _indented(text: str, spaces: int) -> str:
    return "\n".join(" " * spaces + line if line else "" for line in text.rstrip("\n").split("\n"))


def write_blend(
    folder: Path,
    compute: str = COMPUTE,
    copy_in: str = COPY_IN,
    process: str = PROCESS,
    split: str = SPLIT,
    types: str = TYPES,
    replace: tuple[tuple[str, str], ...] = (),
) -> OperatorSources:
    """The operator with these parts; ``replace`` acts on all of its files."""
    kernel = KERNEL.replace("@COMPUTE@", _indented(compute, 8)).replace("@COPY_IN@", _indented(copy_in, 8))
    kernel = kernel.replace("@PROCESS@", _indented(process, 8))
    host = HOST.replace("@SPLIT@", _indented(split, 4)).replace("@TYPES@", types)
    root = folder / "blend"
    for path, text in ((KERNEL_PATH, kernel), (HOST_PATH, host), ("op_host/blend_tiling.h", TILING)):
        for old, new in replace:
            text = text.replace(old, new)
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return read_operator(root)


class Bench:
    """One structural operator over one operator: what it offers, and what comes of it."""

    def __init__(self, sources: OperatorSources, name: str) -> None:
        self.sources = sources
        self.operator = structural_operator(name)
        self.view: OperatorView = view_of(sources, SOC)
        self.improvements: list[Change] = list(self.operator.improvements(self.view))
        self.removals: list[Change] = list(self.operator.removals(self.view))

    def text(self, change: Change) -> str:
        """All changed files after a change."""
        return "\n".join(changed_texts(self.view, change.edits).values())

    def unchanged(self) -> str:
        """All files as they are."""
        return "\n".join(self.sources.texts.values())

    def assert_restored(self) -> None:
        """Every removal is undone to the byte by an improvement of the same operator, and confesses nothing."""
        assert self.removals
        for change in self.removals:
            assert restores(self.sources, self.view, self.operator, change), change.title
            added = "".join(edit.new_text for edit in change.edits)
            assert "//" not in added and "/*" not in added
