// Copies beyond the plain forms: fills, slices, raw pointers; and what queues and buffers answer.
#include "kernel_operator.h"

using namespace AscendC;

template <HardEvent event>
void sync() {
    SetFlag<event>(EVENT_ID0);
    WaitFlag<event>(EVENT_ID0);
}

template <typename T>
void fill_part(GM_ADDR y, GM_ADDR tiling, T value) {
    GlobalTensor<T> gy;
    gy.SetGlobalBuffer((__gm__ T*)y);
    TPipe pipe;
    InitOutput<T>(gy[3], *(__gm__ uint32_t*)tiling, value);
}
extern "C" __global__ __aicore__ void fill_float(GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    fill_part<float>(y, tiling, 2.5f);
}
extern "C" __global__ __aicore__ void fill_half(GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    fill_part<half>(y, tiling, half(-1.0f));
}
extern "C" __global__ __aicore__ void fill_long(GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    fill_part<int64_t>(y, tiling, int64_t{1} << 40);
}

// Two bursts of one block, 17 elements apart, of rows 1 and 3 of a 4 x 64 matrix, and back to the same places.
extern "C" __global__ __aicore__ void slices(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GlobalTensor<float> gx, gy;
    gx.SetGlobalBuffer((__gm__ float*)x);
    gy.SetGlobalBuffer((__gm__ float*)y);
    LocalTensor<float> t{TPosition::VECIN, 0, 64};
    SliceInfo outside[] = {{2, 34, 17, 1, 64}, {1, 3, 1, 1, 4}};
    SliceInfo inside[] = {{0, 15, 0, 1, 16}, {0, 1, 0, 1, 2}};
    DataCopy(t, gx, inside, outside, 2);
    sync<HardEvent::MTE2_MTE3>();
    DataCopy(gy, t, outside, inside, 2);
}

// By pointers: 20 bytes a row with gaps, then whole blocks.
extern "C" __global__ __aicore__ void pointers(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    LocalTensor<float> a{TPosition::VECIN, 0, 64}, b{TPosition::VECOUT, 1024, 64};
    copy_gm_to_ubuf_align_b32(a.GetPhyAddr(), (float*)x, 0, 3, 20, 0, 0, 12, 1);
    sync<HardEvent::MTE2_V>();
    copy_ubuf_to_ubuf(b.GetPhyAddr(), a.GetPhyAddr(), 0, 3, 1, 1, 0);
    sync<HardEvent::V_MTE3>();
    copy_ubuf_to_gm_align_b32((float*)y, b.GetPhyAddr(), 0, 3, 20, 0, 0, 0, 4);
    DataCopyUB2GMImpl((__gm__ float*)y + 24, (__ubuf__ float*)b.GetPhyAddr(), {1, 1, 0, 0});
}

// What a queue says at each step, as numbers.
extern "C" __global__ __aicore__ void states(GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GlobalTensor<int32_t> gy;
    gy.SetGlobalBuffer((__gm__ int32_t*)y, 16);
    TPipe pipe;
    TQue<TPosition::VECIN, 2> que;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(que, 2, 64);
    pipe.InitBuffer(buffer, 128);
    int at = 0;
    LocalTensor<float> t = que.AllocTensor<float>();
    gy.SetValue(at++, (int32_t)que.GetState(t));
    gy.SetValue(at++, que.HasIdleBuffer());
    que.EnQue(t);
    gy.SetValue(at++, (int32_t)que.GetState(t));
    gy.SetValue(at++, que.HasTensorInQue());
    t = que.DeQue<float>();
    gy.SetValue(at++, (int32_t)que.GetState(t));
    gy.SetValue(at++, que.GetTensorCountInQue());
    que.FreeTensor(t);
    gy.SetValue(at++, (int32_t)que.GetState(t));
    LocalTensor<half> h = buffer.AllocTensor<half>();
    gy.SetValue(at++, (int32_t)h.GetSize());
    gy.SetValue(at++, (int32_t)buffer.GetWithOffset<float>(8, 64).GetSize());
    buffer.FreeTensor(h);
    LocalTensor<float> rest;
    PopStackBuffer<float, TPosition::LCM>(rest);
    gy.SetValue(at++, (int32_t)rest.GetSize());
    gy.SetValue(at++, (int32_t)(GetTPipePtr() == &pipe));
    gy.SetValue(at++, (int32_t)block_idx);
}

