// Pools of local memory: the library's, and the parts of one that an operator writes itself.
#pragma once
#include "pipe.h"

namespace AscendC {

// A range of local memory that hands out its own buffers.
template <TPosition position, uint32_t buffers = 4>
class TBufPool {
  public:
    static constexpr TPosition asc_position = position;

    template <TPosition source, TPosition destination, int32_t depth, auto mask>
    bool InitBuffer(TQueBind<source, destination, depth, mask>& que, uint8_t number, uint32_t bytes) {
        const uint32_t each = AlignUp(bytes, ONE_BLK_SIZE);
        que.asc_bind(asc_que_init(static_cast<uint8_t>(source), static_cast<uint8_t>(destination), number, bytes,
                                  base_ + used_, 1));
        used_ += each * number;
        return true;
    }
    template <TPosition at>
    bool InitBuffer(TBuf<at>& buffer, uint32_t bytes) {
        buffer.asc_bind(base_ + used_, AlignUp(bytes, ONE_BLK_SIZE));
        used_ += AlignUp(bytes, ONE_BLK_SIZE);
        return true;
    }
    template <typename Pool>
    bool InitBufPool(Pool& pool, uint32_t bytes) {
        pool.asc_bind(base_ + used_);
        used_ += AlignUp(bytes, ONE_BLK_SIZE);
        return true;
    }
    template <typename Pool, typename Shared>
    bool InitBufPool(Pool& pool, uint32_t, Shared& shared) {
        pool.asc_bind(shared.asc_base());
        return true;
    }
    // Waits for what the buffers of this pool are still used for; the next ones begin at its start again.
    void Reset() {
        asc_pool_reset(static_cast<uint8_t>(position), base_, base_ + used_);
        used_ = 0;
    }

    void asc_bind(uint32_t base) { base_ = base; }
    uint32_t asc_base() const { return base_; }

  private:
    uint32_t base_ = 0;
    uint32_t used_ = 0;
};

}  // namespace AscendC

// The members of a pool whose InitBuffer the operator writes: what is used of its memory, and how many buffers that is.
#define EXTERN_IMPL_BUFPOOL(name, position, buffers)                                          \
  public:                                                                                     \
    static constexpr AscendC::TPosition asc_position = position;                              \
    void Init() { asc_used_ = asc_count_ = 0; }                                               \
    void Reset() {                                                                            \
        asc_pool_reset(static_cast<uint8_t>(asc_position), asc_base_, asc_base_ + asc_used_); \
        asc_used_ = asc_count_ = 0;                                                           \
    }                                                                                         \
    AscendC::TBufHandle GetBufHandle(uint8_t offset) { return asc_handles_ + offset; }        \
    uint32_t GetCurAddr() { return asc_base_ + asc_used_; }                                   \
    void SetCurAddr(uint32_t address) { asc_used_ = address - asc_base_; }                    \
    uint8_t GetCurBufSize() { return static_cast<uint8_t>(asc_count_); }                      \
    void SetCurBufSize(uint8_t count) { asc_count_ = count; }                                 \
    void asc_bind(uint32_t base) { asc_base_ = base; }                                        \
    uint32_t asc_base() const { return asc_base_; }                                           \
                                                                                              \
  private:                                                                                    \
    uint32_t asc_base_ = 0, asc_used_ = 0, asc_count_ = 0;                                    \
    uint8_t asc_handles_[buffers] = {}
