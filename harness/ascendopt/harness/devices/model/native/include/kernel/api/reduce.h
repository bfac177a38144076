// Reductions over a tensor, a repeat, a block or a pair. Order and rounding follow the documented trees.
#pragma once
#include "vector_call.h"

namespace AscendC {

template <typename T, bool isSetMask = true>
inline void ReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer,
                      const int32_t count) {
    AscVector call = asc::vector_call(asc::Op::ReduceSum, "ReduceSum", dst.where());
    asc::source(call, src.where());
    call.tmp = sharedTmpBuffer.where();
    if constexpr (isSetMask) {
        asc::count_form(call, count);
    } else {
        // One instruction under the mask that is set; the count says nothing then.
        asc::mask_form(call, uint64_t{0}, false, 1);
        call.src_block[0] = 1;
        call.src_repeat[0] = 8;
    }
    asc_vector(&call);
}
template <typename T>
inline void ReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer,
                      const uint64_t mask[], const int32_t repeatTime, const int32_t srcRepStride) {
    AscVector call = asc::vector_call(asc::Op::ReduceSumRepeat, "ReduceSum", dst.where());
    asc::source(call, src.where());
    call.tmp = sharedTmpBuffer.where();
    asc::mask_form(call, mask, true, static_cast<uint32_t>(repeatTime));
    call.src_block[0] = 1;
    call.src_repeat[0] = static_cast<uint16_t>(srcRepStride);
    asc_vector(&call);
}
template <typename T>
inline void ReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer,
                      const int32_t mask, const int32_t repeatTime, const int32_t srcRepStride) {
    AscVector call = asc::vector_call(asc::Op::ReduceSumRepeat, "ReduceSum", dst.where());
    asc::source(call, src.where());
    call.tmp = sharedTmpBuffer.where();
    asc::mask_form(call, static_cast<uint64_t>(mask), true, static_cast<uint32_t>(repeatTime));
    call.src_block[0] = 1;
    call.src_repeat[0] = static_cast<uint16_t>(srcRepStride);
    asc_vector(&call);
}

#define ASC_REDUCE_EXTREME(name, repeat_op)                                                                            \
    template <typename T>                                                                                              \
    inline void name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer,      \
                     const int32_t count, bool calIndex = 0) {                                                         \
        AscVector call = asc::vector_call(asc::Op::name, #name, dst.where());                                          \
        asc::source(call, src.where());                                                                                \
        call.tmp = sharedTmpBuffer.where();                                                                            \
        call.option = calIndex;                                                                                        \
        asc::count_form(call, count);                                                                                  \
        asc_vector(&call);                                                                                             \
    }                                                                                                                  \
    template <typename T>                                                                                              \
    inline void name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer,      \
                     const uint64_t mask[], const int32_t repeatTime, const int32_t srcRepStride, bool calIndex = 0) { \
        AscVector call = asc::vector_call(asc::Op::repeat_op, #name, dst.where());                                     \
        asc::source(call, src.where());                                                                                \
        call.tmp = sharedTmpBuffer.where();                                                                            \
        call.option = calIndex;                                                                                        \
        asc::mask_form(call, mask, true, static_cast<uint32_t>(repeatTime));                                           \
        call.src_block[0] = 1;                                                                                         \
        call.src_repeat[0] = static_cast<uint16_t>(srcRepStride);                                                      \
        asc_vector(&call);                                                                                             \
    }                                                                                                                  \
    template <typename T>                                                                                              \
    inline void name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer,      \
                     const int32_t mask, const int32_t repeatTime, const int32_t srcRepStride, bool calIndex = 0) {    \
        AscVector call = asc::vector_call(asc::Op::repeat_op, #name, dst.where());                                     \
        asc::source(call, src.where());                                                                                \
        call.tmp = sharedTmpBuffer.where();                                                                            \
        call.option = calIndex;                                                                                        \
        asc::mask_form(call, static_cast<uint64_t>(mask), true, static_cast<uint32_t>(repeatTime));                    \
        call.src_block[0] = 1;                                                                                         \
        call.src_repeat[0] = static_cast<uint16_t>(srcRepStride);                                                      \
        asc_vector(&call);                                                                                             \
    }

ASC_REDUCE_EXTREME(ReduceMax, ReduceMaxRepeat)
ASC_REDUCE_EXTREME(ReduceMin, ReduceMinRepeat)
#undef ASC_REDUCE_EXTREME

namespace asc {
template <typename T, typename Mask>
ASC_INLINE AscVector repeat_reduce(Op op, const char* api, const LocalTensor<T>& dst, const LocalTensor<T>& src,
                                   Mask mask, bool set_mask, int32_t repeat, int32_t dst_repeat, int32_t src_block,
                                   int32_t src_repeat) {
    AscVector call = vector_call(op, api, dst.where());
    source(call, src.where());
    mask_form(call, mask, set_mask, static_cast<uint32_t>(repeat));
    call.dst_repeat = static_cast<uint16_t>(dst_repeat);
    call.src_block[0] = static_cast<uint16_t>(src_block);
    call.src_repeat[0] = static_cast<uint16_t>(src_repeat);
    return call;
}
}  // namespace asc

template <typename T, bool isSetMask = true>
inline void WholeReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint64_t mask[],
                           const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,
                           const int32_t srcRepStride) {
    const AscVector call = asc::repeat_reduce(asc::Op::WholeReduceSum, "WholeReduceSum", dst, src, mask, isSetMask,
                                              repeatTime, dstRepStride, srcBlkStride, srcRepStride);
    asc_vector(&call);
}
template <typename T, bool isSetMask = true>
inline void WholeReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t mask,
                           const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,
                           const int32_t srcRepStride) {
    const AscVector call =
        asc::repeat_reduce(asc::Op::WholeReduceSum, "WholeReduceSum", dst, src, static_cast<uint64_t>(mask), isSetMask,
                           repeatTime, dstRepStride, srcBlkStride, srcRepStride);
    asc_vector(&call);
}

