// TPipe, TQue, TBuf: thin handles. Buffers, their state and their events live in the runtime.
#pragma once
#include "tensor.h"

namespace AscendC {

using TBufHandle = uint8_t*;

enum class TBufState : uint8_t { FREE, OCCUPIED, ENQUE, DEQUE };

// Compile-time description of a queue, in place of the mask.
struct TQueConfig {
    bool nd2nz = false;
    bool nz2nd = false;
    bool scmBlockGroup = false;
    uint32_t bufferLen = 0;
    uint32_t bufferNumber = 0;
    uint32_t consumerSize = 0;
    TPosition consumer[8] = {};
    bool enableStaticEvtId = false;
    bool enableLoopQueue = false;
};

template <TPosition source, TPosition destination, int32_t depth, auto mask = 0>
class TQueBind {
  public:
    static constexpr TPosition srcPosition = source;
    static constexpr TPosition dstPosition = destination;
    // Where the buffers lie: at the source, unless that is global memory or, for a TSCM, the other side.
    static constexpr TPosition asc_home =
        source == TPosition::GM || destination == TPosition::TSCM ? destination : source;

    template <typename T>
    LocalTensor<T> AllocTensor() {
        AscLocal where{0, 0, 0, static_cast<uint8_t>(asc_home), 0};
        where.address = asc_que_alloc(que_, &where.bytes);
        return LocalTensor<T>(where);
    }
    template <typename T>
    void AllocTensor(LocalTensor<T>& tensor) {
        AscLocal where{0, 0, 0, static_cast<uint8_t>(asc_home), 0};
        where.address = asc_que_alloc(que_, &where.bytes);
        tensor = LocalTensor<T>(where);
    }
    template <typename T>
    bool EnQue(const LocalTensor<T>& tensor) {
        asc_que_enque(que_, tensor.where().address);
        return true;
    }
    template <TPosition from, TPosition to, typename T>
    bool EnQue(const LocalTensor<T>& tensor) {
        asc_que_enque_between(que_, tensor.where().address, static_cast<uint8_t>(from), static_cast<uint8_t>(to));
        return true;
    }
    template <typename T>
    LocalTensor<T> DeQue() {
        AscLocal where{0, 0, 0, static_cast<uint8_t>(destination), 0};
        where.address = asc_que_deque(que_, &where.bytes);
        return LocalTensor<T>(where);
    }
    template <TPosition, TPosition, typename T>
    LocalTensor<T> DeQue() {
        AscLocal where{0, 0, 0, static_cast<uint8_t>(destination), 0};
        where.address = asc_que_deque(que_, &where.bytes);
        return LocalTensor<T>(where);
    }
    template <typename T>
    void DeQue(LocalTensor<T>& tensor) {
        AscLocal where{0, 0, 0, static_cast<uint8_t>(destination), 0};
        where.address = asc_que_deque(que_, &where.bytes);
        tensor = LocalTensor<T>(where);
    }
    LocalTensor<uint8_t> DeQue() {
        AscLocal where{0, 0, 0, static_cast<uint8_t>(destination), 0};
        where.address = asc_que_deque(que_, &where.bytes);
        return LocalTensor<uint8_t>(where);
    }
    template <typename T>
    void FreeTensor(const LocalTensor<T>& tensor) {
        asc_que_free(que_, tensor.where().address);
    }

    bool VacantInQue() { return asc_que_query(que_, kAscQueFull) == 0; }
    bool HasTensorInQue() { return asc_que_query(que_, kAscQueTensors) != 0; }
    int32_t GetTensorCountInQue() { return static_cast<int32_t>(asc_que_query(que_, kAscQueTensors)); }
    bool HasIdleBuffer() { return asc_que_query(que_, kAscQueVacant) != 0; }
    void FreeAllEvent() { asc_que_forget(que_); }
    template <typename T>
    TBufState GetState(const LocalTensor<T>& tensor) const {
        return static_cast<TBufState>(asc_que_state(que_, tensor.where().address));
    }

    // Buffers wherever a pool of the operator's own puts them (EXTERN_IMPL_BUFPOOL).
    void InitStartBufHandle(TBufHandle, uint8_t number, uint32_t bytes) {
        que_ = asc_que_init(static_cast<uint8_t>(source), static_cast<uint8_t>(destination), number, bytes, 0, 1);
    }
    template <typename Pool>
    void InitBufHandle(Pool*, uint32_t index, TBufHandle, uint32_t address, uint32_t) {
        asc_que_place(que_, index, address);
    }

    // For TPipe and TBufPool.
    void asc_bind(uint32_t que) { que_ = que; }