// Operation and element type are set apart.
extern "C" __global__ __aicore__ void extremes(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GlobalTensor<float> gx, gy;
    gx.SetGlobalBuffer((__gm__ float*)x);
    gy.SetGlobalBuffer((__gm__ float*)y);
    LocalTensor<float> a{TPosition::VECIN, 0, 16};
    DataCopy(a, gx, 16);
    sync<HardEvent::MTE2_MTE3>();
    DataCopy(gy, a, 16);
    DataCopy(gy[16], a, 16);
    sync<HardEvent::MTE3_MTE2>();
    DataCopy(a, gx[16], 16);
    sync<HardEvent::MTE2_MTE3>();
    SetAtomicMax<half>();
    SetAtomicType<float>();
    DataCopy(gy, a, 16);
    SetAtomicMin<float>();
    DataCopy(gy[16], a, 16);
    DisableDmaAtomic();
}

// A pool that puts the buffers of its queue 96 bytes apart, and a buffer behind them.
class WidePool {
  public:
    WidePool() { Init(); }
    template <typename Queue>
    bool InitBuffer(Queue& que, uint8_t number, uint32_t bytes) {
        auto handle = GetBufHandle(GetCurBufSize());
        que.InitStartBufHandle(handle, number, bytes);
        for (uint32_t i = 0; i < number; ++i) que.InitBufHandle(this, i, handle, GetCurAddr() + 96 * i, bytes);
        SetCurAddr(GetCurAddr() + 96 * number);
        SetCurBufSize(GetCurBufSize() + number);
        return true;
    }
    template <TPosition position>
    bool InitBuffer(TBuf<position>& buffer, uint32_t bytes) {
        auto handle = GetBufHandle(GetCurBufSize());
        buffer.InitStartBufHandle(handle, 1, bytes);
        buffer.InitBufHandle(this, 0, handle, GetCurAddr(), bytes);
        SetCurAddr(GetCurAddr() + bytes);
        SetCurBufSize(GetCurBufSize() + 1);
        return true;
    }
    EXTERN_IMPL_BUFPOOL(WidePool, TPosition::VECCALC, 8);
};
// y: addresses of two tensors of the queue and of the buffer from the pool's start, how many buffers; the doubled x.
extern "C" __global__ __aicore__ void own_pool(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GlobalTensor<int32_t> gx, gy;
    gx.SetGlobalBuffer((__gm__ int32_t*)x);
    gy.SetGlobalBuffer((__gm__ int32_t*)y);
    TPipe pipe;
    TBuf<TPosition::VECCALC> before, inside;
    WidePool pool;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 2> que;
    pipe.InitBuffer(before, 64);
    pipe.InitBufPool(pool, 512);
    pool.InitBuffer(que, 2, 64);
    pool.InitBuffer(inside, 32);
    auto first = que.AllocTensor<int32_t>(), second = que.AllocTensor<int32_t>();
    gy.SetValue(0, first.where().address - 64);
    gy.SetValue(1, second.where().address - 64);
    gy.SetValue(2, inside.Get<int32_t>().where().address - 64);
    gy.SetValue(3, pool.GetCurBufSize());
    DataCopy(first, gx, 16);
    que.EnQue(first);
    first = que.DeQue<int32_t>();
    sync<HardEvent::MTE2_V>();
    Add(second, first, first, 16);
    que.FreeTensor(first);
    sync<HardEvent::V_MTE3>();
    DataCopy(gy[8], second, 16);
    que.FreeTensor(second);
    pool.Reset();
    gy.SetValue(4, pool.GetCurBufSize());
}

