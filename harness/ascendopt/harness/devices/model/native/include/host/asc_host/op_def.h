// The operator definition language: class Foo : public OpDef { ... }; OP_ADD(Foo).
#pragma once
#include <vector>

#include "graph.h"
#include "op_impl.h"

namespace ascendopt::host {
struct ParamRecord;
struct AttrRecord;
struct OpRecord;
struct ConfigRecord;
}  // namespace ascendopt::host

namespace optiling {
using OP_CHECK_FUNC = ge::graphStatus (*)(const ge::Operator&, ge::AscendString&);
using PARAM_GENERALIZE_FUNC = ge::graphStatus (*)(const ge::Operator&, const ge::AscendString&, ge::AscendString&);
}  // namespace optiling

namespace ops {

enum Option { IGNORE = 0, OPTIONAL = 1, REQUIRED = 2, DYNAMIC = 3, VIRTUAL = 4 };
enum class FormatCheckOption { STRICT = 0, DEFAULT = 1, MAX };
enum class DependScope { ALL = 0, TILING = 1, MAX };
enum class FollowType { ALL = 0, DTYPE = 1, FORMAT = 2, SHAPE = 3, INVALID_TYPE };
enum class CommentSection { BRIEF, CONSTRAINTS, RESTRICTIONS, SEE, THIRDPARTYFWKCOMPAT, CATEGORY, SECTION_MAX };
enum class HcclServerType { AICPU = 0, AICORE, MAX };

enum class ScalarType : uint32_t {
    UINT64 = 0,
    INT64 = 1,
    UINT32 = 2,
    INT32 = 3,
    UINT16 = 4,
    INT16 = 5,
    UINT8 = 6,
    INT8 = 7,
    FLOAT32 = 8,
    FLOAT16 = 9,
    INVALID_DTYPE = static_cast<uint32_t>(-1)
};

// The value that an output has before the operator runs. The public struct keeps a union; only the value matters here.
struct ScalarVar {
    ScalarType scalar_type = ScalarType::INVALID_DTYPE;
    double value = 0;
    ScalarVar() = default;
    template <class T>
    ScalarVar(ScalarType type, T number) : scalar_type(type), value(static_cast<double>(number)) {}
    bool operator==(const ScalarVar& other) const { return scalar_type == other.scalar_type && value == other.value; }
};

class OpParamDef {
  public:
    explicit OpParamDef(const char* name);
    OpParamDef& ParamType(Option option);
    OpParamDef& DataType(std::vector<ge::DataType> types);
    OpParamDef& DataTypeList(std::vector<ge::DataType> types);
    OpParamDef& DataTypeForBinQuery(std::vector<ge::DataType> types);
    OpParamDef& Format(std::vector<ge::Format> formats);
    OpParamDef& FormatList(std::vector<ge::Format> formats);
    OpParamDef& FormatForBinQuery(std::vector<ge::Format> formats);
    OpParamDef& UnknownShapeFormat(std::vector<ge::Format> formats);
    OpParamDef& ValueDepend(Option option);
    OpParamDef& ValueDepend(Option option, DependScope scope);
    OpParamDef& IgnoreContiguous();
    OpParamDef& AutoContiguous();
    OpParamDef& Scalar();
    OpParamDef& ScalarList();
    OpParamDef& To(ge::DataType type);
    OpParamDef& To(const char* name);
    OpParamDef& Version(uint32_t version);
    OpParamDef& InitValue(uint64_t value);
    OpParamDef& InitValue(const ScalarVar& value);
    OpParamDef& InitValue(const std::vector<ScalarVar>& values);
    OpParamDef& OutputShapeDependOnCompute();
    OpParamDef& Follow(const char* name);
    OpParamDef& Follow(const char* name, FollowType type);
    OpParamDef& Comment(const char* text);
    ascendopt::host::ParamRecord* record() const { return record_; }

  private:
    ascendopt::host::ParamRecord* record_;
};

class OpAttrDef {
  public:
    explicit OpAttrDef(const char* name);
    OpAttrDef& AttrType(Option option);
    OpAttrDef& Bool();
    OpAttrDef& Bool(bool value);
    OpAttrDef& Float();
    OpAttrDef& Float(float value);
    OpAttrDef& Int();
    OpAttrDef& Int(int64_t value);
    OpAttrDef& String();
    OpAttrDef& String(const char* value);
    OpAttrDef& ListBool();
    OpAttrDef& ListBool(std::vector<bool> value);
    OpAttrDef& ListFloat();
    OpAttrDef& ListFloat(std::vector<float> value);
    OpAttrDef& ListInt();
    OpAttrDef& ListInt(std::vector<int64_t> value);
    OpAttrDef& ListListInt();
    OpAttrDef& ListListInt(std::vector<std::vector<int64_t>> value);
    OpAttrDef& Version(uint32_t version);
    OpAttrDef& Comment(const char* text);
    ge::AscendString& GetName() const;
    ascendopt::host::AttrRecord* record() const { return record_; }

