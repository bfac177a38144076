// LocalTensor and GlobalTensor: views that know where they lie and how far they reach. No values live in them.
#pragma once
#include "base.h"

namespace AscendC {

namespace asc {
template <typename T>
ASC_INLINE uint32_t to_bytes(uint64_t elements) {
    if constexpr (std::is_same_v<T, int4b_t>) return static_cast<uint32_t>(elements / 2);
    return static_cast<uint32_t>(elements * sizeof(T));
}
template <typename T>
ASC_INLINE uint32_t to_elements(uint32_t bytes) {
    if constexpr (std::is_same_v<T, int4b_t>) return bytes * 2;
    return bytes / static_cast<uint32_t>(sizeof(T));
}
}  // namespace asc

template <typename T>
class LocalTensor {
  public:
    using PrimType = T;

    LocalTensor() = default;
    // Static tensor programming: `address` is a byte offset in the memory of `position`, `size` counts elements.
    LocalTensor(TPosition position, uint32_t address, uint32_t size)
        : where_{address, asc::to_bytes<T>(size), asc::dtype<T>, static_cast<uint8_t>(position), 0} {}
    explicit LocalTensor(const AscLocal& where) : where_(where) { where_.dtype = asc::dtype<T>; }

    // `dst = a + b` and the like (vector_operators.h).
    template <typename Expression, typename = typename Expression::AscExpression>
    LocalTensor& operator=(const Expression& expression) {
        expression.into(*this);
        return *this;
    }

    LocalTensor operator[](uint32_t offset) const {
        AscLocal part = where_;
        const uint32_t skip = asc::to_bytes<T>(offset);
        part.address += skip;
        part.bytes = skip < part.bytes ? part.bytes - skip : 0;
        return LocalTensor(part);
    }
    T& operator()(uint32_t offset) const {
        return *static_cast<T*>(asc_local_access(&where_, offset * sizeof(T), sizeof(T), kAscReadWrite));
    }

    T GetValue(uint32_t index) const {
        return *static_cast<const T*>(asc_local_access(&where_, index * sizeof(T), sizeof(T), 0));
    }
    template <typename U>
    void SetValue(uint32_t index, U value) const {
        *static_cast<T*>(asc_local_access(&where_, index * sizeof(T), sizeof(T), 1)) = static_cast<T>(value);
    }

    template <typename U>
    LocalTensor<U> ReinterpretCast() const {
        return LocalTensor<U>(where_);
    }
    __ubuf__ T* GetPhyAddr() const { return static_cast<T*>(asc_local(where_.position, where_.address)); }
    __ubuf__ T* GetPhyAddr(uint32_t offset) const { return GetPhyAddr() + offset; }
    uint32_t GetSize() const { return asc::to_elements<T>(where_.bytes); }
    void SetSize(uint32_t size) { where_.bytes = asc::to_bytes<T>(size); }
    uint32_t GetLength() const { return where_.bytes; }
    int32_t GetPosition() const { return where_.position; }
    void SetAddrWithOffset(LocalTensor<T>& source, uint32_t offset) { *this = source[offset]; }
    void SetUserTag(uint32_t tag) { tag_ = tag; }
    uint32_t GetUserTag() const { return tag_; }
    // Shape descriptions change nothing on the device.
    template <typename Shape>
    void SetShapeInfo(const Shape&) {}

    const AscLocal& where() const { return where_; }

  private:
    AscLocal where_{};
    uint32_t tag_ = 0;
};

template <typename T>
class GlobalTensor {
  public:
    using PrimType = T;

    void SetGlobalBuffer(__gm__ T* buffer, uint64_t size) {
        data_ = buffer;
        size_ = size;
    }
    void SetGlobalBuffer(__gm__ T* buffer) { SetGlobalBuffer(buffer, 0); }

    GlobalTensor operator[](uint64_t offset) const {
        GlobalTensor part = *this;
        part.data_ = reinterpret_cast<T*>(reinterpret_cast<uintptr_t>(data_) + step(offset));
        part.size_ = offset < size_ ? size_ - offset : 0;
        return part;
    }
    T& operator()(uint64_t offset) const { return *at(offset, kAscReadWrite); }

    T GetValue(uint64_t offset) const { return *at(offset, 0); }
    template <typename U>
    void SetValue(uint64_t offset, U value) const {
        *static_cast<T*>(asc_gm_access(reinterpret_cast<uintptr_t>(data_) + step(offset), sizeof(T), 1)) =
            static_cast<T>(value);
    }

    const __gm__ T* GetPhyAddr() const { return data_; }
    __gm__ T* GetPhyAddr(uint64_t offset) const { return data_ + offset; }
    uint64_t GetSize() const { return size_; }
    void SetL2CacheHint(CacheMode mode) { cache_ = mode; }
    template <typename Rw, typename Mode>
    void SetL2CacheHint(Rw, Mode) {}
    template <typename Shape>
    void SetShapeInfo(const Shape&) {}

    CacheMode cache() const { return cache_; }

  private:
    static uint64_t step(uint64_t offset) {
        if constexpr (std::is_same_v<T, int4b_t>) return offset / 2;
        return offset * sizeof(T);
    }
    __attribute__((always_inline)) T* at(uint64_t offset, uint8_t write) const {
        return static_cast<T*>(asc_gm_access(reinterpret_cast<uintptr_t>(data_) + step(offset), sizeof(T), write));
    }

    T* data_ = nullptr;
    uint64_t size_ = 0;
    CacheMode cache_ = CacheMode::CACHE_MODE_NORMAL;
};

}  // namespace AscendC
