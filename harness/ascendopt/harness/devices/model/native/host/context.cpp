#include "asc_host/context.h"

#include <cstring>

#include "node.h"

namespace gert {

using ascendopt::host::Node;

namespace {

// RuntimeAttrs and ComputeNodeInfo are handed out as pointers without state of their own: both are views of the one
// node that is being worked on, which the contexts set when they give them out.
Node* current = nullptr;

const Tensor* At(const std::vector<Tensor>& tensors, size_t index) {
    return index < tensors.size() ? &tensors[index] : nullptr;
}

// The tensor of an IR input; null when it is absent.
const Tensor* Ir(const Node& node, size_t ir_index, size_t relative) {
    if (ir_index >= node.input_anchors.size()) return nullptr;
    const AnchorInstanceInfo& anchor = node.input_anchors[ir_index];
    return relative < anchor.GetInstanceNum() ? &node.inputs[anchor.GetInstanceStart() + relative] : nullptr;
}

const CompileTimeTensorDesc* Desc(const Tensor* tensor) { return tensor == nullptr ? nullptr : &tensor->Desc(); }
const StorageShape* ShapeOf(const Tensor* tensor) { return tensor == nullptr ? nullptr : &tensor->GetShape(); }
const Shape* Storage(const Tensor* tensor) { return tensor == nullptr ? nullptr : &tensor->GetStorageShape(); }
ge::DataType Type(const Tensor* tensor) { return tensor == nullptr ? ge::DT_UNDEFINED : tensor->GetDataType(); }

}  // namespace

ge::graphStatus TilingData::Append(const void* bytes, size_t size) {
    if (size_ + size > capacity_) return ge::GRAPH_FAILED;
    std::memcpy(static_cast<char*>(data_) + size_, bytes, size);
    size_ += size;
    return ge::GRAPH_SUCCESS;
}

size_t RuntimeAttrs::GetAttrNum() const { return current->attrs.size(); }

const void* RuntimeAttrs::Pointer(size_t index) const {
    if (index >= current->attrs.size() || current->attrs[index].empty()) return nullptr;
    return current->attrs[index].data();
}

const char* ComputeNodeInfo::GetNodeType() const { return current->type.c_str(); }
const char* ComputeNodeInfo::GetNodeName() const { return current->type.c_str(); }
size_t ComputeNodeInfo::GetIrInputsNum() const { return current->input_anchors.size(); }
size_t ComputeNodeInfo::GetIrOutputsNum() const { return current->output_anchors.size(); }
size_t ComputeNodeInfo::GetInputsNum() const { return current->inputs.size(); }
size_t ComputeNodeInfo::GetOutputsNum() const { return current->outputs.size(); }
const AnchorInstanceInfo* ComputeNodeInfo::GetInputInstanceInfo(size_t ir_index) const {
    return ir_index < current->input_anchors.size() ? &current->input_anchors[ir_index] : nullptr;
}
const CompileTimeTensorDesc* ComputeNodeInfo::GetInputTdInfo(size_t index) const {
    return Desc(At(current->inputs, index));
}
const CompileTimeTensorDesc* ComputeNodeInfo::GetOutputTdInfo(size_t index) const {
    return Desc(At(current->outputs, index));
}
static const RuntimeAttrs kAttrs;
const RuntimeAttrs* ComputeNodeInfo::GetAttrs() const { return &kAttrs; }

const char* ExtendedKernelContext::GetNodeType() const { return node_->type.c_str(); }
const char* ExtendedKernelContext::GetNodeName() const { return node_->type.c_str(); }
const ComputeNodeInfo* ExtendedKernelContext::GetComputeNodeInfo() const {
    current = node_;
    return &node_->info;
}
const AnchorInstanceInfo* ExtendedKernelContext::GetIrInputInstanceInfo(size_t ir_index) const {
    return GetComputeNodeInfo()->GetInputInstanceInfo(ir_index);
}
const AnchorInstanceInfo* ExtendedKernelContext::GetInputInstanceInfo(size_t ir_index) const {
    return GetComputeNodeInfo()->GetInputInstanceInfo(ir_index);
}
size_t ExtendedKernelContext::GetComputeNodeInputNum() const { return node_->inputs.size(); }
size_t ExtendedKernelContext::GetComputeNodeOutputNum() const { return node_->outputs.size(); }
const RuntimeAttrs* ExtendedKernelContext::GetAttrs() const {
    current = node_;
    return &kAttrs;
}
const CompileTimeTensorDesc* ExtendedKernelContext::GetInputDesc(size_t index) const {
    return Desc(At(node_->inputs, index));
}
const CompileTimeTensorDesc* ExtendedKernelContext::GetOutputDesc(size_t index) const {
    return Desc(At(node_->outputs, index));
}
const CompileTimeTensorDesc* ExtendedKernelContext::GetRequiredInputDesc(size_t ir_index) const {
    return Desc(Ir(*node_, ir_index, 0));
}
const CompileTimeTensorDesc* ExtendedKernelContext::GetOptionalInputDesc(size_t ir_index) const {
    return Desc(Ir(*node_, ir_index, 0));
}
const CompileTimeTensorDesc* ExtendedKernelContext::GetDynamicInputDesc(size_t ir_index, size_t relative) const {
    return Desc(Ir(*node_, ir_index, relative));
}

const Tensor* ShapedContext::GetInputTensor(size_t index) const { return At(node_->inputs, index); }
const Tensor* ShapedContext::GetRequiredInputTensor(size_t ir_index) const { return Ir(*node_, ir_index, 0); }
const Tensor* ShapedContext::GetOptionalInputTensor(size_t ir_index) const { return Ir(*node_, ir_index, 0); }
const Tensor* ShapedContext::GetDynamicInputTensor(size_t ir_index, size_t relative) const {
    return Ir(*node_, ir_index, relative);
}

const StorageShape* TilingContext::GetInputShape(size_t index) const { return ShapeOf(At(node_->inputs, index)); }
const StorageShape* TilingContext::GetRequiredInputShape(size_t ir_index) const {
    return ShapeOf(Ir(*node_, ir_index, 0));
}
const StorageShape* TilingContext::GetOptionalInputShape(size_t ir_index) const {
    return ShapeOf(Ir(*node_, ir_index, 0));
}
const StorageShape* TilingContext::GetDynamicInputShape(size_t ir_index, size_t relative) const {
    return ShapeOf(Ir(*node_, ir_index, relative));
}
const StorageShape* TilingContext::GetOutputShape(size_t index) const { return ShapeOf(At(node_->outputs, index)); }
const void* TilingContext::GetCompileInfo() const { return node_->compile_info; }
fe::PlatFormInfos* TilingContext::GetPlatformInfo() const { return &node_->platform; }
bool TilingContext::GetDeterministic() const { return node_->deterministic; }

ge::graphStatus TilingContext::SetTilingKey(uint64_t key) {
    node_->tiling_key = key;
    return ge::GRAPH_SUCCESS;
}
uint64_t TilingContext::GetTilingKey() const { return node_->tiling_key; }
ge::graphStatus TilingContext::SetBlockDim(uint32_t block_dim) {
    node_->block_dim = block_dim;
    return ge::GRAPH_SUCCESS;
}
uint32_t TilingContext::GetBlockDim() const { return node_->block_dim; }
ge::graphStatus TilingContext::SetAicpuBlockDim(uint32_t) { return ge::GRAPH_SUCCESS; }
ge::graphStatus TilingContext::SetScheduleMode(uint32_t mode) {
    node_->schedule_mode = mode;
    return ge::GRAPH_SUCCESS;
}
uint32_t TilingContext::GetScheduleMode() const { return node_->schedule_mode; }
ge::graphStatus TilingContext::SetNeedAtomic(bool atomic) {
    node_->atomic = atomic;
    return ge::GRAPH_SUCCESS;
}
bool TilingContext::NeedAtomic() const { return node_->atomic; }
ge::graphStatus TilingContext::SetLocalMemorySize(uint32_t) { return ge::GRAPH_SUCCESS; }
ge::graphStatus TilingContext::SetTilingCond(int32_t) { return ge::GRAPH_SUCCESS; }
TilingData* TilingContext::GetRawTilingData() const { return &node_->tiling; }
size_t* TilingContext::GetWorkspaceSizes(size_t count) const {
    if (node_->workspaces.size() < count) node_->workspaces.resize(count, 0);
    return node_->workspaces.data();
}
size_t TilingContext::GetWorkspaceNum() const { return node_->workspaces.size(); }

const char* TilingParseContext::GetCompiledJson() const { return "{}"; }
fe::PlatFormInfos* TilingParseContext::GetPlatformInfo() const { return &node_->platform; }
void* TilingParseContext::CompiledInfo() const { return node_->compile_info; }

const Shape* InferShapeContext::GetInputShape(size_t index) const { return Storage(At(node_->inputs, index)); }
const Shape* InferShapeContext::GetRequiredInputShape(size_t ir_index) const {
    return Storage(Ir(*node_, ir_index, 0));
}
const Shape* InferShapeContext::GetOptionalInputShape(size_t ir_index) const {
    return Storage(Ir(*node_, ir_index, 0));
}
const Shape* InferShapeContext::GetDynamicInputShape(size_t ir_index, size_t relative) const {
    return Storage(Ir(*node_, ir_index, relative));
}
Shape* InferShapeContext::GetOutputShape(size_t index) const {
    return index < node_->inferred.size() ? &node_->inferred[index] : nullptr;
}

ge::DataType InferDataTypeContext::GetInputDataType(size_t index) const { return Type(At(node_->inputs, index)); }
ge::DataType InferDataTypeContext::GetRequiredInputDataType(size_t ir_index) const {
    return Type(Ir(*node_, ir_index, 0));
}
ge::DataType InferDataTypeContext::GetOptionalInputDataType(size_t ir_index) const {
    return Type(Ir(*node_, ir_index, 0));
}
ge::DataType InferDataTypeContext::GetDynamicInputDataType(size_t ir_index, size_t relative) const {
    return Type(Ir(*node_, ir_index, relative));
}
ge::DataType InferDataTypeContext::GetOutputDataType(size_t index) const { return Type(At(node_->outputs, index)); }
ge::graphStatus InferDataTypeContext::SetOutputDataType(size_t index, ge::DataType type) {
    if (index >= node_->outputs.size()) return ge::GRAPH_FAILED;
    node_->outputs[index].SetDataType(type);
    return ge::GRAPH_SUCCESS;
}

}  // namespace gert