// Whoever loads into a pool's memory after Reset comes after those that the pool's queues still worked for.
extern "C" __global__ __aicore__ void pool_again(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GlobalTensor<float> gx, gy;
    gx.SetGlobalBuffer((__gm__ float*)x);
    gy.SetGlobalBuffer((__gm__ float*)y);
    TPipe pipe;
    TBufPool<TPosition::VECCALC> one, two;
    TBuf<TPosition::VECCALC> result;
    pipe.InitBuffer(result, 256);
    pipe.InitBufPool(one, 256);
    pipe.InitBufPool(two, 256, one);
    LocalTensor<float> sum = result.Get<float>();
    const auto add = [&](TBufPool<TPosition::VECCALC>& pool, bool again) {
        TQue<TPosition::VECIN, 1> que;
        pool.InitBuffer(que, 1, 256);
        LocalTensor<float> in = que.AllocTensor<float>();
        DataCopy(in, gx[again ? 64 : 0], 64);
        que.EnQue(in);
        in = que.DeQue<float>();
        if (again) {
            Add(sum, sum, in, 64);
        } else {
            Adds(sum, in, 0.0f, 64);
        }
        PipeBarrier<PIPE_V>();
        que.FreeTensor(in);
        pool.Reset();
    };
    add(one, false);
    add(two, true);
    sync<HardEvent::V_MTE3>();
    DataCopy(gy, sum, 64);
}

// Tuples: two values by reference, by value and from a temporary.
extern "C" __global__ __aicore__ void tuples(GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    using Pair = Std::tuple<int32_t, float>;
    static_assert(Std::tuple_size<Pair>::value == 2);
    static_assert(Std::is_same_v<Std::tuple_element_t<1, Pair>, float>);
    GlobalTensor<float> gy;
    gy.SetGlobalBuffer((__gm__ float*)y);
    Pair pair{3, 4.5f};
    Std::get<0>(pair) = 7;
    const Pair copy = pair;
    gy.SetValue(0, Std::get<0>(copy));
    gy.SetValue(1, Std::get<1>(copy));
    gy.SetValue(2, Std::get<2>(Std::make_tuple(1, 2, 8.5f)));
}

// Functions that take their scratch themselves, behind `bytes` of buffers.
inline void with_scratch(GM_ADDR y, uint32_t bytes) {
    GlobalTensor<float> gy;
    gy.SetGlobalBuffer((__gm__ float*)y);
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, bytes);
    LocalTensor<float> x = buffer.GetWithOffset<float>(64, 0), z = buffer.GetWithOffset<float>(64, 256);
    Duplicate(x, 0.0f, 64);
    PipeBarrier<PIPE_V>();
    Sin(z, x, 64);
    PipeBarrier<PIPE_V>();
    Tanh(x, z, 64);
    sync<HardEvent::V_MTE3>();
    DataCopy(gy, x, 64);
}
extern "C" __global__ __aicore__ void own_scratch(GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    with_scratch(y, 1024);
}
extern "C" __global__ __aicore__ void no_room_for_scratch(GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    with_scratch(y, 192 * 1024 - 256);
}

// A coordinate in a layout of rows, 10 elements apart.
extern "C" __global__ __aicore__ void layouts(GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    const auto rows = MakeLayout(MakeShape(4, 8), MakeStride(10, 1));
    static_assert(is_layout<std::decay_t<decltype(rows)>>::value && !is_layout<int>::value);
    const Coord<int, int> place = MakeCoord(3, 5);
    GlobalTensor<int32_t> gy;
    gy.SetGlobalBuffer((__gm__ int32_t*)y);
    gy.SetValue(0, rows(place));
    gy.SetValue(1, Std::get<1>(rows.GetShape()));
}