// WholeReduceMax and WholeReduceMin: `order` says what is written for each repeat.
#define ASC_WHOLE_EXTREME(name)                                                                                        \
    template <typename T, bool isSetMask = true>                                                                       \
    inline void name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint64_t mask[],                      \
                     const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,                 \
                     const int32_t srcRepStride, ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX) {                 \
        AscVector call = asc::repeat_reduce(asc::Op::name, #name, dst, src, mask, isSetMask, repeatTime, dstRepStride, \
                                            srcBlkStride, srcRepStride);                                               \
        call.option = static_cast<uint8_t>(order);                                                                     \
        asc_vector(&call);                                                                                             \
    }                                                                                                                  \
    template <typename T, bool isSetMask = true>                                                                       \
    inline void name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t mask,                         \
                     const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,                 \
                     const int32_t srcRepStride, ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX) {                 \
        AscVector call = asc::repeat_reduce(asc::Op::name, #name, dst, src, static_cast<uint64_t>(mask), isSetMask,    \
                                            repeatTime, dstRepStride, srcBlkStride, srcRepStride);                     \
        call.option = static_cast<uint8_t>(order);                                                                     \
        asc_vector(&call);                                                                                             \
    }

ASC_WHOLE_EXTREME(WholeReduceMax)
ASC_WHOLE_EXTREME(WholeReduceMin)
#undef ASC_WHOLE_EXTREME

// The repeat count stands before the mask in these.
#define ASC_PART_REDUCE(name)                                                                                       \
    template <typename T, bool isSetMask = true>                                                                    \
    inline void name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t repeatTime,                \
                     const uint64_t mask[], const int32_t dstRepStride, const int32_t srcBlkStride,                 \
                     const int32_t srcRepStride) {                                                                  \
        const AscVector call = asc::repeat_reduce(asc::Op::name, #name, dst, src, mask, isSetMask, repeatTime,      \
                                                  dstRepStride, srcBlkStride, srcRepStride);                        \
        asc_vector(&call);                                                                                          \
    }                                                                                                               \
    template <typename T, bool isSetMask = true>                                                                    \
    inline void name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t repeatTime,                \
                     const int32_t mask, const int32_t dstRepStride, const int32_t srcBlkStride,                    \
                     const int32_t srcRepStride) {                                                                  \
        const AscVector call = asc::repeat_reduce(asc::Op::name, #name, dst, src, static_cast<uint64_t>(mask),      \
                                                  isSetMask, repeatTime, dstRepStride, srcBlkStride, srcRepStride); \
        asc_vector(&call);                                                                                          \
    }

ASC_PART_REDUCE(BlockReduceSum)
ASC_PART_REDUCE(BlockReduceMax)
ASC_PART_REDUCE(BlockReduceMin)
ASC_PART_REDUCE(PairReduceSum)
#undef ASC_PART_REDUCE

