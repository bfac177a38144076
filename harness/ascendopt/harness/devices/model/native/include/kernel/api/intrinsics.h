// Instructions that operators call by their compiler names, on raw addresses and under the mask that is set.
#pragma once
#include "vector_call.h"

enum asc_address_register { VA0, VA1, VA2, VA3, VA4, VA5, VA6, VA7 };

namespace AscendC::asc {

// A raw pointer as a tensor that reaches to the end of its memory.
template <typename T>
ASC_INLINE AscLocal behind(const T* pointer) {
    AscLocal where{};
    if (pointer) asc_local_find(pointer, &where);
    where.dtype = dtype<T>;
    return where;
}

template <typename T>
ASC_INLINE AscVector raw_reduce(Op op, const char* api, T* dst, T* src, uint8_t repeat, uint16_t dst_repeat,
                                uint16_t src_block, uint16_t src_repeat) {
    AscVector call = vector_call(op, api, behind(dst));
    source(call, behind(src));
    mask_form(call, uint64_t{0}, false, repeat);
    call.dst_repeat = dst_repeat;
    call.src_block[0] = src_block;
    call.src_repeat[0] = src_repeat;
    return call;
}

}  // namespace AscendC::asc

#define ASC_RAW_BINARY(name, operation)                                                                           \
    template <typename T>                                                                                         \
    inline void name(__ubuf__ T* dst, __ubuf__ T* src0, __ubuf__ T* src1, uint8_t repeat, uint8_t dstBlockStride, \
                     uint8_t src0BlockStride, uint8_t src1BlockStride, uint8_t dstRepeatStride,                   \
                     uint8_t src0RepeatStride, uint8_t src1RepeatStride) {                                        \
        using namespace AscendC;                                                                                  \
        AscVector call = asc::vector_call(asc::Op::operation, #name, asc::behind(dst));                           \
        asc::source(call, asc::behind(src0));                                                                     \
        asc::source(call, asc::behind(src1));                                                                     \
        asc::mask_form(call, uint64_t{0}, false, repeat);                                                         \
        asc::strides(call, BinaryRepeatParams{dstBlockStride, src0BlockStride, src1BlockStride, dstRepeatStride,  \
                                              src0RepeatStride, src1RepeatStride});                               \
        asc_vector(&call);                                                                                        \
    }
ASC_RAW_BINARY(vadd, Add)
ASC_RAW_BINARY(vsub, Sub)
ASC_RAW_BINARY(vmul, Mul)
ASC_RAW_BINARY(vdiv, Div)
ASC_RAW_BINARY(vmax, Max)
ASC_RAW_BINARY(vmin, Min)
ASC_RAW_BINARY(vand, And)
ASC_RAW_BINARY(vor, Or)
#undef ASC_RAW_BINARY

// Sum of each repeat. With `mode` the sums of all repeats go to a register instead (get_acc_val), and dst may be null.
template <typename T>
inline void vcadd(__ubuf__ T* dst, __ubuf__ T* src, uint8_t repeat, uint16_t dstRepeatStride, uint16_t srcBlockStride,
                  uint16_t srcRepeatStride, bool mode) {
    using namespace AscendC;
    AscVector call = asc::raw_reduce(mode ? asc::Op::ReduceSum : asc::Op::WholeReduceSum, "vcadd", dst, src, repeat,
                                     dstRepeatStride, srcBlockStride, srcRepeatStride);
    call.option = mode ? 2 : 0;
    asc_vector(&call);
}
// Sum of each block.
template <typename T>
inline void vcgadd(__ubuf__ T* dst, __ubuf__ T* src, uint8_t repeat, uint16_t dstRepeatStride, uint16_t srcBlockStride,
                   uint16_t srcRepeatStride) {
    using namespace AscendC;
    const AscVector call = asc::raw_reduce(asc::Op::BlockReduceSum, "vcgadd", dst, src, repeat, dstRepeatStride,
                                           srcBlockStride, srcRepeatStride);
    asc_vector(&call);
}

template <typename T>
inline void vector_dup(__ubuf__ T* dst, T value, uint8_t repeat, uint16_t dstBlockStride, uint16_t,
                       uint8_t dstRepeatStride, uint8_t) {
    using namespace AscendC;
    AscVector call = asc::vector_call(asc::Op::Duplicate, "vector_dup", asc::behind(dst));
    asc::scalar(call, value);
    asc::mask_form(call, uint64_t{0}, false, repeat);
    call.dst_block = dstBlockStride;
    call.dst_repeat = dstRepeatStride;
    asc_vector(&call);
}

// Four bits a source element; the mask counts elements, the strides of both sides their own blocks.
inline void vconv_s42f16(__ubuf__ half* dst, __ubuf__ int4b_t* src, uint8_t repeat, uint16_t dstBlockStride,
                         uint16_t srcBlockStride, uint16_t dstRepeatStride, uint16_t srcRepeatStride) {
    using namespace AscendC;
    AscVector call = asc::vector_call(asc::Op::Cast, "vconv_s42f16", asc::behind(dst));
    asc::source(call, asc::behind(src));
    call.mode = static_cast<uint8_t>(RoundMode::CAST_NONE);
    asc::mask_form(call, uint64_t{0}, false, repeat);
    asc::strides(call, UnaryRepeatParams{dstBlockStride, srcBlockStride, static_cast<uint8_t>(dstRepeatStride),
                                         static_cast<uint8_t>(srcRepeatStride)});
    asc_vector(&call);
}

// 16 x 16 elements of 16 bits.
template <typename T>
inline void vtranspose(__ubuf__ T* dst, __ubuf__ T* src) {
    using namespace AscendC;
    static_assert(sizeof(T) == 2, "vtranspose moves elements of 16 bits");
    AscComposite call{};
    call.op = static_cast<uint16_t>(ascendopt::Composite::Transpose);
    call.api = "vtranspose";
    call.outputs = call.inputs = 1;
    call.out[0] = asc::behind(dst);
    call.in[0] = asc::behind(src);
    asc_composite(&call);
}

// Eight addresses of a VA register; two registers name the sixteen blocks of one side of a scatter_vnchwconv.
inline void set_va_reg_sb(asc_address_register which, uint64_t* addresses) { asc_va_register(which, addresses); }
#define ASC_RAW_NCHW(name, type)                                                                                   \
    inline void name(asc_address_register dst, asc_address_register src, uint8_t repeat, uint16_t dstRepeatStride, \
                     uint16_t srcRepeatStride) {                                                                   \
        using namespace AscendC;                                                                                   \
        AscComposite call{};                                                                                       \
        call.op = static_cast<uint16_t>(ascendopt::Composite::TransDataTo5HD);                                     \
        call.api = #name;                                                                                          \
        call.value[0] = reinterpret_cast<uintptr_t>(asc_va_list(dst));                                             \
        call.value[1] = reinterpret_cast<uintptr_t>(asc_va_list(src));                                             \
        call.value[2] = repeat;                                                                                    \
        call.value[3] = dstRepeatStride;                                                                           \
        call.value[4] = srcRepeatStride;                                                                           \
        call.value[6] = asc::dtype<type>;                                                                          \
        asc_composite(&call);                                                                                      \
    }
ASC_RAW_NCHW(scatter_vnchwconv_b16, uint16_t)
ASC_RAW_NCHW(scatter_vnchwconv_b32, uint32_t)
#undef ASC_RAW_NCHW

inline uint64_t get_acc_val() { return asc_vector_register(kAscReduceSum); }
inline uint64_t get_max_min_cnt() {
    return (asc_vector_register(kAscExtremeIndex) << 32) | asc_vector_register(kAscExtremeValue);
}

// The control register. Its bits choose how units treat overflow, rounding and prefetching, none of which changes what
// is modelled; so it keeps nothing.
inline uint64_t get_ctrl() { return 0; }
inline void set_ctrl(uint64_t) {}
inline uint64_t sbitset0(uint64_t value, int64_t bit) { return value & ~(uint64_t{1} << bit); }
inline uint64_t sbitset1(uint64_t value, int64_t bit) { return value | uint64_t{1} << bit; }