  private:
    uint32_t que_ = 0;
};

// Room in L1 that vector cores fill for the Matmul library.
template <TPosition position, int32_t depth, auto mask = 0>
using TSCM = TQueBind<position, TPosition::TSCM, depth, mask>;

template <TPosition position, int32_t depth, auto mask = 0>
class TQue : public TQueBind<position, position, depth, mask> {};

template <TPosition position = TPosition::VECCALC>
class TBuf {
  public:
    template <typename T>
    LocalTensor<T> Get() const {
        return LocalTensor<T>(where_);
    }
    template <typename T>
    LocalTensor<T> Get(uint32_t length) const {
        LocalTensor<T> tensor(where_);
        tensor.SetSize(length);
        return tensor;
    }
    template <typename T>
    LocalTensor<T> GetWithOffset(uint32_t size, uint32_t offset_bytes) const {
        AscLocal part = where_;
        part.address += offset_bytes;
        LocalTensor<T> tensor(part);
        tensor.SetSize(size);
        return tensor;
    }
    uint32_t GetBufLen() const { return where_.bytes; }
    // A TBuf has one tensor and no queue: these only give it out.
    template <typename T>
    LocalTensor<T> AllocTensor() const {
        return LocalTensor<T>(where_);
    }
    template <typename T>
    void FreeTensor(const LocalTensor<T>&) const {}
    template <typename T>
    void EnQue(const LocalTensor<T>&) const {}
    template <typename T>
    LocalTensor<T> DeQue() const {
        return LocalTensor<T>(where_);
    }

    void InitStartBufHandle(TBufHandle, uint8_t, uint32_t) {}
    template <typename Pool>
    void InitBufHandle(Pool*, uint32_t, TBufHandle, uint32_t address, uint32_t bytes) {
        asc_bind(address, bytes);
    }

    // For TPipe and TBufPool.
    void asc_bind(uint32_t address, uint32_t bytes) {
        where_ = AscLocal{address, bytes, 0, static_cast<uint8_t>(position), 0};
    }

  private:
    AscLocal where_{};
};

class TPipe {
  public:
    TPipe() { asc_pipe_open(this); }
    ~TPipe() { asc_pipe_close(this, 1); }
    TPipe(const TPipe&) = default;
    void Init() { asc_pipe_open(this); }
    void Destroy() { asc_pipe_close(this, 1); }
    void Reset() { asc_pipe_close(this, 0); }

    template <TPosition source, TPosition destination, int32_t depth, auto mask>
    bool InitBuffer(TQueBind<source, destination, depth, mask>& que, uint8_t number, uint32_t bytes) {
        que.asc_bind(
            asc_que_init(static_cast<uint8_t>(source), static_cast<uint8_t>(destination), number, bytes, 0, 0));
        return true;
    }
    template <TPosition position>
    bool InitBuffer(TBuf<position>& buffer, uint32_t bytes) {
        buffer.asc_bind(asc_buffer_init(static_cast<uint8_t>(position), bytes), AlignUp(bytes, ONE_BLK_SIZE));
        return true;
    }
    template <typename Pool>
    bool InitBufPool(Pool& pool, uint32_t bytes) {
        pool.asc_bind(asc_buffer_init(static_cast<uint8_t>(Pool::asc_position), bytes));
        return true;
    }
    template <typename Pool, typename Shared>
    bool InitBufPool(Pool& pool, uint32_t, Shared& shared) {
        pool.asc_bind(shared.asc_base());
        return true;
    }

    template <HardEvent event>
    TEventID AllocEventID() {
        return static_cast<TEventID>(
            asc_event_alloc(static_cast<uint8_t>(event) >> 4, static_cast<uint8_t>(event) & 15));
    }
    template <HardEvent event>
    void ReleaseEventID(TEventID id) {
        asc_event_release(static_cast<uint8_t>(event) >> 4, static_cast<uint8_t>(event) & 15, id);
    }
    template <HardEvent event>
    TEventID FetchEventID() {
        return static_cast<TEventID>(
            asc_event_fetch(static_cast<uint8_t>(event) >> 4, static_cast<uint8_t>(event) & 15));
    }
    TEventID FetchEventID(HardEvent event) {
        return static_cast<TEventID>(
            asc_event_fetch(static_cast<uint8_t>(event) >> 4, static_cast<uint8_t>(event) & 15));
    }
};

inline TPipe* GetTPipePtr() { return static_cast<TPipe*>(asc_pipe_current()); }

// What no buffer uses of UB.
template <typename T, TPosition position>
inline bool PopStackBuffer(LocalTensor<T>& tensor) {
    AscLocal rest{};
    asc_stack_buffer(&rest);
    tensor = LocalTensor<T>(rest);
    return rest.bytes != 0;
}
template <TPosition position>
inline bool PopStackBuffer(TBuf<position>& buffer) {
    AscLocal rest{};
    asc_stack_buffer(&rest);
    buffer.asc_bind(rest.address, rest.bytes);
    return rest.bytes != 0;
}

}  // namespace AscendC

using AscendC::GetTPipePtr;
