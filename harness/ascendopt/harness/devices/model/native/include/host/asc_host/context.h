// The contexts that the framework hands to host functions. All state lives in the library; every method here is a
// call into it, which keeps the compilation of an operator's host code short.
#pragma once
#include "tensor.h"

namespace fe {
class PlatFormInfos;
}
namespace ascendopt::host {
struct Node;
}

namespace gert {

class TilingData {
  public:
    void* GetData() { return data_; }
    const void* GetData() const { return data_; }
    size_t GetCapacity() const { return capacity_; }
    size_t GetDataSize() const { return size_; }
    void SetDataSize(size_t size) { size_ = size; }
    ge::graphStatus Append(const void* bytes, size_t size);
    template <class T>
    ge::graphStatus Append(const T& value) {
        return Append(&value, sizeof(T));
    }
    template <class T>
    ge::graphStatus Append(const T* values, size_t count) {
        return Append(static_cast<const void*>(values), count * sizeof(T));
    }
    void Init(void* data, size_t capacity) {
        data_ = data;
        capacity_ = capacity;
        size_ = 0;
    }

  private:
    void* data_ = nullptr;
    size_t capacity_ = 0;
    size_t size_ = 0;
};

// Where the tensors of one IR input or output sit in the flat list.
class AnchorInstanceInfo {
  public:
    AnchorInstanceInfo() = default;
    AnchorInstanceInfo(uint32_t start, uint32_t count) : start_(start), count_(count) {}
    size_t GetInstanceStart() const { return start_; }
    size_t GetInstanceNum() const { return count_; }

  private:
    uint32_t start_ = 0;
    uint32_t count_ = 0;
};

class ComputeNodeInfo {
  public:
    const char* GetNodeType() const;
    const char* GetNodeName() const;
    size_t GetIrInputsNum() const;
    size_t GetIrOutputsNum() const;
    size_t GetInputsNum() const;
    size_t GetOutputsNum() const;
    const AnchorInstanceInfo* GetInputInstanceInfo(size_t ir_index) const;
    const CompileTimeTensorDesc* GetInputTdInfo(size_t index) const;
    const CompileTimeTensorDesc* GetOutputTdInfo(size_t index) const;
    const RuntimeAttrs* GetAttrs() const;
};

class KernelContext {
  public:
    KernelContext() = default;
    explicit KernelContext(ascendopt::host::Node* node) : node_(node) {}
    ascendopt::host::Node* node() const { return node_; }

  protected:
    ascendopt::host::Node* node_ = nullptr;
};

class ExtendedKernelContext : public KernelContext {
  public:
    using KernelContext::KernelContext;
    const char* GetNodeType() const;
    const char* GetNodeName() const;
    const ComputeNodeInfo* GetComputeNodeInfo() const;
    const AnchorInstanceInfo* GetIrInputInstanceInfo(size_t ir_index) const;
    const AnchorInstanceInfo* GetInputInstanceInfo(size_t ir_index) const;
    size_t GetComputeNodeInputNum() const;
    size_t GetComputeNodeOutputNum() const;
    const RuntimeAttrs* GetAttrs() const;
    // Descriptions: index is the flat index, ir_index the position in the operator definition.
    const CompileTimeTensorDesc* GetInputDesc(size_t index) const;
    const CompileTimeTensorDesc* GetOutputDesc(size_t index) const;
    const CompileTimeTensorDesc* GetRequiredInputDesc(size_t ir_index) const;
    const CompileTimeTensorDesc* GetOptionalInputDesc(size_t ir_index) const;
    const CompileTimeTensorDesc* GetDynamicInputDesc(size_t ir_index, size_t relative) const;
};

// What tiling and shape inference share: shapes and values of the inputs.
class ShapedContext : public ExtendedKernelContext {
  public:
    using ExtendedKernelContext::ExtendedKernelContext;
    const Tensor* GetInputTensor(size_t index) const;
    const Tensor* GetRequiredInputTensor(size_t ir_index) const;
    const Tensor* GetOptionalInputTensor(size_t ir_index) const;
    const Tensor* GetDynamicInputTensor(size_t ir_index, size_t relative) const;
};

class TilingContext : public ShapedContext {
  public:
    using ShapedContext::ShapedContext;
    const StorageShape* GetInputShape(size_t index) const;
    const StorageShape* GetRequiredInputShape(size_t ir_index) const;
    const StorageShape* GetOptionalInputShape(size_t ir_index) const;
    const StorageShape* GetDynamicInputShape(size_t ir_index, size_t relative) const;
    const StorageShape* GetOutputShape(size_t index) const;
    const void* GetCompileInfo() const;
    template <class T>
    const T* GetCompileInfo() const {
        return static_cast<const T*>(GetCompileInfo());
    }
    fe::PlatFormInfos* GetPlatformInfo() const;
    bool GetDeterministic() const;

