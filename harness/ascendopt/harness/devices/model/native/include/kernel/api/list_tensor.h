// A dynamic input in global memory: the byte offset of its pointers, descriptions of the tensors, the pointers.
#pragma once
#include "tensor.h"

namespace AscendC {

class ListTensorDesc {
  public:
    ListTensorDesc() = default;
    ListTensorDesc(__gm__ void* data, uint32_t length = 0xffffffff, uint32_t shapeSize = 0xffffffff) {
        Init(data, length, shapeSize);
    }
    // The lengths are only there to be checked by those who know them.
    void Init(__gm__ void* data, uint32_t = 0xffffffff, uint32_t = 0xffffffff) {
        list_ = reinterpret_cast<uintptr_t>(data);
    }
    template <class T>
    T* GetDataPtr(uint32_t index) {
        const uint64_t offset = *static_cast<const uint64_t*>(asc_gm_access(list_, sizeof(uint64_t), 0));
        const uint64_t place = list_ + offset + sizeof(uint64_t) * index;
        return reinterpret_cast<T*>(*static_cast<const uint64_t*>(asc_gm_access(place, sizeof(uint64_t), 0)));
    }

  private:
    uint64_t list_ = 0;
};

}  // namespace AscendC
