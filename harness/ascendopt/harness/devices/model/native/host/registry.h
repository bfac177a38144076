// What the static constructors of an operator's object registered. One registry per process; the process serves one
// object (see describe.h), so nothing is ever removed.
#pragma once
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "asc_host/op_def.h"
#include "asc_host/tiling_data.h"

namespace ascendopt::host {

struct ParamRecord {
    std::string name;
    ops::Option kind = ops::REQUIRED;
    std::vector<ge::DataType> dtypes;
    std::vector<ge::Format> formats;
    bool cartesian = false;  // DataTypeList: every combination with the other parameters
    bool value_depend = false;
    bool shape_computed = false;  // the kernel says its shape, through a pointer of its own
    bool scalar = false;
    bool scalar_list = false;
    std::vector<double> initial_values;  // what an output holds before the operator runs: one for all types, or each
    std::string follows;                 // the parameter whose type this one has
};

enum class AttrKind { kNone, kBool, kInt, kFloat, kString, kListBool, kListInt, kListFloat, kListListInt };

struct AttrRecord {
    ge::AscendString name;
    bool required = true;
    bool has_default = false;
    AttrKind kind = AttrKind::kNone;
    std::vector<int64_t> ints;  // also bools
    std::vector<double> floats;
    std::string text;
};

struct ConfigRecord {
    std::string soc;
    std::deque<ops::OpParamDef> inputs;
    std::deque<ops::OpParamDef> outputs;
};

struct OpRecord {
    explicit OpRecord(const char* op_type) : type(op_type), aicore(this) {}
    std::string type;
    std::deque<ops::OpParamDef> inputs;
    std::deque<ops::OpParamDef> outputs;
    std::deque<ops::OpAttrDef> attrs;
    std::vector<ConfigRecord> configs;
    ops::OpAICoreDef aicore;
    ops::OpMC2Def mc2;
    gert::OpImplRegisterV2::TilingKernelFunc tiling = nullptr;
    gert::OpImplRegisterV2::InferShapeKernelFunc infer_shape = nullptr;
    gert::OpImplRegisterV2::InferDataTypeKernelFunc infer_dtype = nullptr;
};

// From IMPL_OP*: several registrations of one operator add up.
struct OpFunctions {
    gert::OpImplRegisterV2::TilingKernelFunc tiling = nullptr;
    gert::OpImplRegisterV2::TilingParseFunc parse = nullptr;
    gert::OpImplRegisterV2::CompileInfoCreator create_compile_info = nullptr;
    gert::OpImplRegisterV2::InferShapeKernelFunc infer_shape = nullptr;
    gert::OpImplRegisterV2::InferDataTypeKernelFunc infer_dtype = nullptr;
    bool dtype_of_first_input = false;
    std::vector<AttrRecord> private_attrs;
};

struct TilingClass {
    std::string op;  // as registered, a tiling key suffix included
    std::string name;
    optiling::TilingFactory create = nullptr;
};

struct Registry {
    std::vector<OpRecord*> ops;
    std::map<std::string, OpFunctions> functions;
    std::vector<TilingClass> tiling_classes;
    const OpRecord* find(const std::string& op) const;
};

Registry& registry();

}  // namespace ascendopt::host

namespace optiling {

struct TilingField {
    const char* name;
    char kind;       // i u f b, or s for a nested struct
    uint32_t bytes;  // of one element
    uint32_t count;  // 0: not an array
    uint32_t offset;
    ptrdiff_t nested;  // distance from the instance to its nested instance
};

struct TilingFields {
    std::vector<TilingField> list;
    std::vector<uint64_t> image;  // 8-byte units, so that every field is aligned
    uint32_t end = 0;             // bytes in use
};

}  // namespace optiling
