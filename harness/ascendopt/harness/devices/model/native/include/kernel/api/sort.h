// Sorting: records of 8 bytes (score low, index high), largest score first.
#pragma once
#include "transpose.h"

namespace AscendC {

template <typename T>
struct MrgSortSrcList {
    MrgSortSrcList() = default;
    MrgSortSrcList(const LocalTensor<T>& first, const LocalTensor<T>& second, const LocalTensor<T>& third,
                   const LocalTensor<T>& fourth)
        : src1(first), src2(second), src3(third), src4(fourth) {}
    LocalTensor<T> src1;
    LocalTensor<T> src2;
    LocalTensor<T> src3;
    LocalTensor<T> src4;
};

constexpr int32_t MRG_SORT_ELEMENT_LEN = 4;
struct MrgSort4Info {
    MrgSort4Info() = default;
    MrgSort4Info(const uint16_t lengths[MRG_SORT_ELEMENT_LEN], const bool suspend, const uint16_t valid,
                 const uint16_t repeats)
        : ifExhaustedSuspension(suspend), validBit(valid), repeatTimes(repeats) {
        for (int32_t i = 0; i < MRG_SORT_ELEMENT_LEN; ++i) elementLengths[i] = lengths[i];
    }
    uint16_t elementLengths[MRG_SORT_ELEMENT_LEN] = {0};
    bool ifExhaustedSuspension = false;
    uint16_t validBit = 0;
    uint8_t repeatTimes = 1;
};

namespace asc {
template <typename T>
ASC_INLINE AscComposite sort_call(Composite op, const char* api, const LocalTensor<T>& dst,
                                  const LocalTensor<T>& scores, const LocalTensor<uint32_t>& indices, int32_t groups) {
    AscComposite call = composite(op, api, dst, scores);
    call.inputs = 2;
    call.in[1] = indices.where();
    call.value[0] = static_cast<uint32_t>(groups);
    return call;
}
template <typename T>
ASC_INLINE AscComposite merge_call(const char* api, const LocalTensor<T>& dst, const MrgSortSrcList<T>& lists,
                                   const uint16_t* lengths, bool suspend, uint16_t valid, uint32_t repeats) {
    AscComposite call = composite(Composite::MrgSort, api, dst, lists.src1);
    call.inputs = 4;
    call.in[1] = lists.src2.where();
    call.in[2] = lists.src3.where();
    call.in[3] = lists.src4.where();
    for (int32_t i = 0; i < MRG_SORT_ELEMENT_LEN; ++i) call.value[i] = lengths[i];
    call.value[4] = valid;
    call.value[5] = repeats;
    call.value[6] = suspend ? 1 : 0;
    return call;
}
}  // namespace asc

template <typename T>
inline void Sort32(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<uint32_t>& src1,
                   const int32_t repeatTime) {
    const AscComposite call = asc::sort_call(asc::Composite::Sort32, "Sort32", dst, src0, src1, repeatTime);
    asc_composite(&call);
}
template <typename T>
inline void MrgSort(const LocalTensor<T>& dst, const MrgSortSrcList<T>& src, const MrgSort4Info& params) {
    const AscComposite call = asc::merge_call("MrgSort", dst, src, params.elementLengths, params.ifExhaustedSuspension,
                                              params.validBit, params.repeatTimes);
    asc_composite(&call);
}
template <typename T, bool isExhaustedSuspension = false>
inline void MrgSort(const LocalTensor<T>& dst, const MrgSortSrcList<T>& sortList, const uint16_t elementCountList[4],
                    uint32_t sortedNum[4], uint16_t validBit, const int32_t repeatTime) {
    AscComposite call = asc::merge_call("MrgSort", dst, sortList, elementCountList, isExhaustedSuspension, validBit,
                                        static_cast<uint32_t>(repeatTime));
    call.value[7] = reinterpret_cast<uintptr_t>(sortedNum);
    asc_composite(&call);
}
// How many records the last MrgSort took of each list.
inline void GetMrgSortResult(uint16_t& mrgSortList1, uint16_t& mrgSortList2, uint16_t& mrgSortList3,
                             uint16_t& mrgSortList4) {
    const uint64_t taken = asc_vector_register(kAscMerged);
    mrgSortList1 = static_cast<uint16_t>(taken);
    mrgSortList2 = static_cast<uint16_t>(taken >> 16);
    mrgSortList3 = static_cast<uint16_t>(taken >> 32);
    mrgSortList4 = static_cast<uint16_t>(taken >> 48);
}

// On this architecture the scores are sorted where they are.
template <typename T>
inline void Concat(LocalTensor<T>& concat, const LocalTensor<T>& src, const LocalTensor<T>&, const int32_t) {
    concat = src;
}
// `repeatTime` groups of 32 scores, each sorted, or all in one order.
template <typename T, bool isFullSort>
inline void Sort(const LocalTensor<T>& dst, const LocalTensor<T>& concat, const LocalTensor<uint32_t>& index,
                 LocalTensor<T>& tmp, const int32_t repeatTime) {
    AscComposite call = asc::sort_call(asc::Composite::Sort, "Sort", dst, concat, index, repeatTime);
    call.value[1] = isFullSort;
    if (isFullSort) call.tmp = tmp.where();
    asc_composite(&call);
}
template <typename T>
inline void Extract(const LocalTensor<T>& dstValue, const LocalTensor<uint32_t>& dstIndex, const LocalTensor<T>& sorted,
                    const int32_t repeatTime) {
    AscComposite call = asc::composite(asc::Composite::Extract, "Extract", dstValue, sorted);
    call.outputs = 2;
    call.out[1] = dstIndex.where();
    call.value[0] = static_cast<uint32_t>(repeatTime);
    asc_composite(&call);
}
// Sizes and offsets of records in elements of T.
template <typename T>
inline uint32_t GetSortLen(const uint32_t elemCount) {
    return elemCount * (8 / static_cast<uint32_t>(sizeof(T)));
}
template <typename T>
inline uint32_t GetSortOffset(const uint32_t elemOffset) {
    return elemOffset * (8 / static_cast<uint32_t>(sizeof(T)));
}

enum class TopKMode { TOPK_NORMAL = 0, TOPK_NSMALL = 1 };
struct TopKInfo {
    int32_t outter = 1;
    int32_t inner;
    int32_t n;
};

namespace asc {
template <typename T>
ASC_INLINE AscComposite top_k_call(const LocalTensor<T>& values, const LocalTensor<int32_t>& indices,
                                   const LocalTensor<T>& src, const LocalTensor<int32_t>& src_indices,
                                   const LocalTensor<bool>& finish, int32_t k, const TopKInfo& info, bool largest) {
    AscComposite call = composite(Composite::TopK, "TopK", values, src);
    call.outputs = 2;
    call.inputs = 2;
    call.out[1] = indices.where();
    call.in[1] = src_indices.where();
    call.in[2] = finish.where();
    const int32_t sizes[] = {info.outter, info.inner, info.n, k};
    for (int32_t i = 0; i < 4; ++i) call.value[i] = static_cast<uint32_t>(sizes[i]);
    call.value[4] = largest;
    return call;
}
}  // namespace asc

// The k largest or smallest of each row and their indices. `Tiling` stands for TopkTiling.
#define ASC_TOP_K(scratch, with_scratch)                                                                           \
    template <typename T, bool isInitIndex = false, bool isHasfinish = false, bool isReuseSrc = false,             \
              enum TopKMode topkMode = TopKMode::TOPK_NORMAL, typename Tiling>                                     \
    inline void TopK(const LocalTensor<T>& dstValueLocal, const LocalTensor<int32_t>& dstIndexLocal,               \
                     const LocalTensor<T>& srcLocal, const LocalTensor<int32_t>& srcIndexLocal,                    \
                     const LocalTensor<bool>& finishLocal, scratch const int32_t k, const Tiling&,                 \
                     const TopKInfo& topKInfo, const bool isLargest = true) {                                      \
        AscComposite call = asc::top_k_call(dstValueLocal, dstIndexLocal, srcLocal, srcIndexLocal, finishLocal, k, \
                                            topKInfo, isLargest);                                                  \
        call.value[5] = !isInitIndex;                                                                              \
        call.value[6] = topkMode == TopKMode::TOPK_NSMALL;                                                         \
        call.value[7] = isHasfinish;                                                                               \
        with_scratch;                                                                                              \
        asc_composite(&call);                                                                                      \
    }
#define ASC_SCRATCH const LocalTensor<uint8_t>&tmpLocal,
ASC_TOP_K(ASC_SCRATCH, call.tmp = tmpLocal.where())
ASC_TOP_K(, (void)0)
#undef ASC_SCRATCH
#undef ASC_TOP_K

// Region proposals are a format of older chips. Operators name these functions in branches for those; elsewhere a call
// ends the run with a message.
namespace asc {
#if __NPU_ARCH__ == 1001 || __NPU_ARCH__ == 2002
constexpr bool kProposals = true;
#else
constexpr bool kProposals = false;
#endif
template <typename T>
ASC_INLINE AscComposite proposal_call(Composite op, const char* api, const LocalTensor<T>& dst,
                                      const LocalTensor<T>& src, int32_t groups, int32_t element = 0) {
    AscComposite call = composite(op, api, dst, src);
    call.value[0] = static_cast<uint32_t>(groups);
    call.value[1] = static_cast<uint32_t>(element);
    call.value[11] = kProposals;
    return call;
}
}  // namespace asc
// Elements 0 to 5 of a proposal: x1, y1, x2, y2, score, label.
template <typename T>
inline void ProposalConcat(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t repeatTime,
                           const int32_t modeNumber) {
    const AscComposite call =
        asc::proposal_call(asc::Composite::ProposalConcat, "ProposalConcat", dst, src, repeatTime, modeNumber);
    asc_composite(&call);
}
template <typename T>
inline void ProposalExtract(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t repeatTime,
                            const int32_t modeNumber) {
    const AscComposite call =
        asc::proposal_call(asc::Composite::ProposalExtract, "ProposalExtract", dst, src, repeatTime, modeNumber);
    asc_composite(&call);
}
template <typename T>
inline void RpSort16(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t repeatTime) {
    const AscComposite call = asc::proposal_call(asc::Composite::RpSort16, "RpSort16", dst, src, repeatTime);
    asc_composite(&call);
}
template <typename T>
inline void MrgSort4(const LocalTensor<T>& dst, const MrgSortSrcList<T>& src, const MrgSort4Info& params) {
    AscComposite call = asc::merge_call("MrgSort4", dst, src, params.elementLengths, params.ifExhaustedSuspension,
                                        params.validBit, params.repeatTimes);
    call.op = static_cast<uint16_t>(asc::Composite::MrgSort4);
    call.value[11] = asc::kProposals;
    asc_composite(&call);
}

}  // namespace AscendC
