#include "registry.h"

namespace ops {

using ascendopt::host::AttrKind;
using ascendopt::host::AttrRecord;
using ascendopt::host::ConfigRecord;
using ascendopt::host::OpRecord;
using ascendopt::host::ParamRecord;

// Records are never freed: definitions are static and live as long as the process.
OpParamDef::OpParamDef(const char* name) : record_(new ParamRecord()) { record_->name = name; }

OpParamDef& OpParamDef::ParamType(Option option) {
    record_->kind = option;
    return *this;
}
OpParamDef& OpParamDef::DataType(std::vector<ge::DataType> types) {
    record_->dtypes = std::move(types);
    return *this;
}
OpParamDef& OpParamDef::DataTypeList(std::vector<ge::DataType> types) {
    record_->cartesian = true;
    return DataType(std::move(types));
}
OpParamDef& OpParamDef::DataTypeForBinQuery(std::vector<ge::DataType>) { return *this; }
OpParamDef& OpParamDef::Format(std::vector<ge::Format> formats) {
    record_->formats = std::move(formats);
    return *this;
}
OpParamDef& OpParamDef::FormatList(std::vector<ge::Format> formats) { return Format(std::move(formats)); }
OpParamDef& OpParamDef::FormatForBinQuery(std::vector<ge::Format>) { return *this; }
OpParamDef& OpParamDef::UnknownShapeFormat(std::vector<ge::Format>) { return *this; }
OpParamDef& OpParamDef::ValueDepend(Option) {
    record_->value_depend = true;
    return *this;
}
OpParamDef& OpParamDef::ValueDepend(Option option, DependScope) { return ValueDepend(option); }
OpParamDef& OpParamDef::IgnoreContiguous() { return *this; }
OpParamDef& OpParamDef::AutoContiguous() { return *this; }
OpParamDef& OpParamDef::Scalar() {
    record_->scalar = true;
    return *this;
}
OpParamDef& OpParamDef::ScalarList() {
    record_->scalar_list = true;
    return *this;
}
OpParamDef& OpParamDef::To(ge::DataType) { return *this; }
OpParamDef& OpParamDef::To(const char*) { return *this; }
OpParamDef& OpParamDef::Version(uint32_t) { return *this; }
OpParamDef& OpParamDef::InitValue(uint64_t value) {
    record_->initial_values = {static_cast<double>(value)};
    return *this;
}
OpParamDef& OpParamDef::InitValue(const ScalarVar& value) {
    record_->initial_values = {value.value};
    return *this;
}
OpParamDef& OpParamDef::InitValue(const std::vector<ScalarVar>& values) {
    record_->initial_values.clear();
    for (const ScalarVar& each : values) record_->initial_values.push_back(each.value);
    return *this;
}
OpParamDef& OpParamDef::OutputShapeDependOnCompute() {
    record_->shape_computed = true;
    return *this;
}
OpParamDef& OpParamDef::Follow(const char* name) { return Follow(name, FollowType::ALL); }
OpParamDef& OpParamDef::Follow(const char* name, FollowType type) {
    if (type == FollowType::ALL || type == FollowType::DTYPE) record_->follows = name;
    return *this;
}
OpParamDef& OpParamDef::Comment(const char*) { return *this; }

static OpAttrDef& SetKind(OpAttrDef& attr, AttrKind kind, bool has_default) {
    attr.record()->kind = kind;
    attr.record()->has_default = has_default;
    return attr;
}

OpAttrDef::OpAttrDef(const char* name) : record_(new AttrRecord()) { record_->name = name; }
OpAttrDef& OpAttrDef::AttrType(Option option) {
    record_->required = option == REQUIRED;
    return *this;
}
OpAttrDef& OpAttrDef::Bool() { return SetKind(*this, AttrKind::kBool, false); }
OpAttrDef& OpAttrDef::Bool(bool value) {
    record_->ints = {value ? 1 : 0};
    return SetKind(*this, AttrKind::kBool, true);
}
OpAttrDef& OpAttrDef::Float() { return SetKind(*this, AttrKind::kFloat, false); }
OpAttrDef& OpAttrDef::Float(float value) {
    record_->floats = {value};
    return SetKind(*this, AttrKind::kFloat, true);
}
OpAttrDef& OpAttrDef::Int() { return SetKind(*this, AttrKind::kInt, false); }
OpAttrDef& OpAttrDef::Int(int64_t value) {
    record_->ints = {value};
    return SetKind(*this, AttrKind::kInt, true);
}
OpAttrDef& OpAttrDef::String() { return SetKind(*this, AttrKind::kString, false); }
OpAttrDef& OpAttrDef::String(const char* value) {
    record_->text = value;
    return SetKind(*this, AttrKind::kString, true);
}
OpAttrDef& OpAttrDef::ListBool() { return SetKind(*this, AttrKind::kListBool, false); }
OpAttrDef& OpAttrDef::ListBool(std::vector<bool> value) {
    record_->ints.assign(value.begin(), value.end());
    return SetKind(*this, AttrKind::kListBool, true);
}
OpAttrDef& OpAttrDef::ListFloat() { return SetKind(*this, AttrKind::kListFloat, false); }
OpAttrDef& OpAttrDef::ListFloat(std::vector<float> value) {
    record_->floats.assign(value.begin(), value.end());
    return SetKind(*this, AttrKind::kListFloat, true);
}
OpAttrDef& OpAttrDef::ListInt() { return SetKind(*this, AttrKind::kListInt, false); }
OpAttrDef& OpAttrDef::ListInt(std::vector<int64_t> value) {
    record_->ints = std::move(value);
    return SetKind(*this, AttrKind::kListInt, true);
}
OpAttrDef& OpAttrDef::ListListInt() { return SetKind(*this, AttrKind::kListListInt, false); }
OpAttrDef& OpAttrDef::ListListInt(std::vector<std::vector<int64_t>>) {
    return SetKind(*this, AttrKind::kListListInt, false);
}
OpAttrDef& OpAttrDef::Version(uint32_t) { return *this; }
OpAttrDef& OpAttrDef::Comment(const char*) { return *this; }
ge::AscendString& OpAttrDef::GetName() const { return record_->name; }

static OpParamDef& Add(std::deque<OpParamDef>& params, const char* name) {
    params.emplace_back(name);
    return params.back();
}

OpAICoreConfig::OpAICoreConfig() : record_(new ConfigRecord()) {}
OpAICoreConfig::OpAICoreConfig(const char* soc) : OpAICoreConfig() { record_->soc = soc; }
OpAICoreConfig::OpAICoreConfig(const OpAICoreConfig& other) : record_(new ConfigRecord(*other.record_)) {}
OpAICoreConfig& OpAICoreConfig::operator=(const OpAICoreConfig& other) {
    *record_ = *other.record_;
    return *this;
}
OpAICoreConfig::~OpAICoreConfig() { delete record_; }
OpParamDef& OpAICoreConfig::Input(const char* name) { return Add(record_->inputs, name); }
OpParamDef& OpAICoreConfig::Output(const char* name) { return Add(record_->outputs, name); }

OpAICoreDef& OpAICoreDef::SetTiling(gert::OpImplRegisterV2::TilingKernelFunc function) {
    op_->tiling = function;
    return *this;
}
gert::OpImplRegisterV2::TilingKernelFunc& OpAICoreDef::GetTiling() { return op_->tiling; }
OpAICoreDef& OpAICoreDef::AddConfig(const char* soc) {
    ConfigRecord config;
    config.soc = soc;
    op_->configs.push_back(config);
    return *this;
}
OpAICoreDef& OpAICoreDef::AddConfig(const char* soc, OpAICoreConfig& config) {
    op_->configs.push_back(*config.record());
    op_->configs.back().soc = soc;
    return *this;
}

OpDef::OpDef(const char* type) : record_(new OpRecord(type)) {}
OpParamDef& OpDef::Input(const char* name) { return Add(record_->inputs, name); }
OpParamDef& OpDef::Output(const char* name) { return Add(record_->outputs, name); }
OpAttrDef& OpDef::Attr(const char* name) {
    record_->attrs.emplace_back(name);
    return record_->attrs.back();
}
OpDef& OpDef::SetInferShape(gert::OpImplRegisterV2::InferShapeKernelFunc function) {
    record_->infer_shape = function;
    return *this;
}
OpDef& OpDef::SetInferShapeRange(gert::OpImplRegisterV2::InferShapeRangeKernelFunc) { return *this; }
OpDef& OpDef::SetInferDataType(gert::OpImplRegisterV2::InferDataTypeKernelFunc function) {
    record_->infer_dtype = function;
    return *this;
}
OpAICoreDef& OpDef::AICore() { return record_->aicore; }
OpMC2Def& OpDef::MC2() { return record_->mc2; }

int RegisterOpDef(OpDef* definition) {
    ascendopt::host::registry().ops.push_back(definition->record());
    return 0;
}

}  // namespace ops