    ge::graphStatus SetTilingKey(uint64_t key);
    uint64_t GetTilingKey() const;
    ge::graphStatus SetBlockDim(uint32_t block_dim);
    uint32_t GetBlockDim() const;
    ge::graphStatus SetSimdNumBlocks(uint32_t block_dim) { return SetBlockDim(block_dim); }
    ge::graphStatus SetAicpuBlockDim(uint32_t block_dim);
    ge::graphStatus SetScheduleMode(uint32_t mode);
    uint32_t GetScheduleMode() const;
    ge::graphStatus SetNeedAtomic(bool atomic);
    bool NeedAtomic() const;
    ge::graphStatus SetLocalMemorySize(uint32_t bytes);
    ge::graphStatus SetTilingCond(int32_t condition);

    TilingData* GetRawTilingData() const;
    template <class T>
    T* GetTilingData() const {
        TilingData* raw = GetRawTilingData();
        if (raw->GetCapacity() < sizeof(T)) return nullptr;
        raw->SetDataSize(sizeof(T));
        return static_cast<T*>(raw->GetData());
    }
    // Storage for `count` workspace sizes in bytes.
    size_t* GetWorkspaceSizes(size_t count) const;
    size_t GetWorkspaceNum() const;
};

class TilingParseContext : public ExtendedKernelContext {
  public:
    using ExtendedKernelContext::ExtendedKernelContext;
    template <class T>
    T* GetCompiledInfo() const {
        return static_cast<T*>(CompiledInfo());
    }
    const char* GetCompiledJson() const;
    fe::PlatFormInfos* GetPlatformInfo() const;

  private:
    void* CompiledInfo() const;
};

class InferShapeContext : public ShapedContext {
  public:
    using ShapedContext::ShapedContext;
    const Shape* GetInputShape(size_t index) const;
    const Shape* GetRequiredInputShape(size_t ir_index) const;
    const Shape* GetOptionalInputShape(size_t ir_index) const;
    const Shape* GetDynamicInputShape(size_t ir_index, size_t relative) const;
    Shape* GetOutputShape(size_t index) const;
};

template <class T>
class Range {
  public:
    const T* GetMin() const { return min_; }
    const T* GetMax() const { return max_; }
    T* GetMin() { return min_; }
    T* GetMax() { return max_; }
    void SetMin(T* min) { min_ = min; }
    void SetMax(T* max) { max_ = max; }

  private:
    T* min_ = nullptr;
    T* max_ = nullptr;
};

class InferShapeRangeContext : public ShapedContext {
  public:
    using ShapedContext::ShapedContext;
    const Range<Shape>* GetInputShapeRange(size_t) const { return nullptr; }
    Range<Shape>* GetOutputShapeRange(size_t) const { return nullptr; }
};

class InferDataTypeContext : public ExtendedKernelContext {
  public:
    using ExtendedKernelContext::ExtendedKernelContext;
    ge::DataType GetInputDataType(size_t index) const;
    ge::DataType GetRequiredInputDataType(size_t ir_index) const;
    ge::DataType GetOptionalInputDataType(size_t ir_index) const;
    ge::DataType GetDynamicInputDataType(size_t ir_index, size_t relative) const;
    ge::DataType GetOutputDataType(size_t index) const;
    ge::graphStatus SetOutputDataType(size_t index, ge::DataType type);
};

}  // namespace gert