template <typename T, bool isSetMask = true>
inline void RepeatReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t repeatTime,
                            const int32_t elemsInOneRepeat, const int32_t dstBlkStride, const int32_t srcBlkStride,
                            const int32_t dstRepStride, const int32_t srcRepStride) {
    AscVector call = asc::repeat_reduce(asc::Op::RepeatReduceSum, "RepeatReduceSum", dst, src,
                                        static_cast<uint64_t>(elemsInOneRepeat), isSetMask, repeatTime, dstRepStride,
                                        srcBlkStride, srcRepStride);
    call.dst_block = static_cast<uint16_t>(dstBlkStride);
    asc_vector(&call);
}

// The names of later releases: what is reduced comes first.
enum class ReduceType : uint8_t { SUM, MAX, MIN };

#define ASC_REDUCE_NAMES(mask_type, as_mask)                                                                        \
    template <ReduceType reduceType, typename T, typename U, bool isSetMask = true>                                 \
    inline void ReduceRepeat(const LocalTensor<T>& dst, const LocalTensor<U>& src, mask_type,                       \
                             const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,      \
                             const int32_t srcRepStride, ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX) {      \
        constexpr asc::Op op = reduceType == ReduceType::SUM   ? asc::Op::WholeReduceSum                            \
                               : reduceType == ReduceType::MAX ? asc::Op::WholeReduceMax                            \
                                                               : asc::Op::WholeReduceMin;                           \
        AscVector call = asc::repeat_reduce(op, "ReduceRepeat", dst, src, as_mask, isSetMask, repeatTime,           \
                                            dstRepStride, srcBlkStride, srcRepStride);                              \
        if (reduceType != ReduceType::SUM) call.option = static_cast<uint8_t>(order);                               \
        asc_vector(&call);                                                                                          \
    }                                                                                                               \
    template <ReduceType reduceType, typename T, typename U, bool isSetMask = true>                                 \
    inline void ReduceDataBlock(const LocalTensor<T>& dst, const LocalTensor<U>& src, mask_type,                    \
                                const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,   \
                                const int32_t srcRepStride) {                                                       \
        constexpr asc::Op op = reduceType == ReduceType::SUM   ? asc::Op::BlockReduceSum                            \
                               : reduceType == ReduceType::MAX ? asc::Op::BlockReduceMax                            \
                                                               : asc::Op::BlockReduceMin;                           \
        const AscVector call = asc::repeat_reduce(op, "ReduceDataBlock", dst, src, as_mask, isSetMask, repeatTime,  \
                                                  dstRepStride, srcBlkStride, srcRepStride);                        \
        asc_vector(&call);                                                                                          \
    }                                                                                                               \
    template <ReduceType reduceType, typename T, typename U, bool isSetMask = true>                                 \
    inline void ReducePairElem(const LocalTensor<T>& dst, const LocalTensor<U>& src, mask_type,                     \
                               const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,    \
                               const int32_t srcRepStride) {                                                        \
        static_assert(reduceType == ReduceType::SUM, "ReducePairElem adds");                                        \
        const AscVector call = asc::repeat_reduce(asc::Op::PairReduceSum, "ReducePairElem", dst, src, as_mask,      \
                                                  isSetMask, repeatTime, dstRepStride, srcBlkStride, srcRepStride); \
        asc_vector(&call);                                                                                          \
    }
ASC_REDUCE_NAMES(const uint64_t mask[], mask)
ASC_REDUCE_NAMES(const int32_t mask, static_cast<uint64_t>(mask))
#undef ASC_REDUCE_NAMES

// The result of the last ReduceSum over a count.
template <typename T>
inline T GetReduceRepeatSumSpr() {
    const uint64_t pattern = asc_vector_register(kAscReduceSum);
    T value;
    __builtin_memcpy(&value, &pattern, sizeof value);
    return value;
}
inline uint64_t GetAccVal() { return asc_vector_register(kAscReduceSum); }
// The extreme of the last WholeReduceMax or WholeReduceMin over all repeats, and the bits of its index; earlier name
// second.
#define ASC_EXTREME_REGISTERS(name)                                   \
    template <typename T>                                             \
    inline void name(T& maxMinValue, T& maxMinIndex) {                \
        const uint64_t value = asc_vector_register(kAscExtremeValue); \
        const uint64_t index = asc_vector_register(kAscExtremeIndex); \
        __builtin_memcpy(&maxMinValue, &value, sizeof(T));            \
        __builtin_memcpy(&maxMinIndex, &index, sizeof(T));            \
    }
ASC_EXTREME_REGISTERS(GetReduceRepeatMaxMinSpr)
ASC_EXTREME_REGISTERS(GetReduceMaxMinCount)
#undef ASC_EXTREME_REGISTERS

}  // namespace AscendC
