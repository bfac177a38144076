// An operator whose outputs are a list, a follower of an input and one whose type the table of types decides.
#include "register/op_def_registry.h"

namespace {
ge::graphStatus InferShape(gert::InferShapeContext* context) {
    const gert::Tensor* axis = context->GetRequiredInputTensor(1);
    const int64_t kept = axis->GetData<int32_t>() == nullptr ? -1 : axis->GetData<int32_t>()[0];
    size_t listed = 0;
    for (; context->GetDynamicInputShape(0, listed) != nullptr; ++listed) {
        *context->GetOutputShape(listed) = *context->GetDynamicInputShape(0, listed);
    }
    *context->GetOutputShape(listed) = gert::Shape({kept});
    *context->GetOutputShape(listed + 1) = gert::Shape({static_cast<int64_t>(listed), 2});
    return ge::GRAPH_SUCCESS;
}

ge::graphStatus Tile(gert::TilingContext* context) {
    context->SetBlockDim(1);
    return ge::GRAPH_SUCCESS;
}
}  // namespace

namespace ops {
class Listed : public OpDef {
  public:
    explicit Listed(const char* name) : OpDef(name) {
        this->Input("parts").ParamType(DYNAMIC).DataType({ge::DT_FLOAT16, ge::DT_FLOAT});
        this->Input("axis").ParamType(REQUIRED).ValueDepend(REQUIRED).DataType({ge::DT_INT32, ge::DT_INT32});
        this->Output("same").ParamType(DYNAMIC).DataType({ge::DT_FLOAT16, ge::DT_FLOAT});
        this->Output("where").ParamType(REQUIRED).Follow("axis");
        this->Output("mask").ParamType(REQUIRED).DataType({ge::DT_INT8, ge::DT_UINT8});
        this->SetInferShape(InferShape);
        this->AICore().SetTiling(Tile).AddConfig("ascend910b");
    }
};
OP_ADD(Listed);
}  // namespace ops