  private:
    ascendopt::host::AttrRecord* record_;
};

class OpAICoreConfig {
  public:
    OpAICoreConfig();
    explicit OpAICoreConfig(const char* soc);
    OpAICoreConfig(const OpAICoreConfig& other);
    OpAICoreConfig& operator=(const OpAICoreConfig& other);
    ~OpAICoreConfig();
    OpParamDef& Input(const char* name);
    OpParamDef& Output(const char* name);
    OpAICoreConfig& DynamicCompileStaticFlag(bool) { return *this; }
    OpAICoreConfig& DynamicFormatFlag(bool) { return *this; }
    OpAICoreConfig& DynamicRankSupportFlag(bool) { return *this; }
    OpAICoreConfig& DynamicShapeSupportFlag(bool) { return *this; }
    OpAICoreConfig& NeedCheckSupportFlag(bool) { return *this; }
    OpAICoreConfig& PrecisionReduceFlag(bool) { return *this; }
    OpAICoreConfig& ExtendCfgInfo(const char*, const char*) { return *this; }
    const ascendopt::host::ConfigRecord* record() const { return record_; }

  private:
    ascendopt::host::ConfigRecord* record_;
};

class OpAICoreDef {
  public:
    explicit OpAICoreDef(ascendopt::host::OpRecord* op) : op_(op) {}
    OpAICoreDef& SetTiling(gert::OpImplRegisterV2::TilingKernelFunc function);
    gert::OpImplRegisterV2::TilingKernelFunc& GetTiling();
    OpAICoreDef& SetCheckSupport(optiling::OP_CHECK_FUNC) { return *this; }
    OpAICoreDef& SetOpSelectFormat(optiling::OP_CHECK_FUNC) { return *this; }
    OpAICoreDef& SetOpSupportInfo(optiling::OP_CHECK_FUNC) { return *this; }
    OpAICoreDef& SetOpSpecInfo(optiling::OP_CHECK_FUNC) { return *this; }
    OpAICoreDef& SetParamGeneralize(optiling::PARAM_GENERALIZE_FUNC) { return *this; }
    OpAICoreDef& LaunchWithZeroEleOutputTensors(bool) { return *this; }
    OpAICoreDef& AddConfig(const char* soc);
    OpAICoreDef& AddConfig(const char* soc, OpAICoreConfig& config);

  private:
    ascendopt::host::OpRecord* op_;
};

class OpMC2Def {
  public:
    OpMC2Def& HcclGroup(const char*) { return *this; }
    OpMC2Def& HcclGroup(std::vector<const char*>) { return *this; }
    OpMC2Def& HcclServerType(enum HcclServerType, const char* = nullptr) { return *this; }
};

class OpDef {
  public:
    explicit OpDef(const char* type);
    virtual ~OpDef() = default;
    OpParamDef& Input(const char* name);
    OpParamDef& Output(const char* name);
    OpAttrDef& Attr(const char* name);
    OpDef& SetInferShape(gert::OpImplRegisterV2::InferShapeKernelFunc function);
    OpDef& SetInferShapeRange(gert::OpImplRegisterV2::InferShapeRangeKernelFunc function);
    OpDef& SetInferDataType(gert::OpImplRegisterV2::InferDataTypeKernelFunc function);
    OpDef& Comment(CommentSection, const char*) { return *this; }
    OpDef& FormatMatchMode(FormatCheckOption) { return *this; }
    OpDef& EnableFallBack() { return *this; }
    OpAICoreDef& AICore();
    OpMC2Def& MC2();
    ascendopt::host::OpRecord* record() const { return record_; }

  private:
    ascendopt::host::OpRecord* record_;
};

int RegisterOpDef(OpDef* definition);

}  // namespace ops

#define OP_ADD(type, ...) [[maybe_unused]] static const int ascOpAdded_##type = ::ops::RegisterOpDef(new type(#type));
