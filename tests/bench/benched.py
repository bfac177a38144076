"""An operator with two inputs, one output and a line of our choice, on 40 cores in tiles of 4096 elements."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from ascendopt.harness.devices.base import BuildOptions
from ascendopt.harness.devices.model.built import ModelBuilt
from ascendopt.harness.devices.model.device import ModelDevice, ModelOptions
from ascendopt.harness.workload import Case, TensorSpec

SOC = "Ascend910B2"
ADD = "Add(z, x, y, count);"
EXP = "Exp(z, x, count);"
SCALAR = "for (uint32_t i = 0; i < count; ++i) z.SetValue(i, x.GetValue(i));"

HOST = """\
#include "register/op_def_registry.h"
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(BenchedTilingData)
    TILING_DATA_FIELD_DEF(uint32_t, perCore);
    TILING_DATA_FIELD_DEF(uint32_t, tile);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(Benched, BenchedTilingData)

static ge::graphStatus BenchedTiling(gert::TilingContext* context) {
    const uint32_t cores = 40;
    const uint32_t tiles = context->GetInputShape(0)->GetStorageShape().GetShapeSize() / 4096;
    BenchedTilingData tiling;
    tiling.set_perCore((tiles + cores - 1) / cores);
    tiling.set_tile(tiles);
    context->SetBlockDim(cores);
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ops {
class Benched : public OpDef {
  public:
    explicit Benched(const char* name) : OpDef(name) {
        this->Input("x").DataType({ge::DT_FLOAT16, ge::DT_FLOAT}).Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Input("y").DataType({ge::DT_FLOAT16, ge::DT_FLOAT}).Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Output("z").DataType({ge::DT_FLOAT16, ge::DT_FLOAT}).Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->AICore().SetTiling(optiling::BenchedTiling);
        this->AICore().AddConfig("ascend910b");
    }
};
OP_ADD(Benched);
}  // namespace ops
"""

KERNEL = """\
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void benched(GM_ADDR xAt, GM_ADDR yAt, GM_ADDR zAt, GM_ADDR work, GM_ADDR tiling) {
    GET_TILING_DATA(data, tiling);
    constexpr uint32_t count = 4096;
    TPipe pipe;
    TQue<QuePosition::VECIN, 2> xQueue, yQueue;
    TQue<QuePosition::VECOUT, 2> zQueue;
    pipe.InitBuffer(xQueue, 2, count * sizeof(DTYPE_X));
    pipe.InitBuffer(yQueue, 2, count * sizeof(DTYPE_X));
    pipe.InitBuffer(zQueue, 2, count * sizeof(DTYPE_X));
    GlobalTensor<DTYPE_X> xGm, yGm, zGm;
    xGm.SetGlobalBuffer((__gm__ DTYPE_X*)xAt);
    yGm.SetGlobalBuffer((__gm__ DTYPE_X*)yAt);
    zGm.SetGlobalBuffer((__gm__ DTYPE_X*)zAt);
    const uint32_t first = GetBlockIdx() * data.perCore;
    for (uint32_t tile = first; tile < first + data.perCore && tile < data.tile; ++tile) {
        LocalTensor<DTYPE_X> x = xQueue.AllocTensor<DTYPE_X>(), y = yQueue.AllocTensor<DTYPE_X>();
        DataCopy(x, xGm[tile * count], count);
        DataCopy(y, yGm[tile * count], count);
        xQueue.EnQue(x);
        yQueue.EnQue(y);
        x = xQueue.DeQue<DTYPE_X>();
        y = yQueue.DeQue<DTYPE_X>();
        LocalTensor<DTYPE_X> z = zQueue.AllocTensor<DTYPE_X>();
        @BODY@
        zQueue.EnQue(z);
        xQueue.FreeTensor(x);
        yQueue.FreeTensor(y);
        z = zQueue.DeQue<DTYPE_X>();
        DataCopy(zGm[tile * count], z, count);
        zQueue.FreeTensor(z);
    }
}
"""


def write(folder: Path, body: str) -> Path:
    """The operator in ``folder/benched``."""
    root = folder / "benched"
    for part, text in (("op_host", HOST), ("op_kernel", KERNEL.replace("@BODY@", body))):
        (root / part).mkdir(parents=True, exist_ok=True)
        (root / part / "benched.cpp").write_text(text)
    return root


def case(elements: int, dtype: str = "float16") -> Case:
    x, y, z = (TensorSpec(name, dtype, ((elements,),)) for name in "xyz")
    return Case(f"{dtype} {elements}", (x, y), (z,))


@contextmanager
def benched(body: str, options: ModelOptions | None = None) -> Generator[tuple[ModelDevice, ModelBuilt]]:
    """A device and the operator on it, its kernels not compiled yet."""
    device = ModelDevice(SOC, options=options)
    with TemporaryDirectory() as folder:
        try:
            built = device.build(write(Path(folder), body), BuildOptions(SOC))
            assert isinstance(built, ModelBuilt)
            yield device, built
        finally:
            device.close()
