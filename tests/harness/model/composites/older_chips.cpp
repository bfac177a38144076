// What chips before A2 have: region proposals, and copies between L0C and UB. The architecture is named before the API.
#define __NPU_ARCH__ 2002
#include "tile.h"

// clang-format off: the runner finds entries by their line beginnings
// y: 32 scores and labels in proposals of zeros, each sixteen sorted; z: the labels in that order.
extern "C" __global__ __aicore__ void sorted(GM_ADDR x, GM_ADDR labels, GM_ADDR y, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    LocalTensor<half> scores = load<half>(x, 0, 32), names = load<half>(labels, 1, 32);
    LocalTensor<half> proposals = place<half>(2), out = place<half>(3);
    Duplicate(proposals, half(0), 256);
    PipeBarrier<PIPE_V>();
    ProposalConcat(proposals, scores, 2, 4);
    PipeBarrier<PIPE_V>();
    ProposalConcat(proposals, names, 2, 5);
    PipeBarrier<PIPE_V>();
    RpSort16(proposals, proposals, 2);
    PipeBarrier<PIPE_V>();
    ProposalExtract(out, proposals, 2, 5);
    store(y, proposals, 256);
    store(z, out, 32);
}
// n: lengths of four lists, valid bits, 1 = stop when one ends. x: four times eight float proposals.
extern "C" __global__ __aicore__ void merged(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(s, tiling);
    LocalTensor<float> lists = load<float>(x, 0, 256), out = place<float>(1);
    Duplicate(out, 0.0f, 256);
    PipeBarrier<PIPE_V>();
    const uint16_t lengths[4] = {uint16_t(s.n[0]), uint16_t(s.n[1]), uint16_t(s.n[2]), uint16_t(s.n[3])};
    MrgSort4(out, MrgSortSrcList<float>(lists, lists[64], lists[128], lists[192]), MrgSort4Info(lengths, s.n[5], s.n[4], 1));
    store(y, out, 256);
}
// Two fractals through L0C: to y each with a gap of 32 B behind it.
extern "C" __global__ __aicore__ void through_l0c(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    LocalTensor<float> in = load<float>(x, 0, 512), out = place<float>(1);
    LocalTensor<float> l0c(TPosition::CO1, 0, 1024);
    DataCopyEnhancedParams fractals;
    fractals.blockMode = BlockMode::BLOCK_MODE_MATRIX;
    Duplicate(out, 0.0f, 528);
    DataCopy(l0c, in, DataCopyParams{2, 1, 0, 1}, fractals);
    PipeBarrier<PIPE_V>();
    DataCopy(out, l0c, DataCopyParams{2, 1, 1, 1}, fractals);
    store(y, out, 528);
}
