// What the programs of this folder share: a kernel that adds a constant, and memory on the device.
#pragma once
#include <cstdint>
#include <cstdio>
#include <vector>

#include "acl/acl.h"
#include "kernel_operator.h"

template <typename T>
__aicore__ inline void AddConstant(__gm__ T* x, __gm__ T* y, uint32_t begin, uint32_t count, T constant) {
    AscendC::TPipe pipe;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> in;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> out;
    AscendC::GlobalTensor<T> from, to;
    from.SetGlobalBuffer(x + begin);
    to.SetGlobalBuffer(y + begin);
    pipe.InitBuffer(in, 1, count * sizeof(T));
    pipe.InitBuffer(out, 1, count * sizeof(T));
    AscendC::LocalTensor<T> source = in.AllocTensor<T>();
    AscendC::DataCopy(source, from, count);  // READ
    in.EnQue(source);
    source = in.DeQue<T>();
    AscendC::LocalTensor<T> target = out.AllocTensor<T>();
    AscendC::Adds(target, source, constant, static_cast<int32_t>(count));
    out.EnQue(target);
    in.FreeTensor(source);
    target = out.DeQue<T>();
    AscendC::DataCopy(to, target, count);
    out.FreeTensor(target);
}

template <typename T>
T* ToDevice(const std::vector<T>& values) {
    T* device = nullptr;
    const size_t bytes = values.size() * sizeof(T);
    aclrtMalloc(reinterpret_cast<void**>(&device), bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMemcpy(device, bytes, values.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE);
    return device;
}

template <typename T>
std::vector<T> FromDevice(const T* device, size_t count) {
    std::vector<T> values(count);
    aclrtMemcpy(values.data(), count * sizeof(T), device, count * sizeof(T), ACL_MEMCPY_DEVICE_TO_HOST);
    return values;
}
