#include "registry.h"

namespace ascendopt::host {

Registry& registry() {
    static auto* instance = new Registry();  // outlives the static destructors of the loaded object
    return *instance;
}

const OpRecord* Registry::find(const std::string& op) const {
    for (const OpRecord* record : ops) {
        if (record->type == op) return record;
    }
    return nullptr;
}

}  // namespace ascendopt::host

namespace gert {

using ascendopt::host::AttrKind;
using ascendopt::host::AttrRecord;
using ascendopt::host::registry;

OpImplRegisterV2::OpImplRegisterV2(const char* op_type) : functions_(&registry().functions[op_type]) {}

OpImplRegisterV2& OpImplRegisterV2::Tiling(TilingKernelFunc function, size_t) {
    functions_->tiling = function;
    return *this;
}

OpImplRegisterV2& OpImplRegisterV2::Parse(TilingParseFunc function, CompileInfoCreator create) {
    functions_->parse = function;
    functions_->create_compile_info = create;
    return *this;
}

OpImplRegisterV2& OpImplRegisterV2::InferShape(InferShapeKernelFunc function) {
    functions_->infer_shape = function;
    return *this;
}

OpImplRegisterV2& OpImplRegisterV2::InferShapeRange(InferShapeRangeKernelFunc) { return *this; }

OpImplRegisterV2& OpImplRegisterV2::InferDataType(InferDataTypeKernelFunc function) {
    functions_->infer_dtype = function;
    return *this;
}

OpImplRegisterV2& OpImplRegisterV2::InferOutDataTypeSameWithFirstInput() {
    functions_->dtype_of_first_input = true;
    return *this;
}

// Values are handed over whenever the case gives them, so the dependency lists need no record.
OpImplRegisterV2& OpImplRegisterV2::InputsDataDependency(std::initializer_list<int32_t>) { return *this; }
OpImplRegisterV2& OpImplRegisterV2::TilingInputsDataDependency(std::initializer_list<int32_t>) { return *this; }
OpImplRegisterV2& OpImplRegisterV2::TilingInputsDataDependency(std::initializer_list<int32_t>, enum_placement_list) {
    return *this;
}
OpImplRegisterV2& OpImplRegisterV2::OutputShapeDependOnCompute(std::initializer_list<int32_t>) { return *this; }

static AttrRecord& AddPrivate(ascendopt::host::OpFunctions* functions, const char* name, AttrKind kind) {
    AttrRecord attr;
    attr.name = name;
    attr.kind = kind;
    attr.required = kind == AttrKind::kNone;
    attr.has_default = kind != AttrKind::kNone;
    functions->private_attrs.push_back(attr);
    return functions->private_attrs.back();
}

OpImplRegisterV2& OpImplRegisterV2::PrivateAttr(const char* name) {
    AddPrivate(functions_, name, AttrKind::kNone);
    return *this;
}
OpImplRegisterV2& OpImplRegisterV2::PrivateAttr(const char* name, int64_t value) {
    AddPrivate(functions_, name, AttrKind::kInt).ints = {value};
    return *this;
}
OpImplRegisterV2& OpImplRegisterV2::PrivateAttr(const char* name, float value) {
    AddPrivate(functions_, name, AttrKind::kFloat).floats = {value};
    return *this;
}
OpImplRegisterV2& OpImplRegisterV2::PrivateAttr(const char* name, bool value) {
    AddPrivate(functions_, name, AttrKind::kBool).ints = {value ? 1 : 0};
    return *this;
}
OpImplRegisterV2& OpImplRegisterV2::PrivateAttr(const char* name, const char* value) {
    AddPrivate(functions_, name, AttrKind::kString).text = value;
    return *this;
}

}  // namespace gert
