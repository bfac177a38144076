"""Writes a small operator of our own, y = 2 * x for float16, with a place for faults.

The kernel gives each of ``cores`` blocks ``perCore`` elements and works on ``tile`` elements at a time.
"""

from __future__ import annotations

from pathlib import Path

from ascendopt.harness.workload import Case, TensorSpec

HOST = """\
#include <vector>

#include "register/op_def_registry.h"
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(TwiceTilingData)
    TILING_DATA_FIELD_DEF(uint32_t, total);
    TILING_DATA_FIELD_DEF(uint32_t, perCore);
    TILING_DATA_FIELD_DEF(uint32_t, tile);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(Twice, TwiceTilingData)

static ge::graphStatus TwiceTiling(gert::TilingContext* context) {
    @HOST@
    const uint32_t total = static_cast<uint32_t>(context->GetInputShape(0)->GetStorageShape().GetShapeSize());
    const uint32_t cores = 4;
    TwiceTilingData tiling;
    tiling.set_total(total);
    tiling.set_perCore((total + cores * 16 - 1) / (cores * 16) * 16);
    tiling.set_tile(1024);
    context->SetBlockDim(cores);
    context->SetTilingKey(7);
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ops {
class Twice : public OpDef {
  public:
    explicit Twice(const char* name) : OpDef(name) {
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT16}).Format({ge::FORMAT_ND});
        this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT16}).Format({ge::FORMAT_ND});
        this->AICore().SetTiling(optiling::TwiceTiling);
        this->AICore().AddConfig("ascend910b");
    }
};
OP_ADD(Twice);
}  // namespace ops
"""

KERNEL = """\
#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void twice(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(data, tiling);
    TPipe pipe;
    TQue<QuePosition::VECIN, 2> inQueue;
    TQue<QuePosition::VECOUT, 2> outQueue;
    pipe.InitBuffer(inQueue, 2, data.tile * sizeof(half));
    pipe.InitBuffer(outQueue, 2, data.tile * sizeof(half));
    const uint32_t start = GetBlockIdx() * data.perCore;
    const uint32_t end = start + data.perCore < data.total ? start + data.perCore : data.total;
    GlobalTensor<half> from, to;
    from.SetGlobalBuffer((__gm__ half*)x, data.total);
    to.SetGlobalBuffer((__gm__ half*)y, data.total);
    @KERNEL@
    for (uint32_t at = start; at < end; at += data.tile) {
        const uint32_t count = end - at < data.tile ? end - at : data.tile;
        DataCopyExtParams copy{1, static_cast<uint32_t>(count * sizeof(half)), 0, 0, 0};
        DataCopyPadExtParams<half> pad{false, 0, 0, 0};
        LocalTensor<half> in = inQueue.AllocTensor<half>();
        DataCopyPad(in, from[at], copy, pad);
        inQueue.EnQue(in);
        in = inQueue.DeQue<half>();
        LocalTensor<half> out = outQueue.AllocTensor<half>();
        Add(out, in, in, count);
        outQueue.EnQue(out);
        inQueue.FreeTensor(in);
        out = outQueue.DeQue<half>();
        DataCopyPad(to[at], out, copy);
        outQueue.FreeTensor(out);
    }
}
"""


def write_operator(folder: Path, *, host: str = "", kernel: str = "") -> Path:
    """The operator in ``folder/twice``, with lines of code put into its tiling function and its kernel."""
    root = folder / "twice"
    for name, text in (("op_host", HOST.replace("@HOST@", host)), ("op_kernel", KERNEL.replace("@KERNEL@", kernel))):
        (root / name).mkdir(parents=True, exist_ok=True)
        (root / name / "twice.cpp").write_text(text, encoding="utf-8")
    return root


def line_of(root: Path, relative: str, text: str) -> int:
    """1-based line of the only line of a file that contains ``text``."""
    lines = (root / relative).read_text(encoding="utf-8").splitlines()
    (found,) = [number for number, line in enumerate(lines, 1) if text in line]
    return found


def case(*shape: int) -> Case:
    """One case of the operator."""
    return Case(
        "x".join(map(str, shape)), (TensorSpec("x", "float16", (shape,)),), (TensorSpec("y", "float16", (shape,)),)
    )
