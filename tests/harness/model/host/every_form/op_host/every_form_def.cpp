#include <register/op_def_registry.h>

namespace ge {
static graphStatus InferShape(gert::InferShapeContext* context) {
    const gert::Shape* x = context->GetInputShape(0);
    *context->GetOutputShape(0) = *x;
    context->GetOutputShape(0)->SetDim(0, x->GetDim(0) * 2);
    return GRAPH_SUCCESS;
}
static graphStatus InferDataType(gert::InferDataTypeContext* context) {
    return context->SetOutputDataType(0, ge::DT_FLOAT);
}
}  // namespace ge

namespace ops {
class EveryForm : public OpDef {
  public:
    explicit EveryForm(const char* name) : OpDef(name) {
        this->Input("x")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND})
            .UnknownShapeFormat({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Input("bias").ParamType(OPTIONAL).DataType({ge::DT_FLOAT, ge::DT_FLOAT});
        this->Input("parts").ParamType(DYNAMIC).DataType({ge::DT_INT32, ge::DT_INT32}).AutoContiguous();
        this->Input("axes").ParamType(REQUIRED).ValueDepend(REQUIRED).DataType({ge::DT_INT64, ge::DT_INT64});
        this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT, ge::DT_FLOAT});
        this->Attr("mode").AttrType(REQUIRED).Int();
        this->Attr("scale").AttrType(OPTIONAL).Float(0.1f);
        this->Attr("keep").AttrType(OPTIONAL).Bool(true);
        this->Attr("kind").AttrType(OPTIONAL).String("sum \"all\"");
        this->Attr("sizes").AttrType(OPTIONAL).ListInt({3, 4});
        this->Attr("weights").AttrType(OPTIONAL).ListFloat({0.5f, 2.0f});
        this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
        OpAICoreConfig old;
        old.Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT16});
        old.DynamicCompileStaticFlag(true).DynamicRankSupportFlag(true);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910", old);
    }
};
OP_ADD(EveryForm);
}  // namespace ops
