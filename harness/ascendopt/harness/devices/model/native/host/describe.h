// What the server calls on the host side of an operator: describe and tile.
//
// The operator's host code is one shared object that was linked against nothing; its static constructors register
// operator definitions, tiling structs and tiling functions in the library next to this header. So: link this library
// whole into the process and export its symbols (-rdynamic), dlopen the object, then call describe() or tile().
// Both only see what the objects loaded in this process registered: fork first, load one object in each child.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ascendopt::host {

// Numbers that host code compiled with slots reads in place of its literals (`include/host/asc_host/slots.h`). They
// must be set before the object is loaded: its static constructors read them too.
constexpr size_t kMaxSlots = 256;
extern "C" int64_t ascendopt_slots[kMaxSlots];

// Facts of the chip, from the chip data that the request carries; never known here. 0 means: the chip has none, or the
// figure is unknown; a host function that asks for it then gets 0 and a line in the log.
struct ChipFacts {
    std::string name;        // "Ascend910B2"
    std::string short_name;  // "Ascend910B": what decides GetSocVersion
    uint32_t aic_count = 0;  // cube cores; all cores on chips that do not split
    uint32_t aiv_count = 0;  // vector cores; on chips that do not split, stand-alone vector cores or 0
    uint64_t ub_bytes = 0;   // what the platform query answers, not the physical size
    uint64_t l1_bytes = 0;
    uint64_t l0a_bytes = 0;
    uint64_t l0b_bytes = 0;
    uint64_t l0c_bytes = 0;
    uint64_t l2_bytes = 0;
    uint64_t hbm_bytes = 0;
    uint64_t lib_workspace_bytes = 0;  // system part in front of the user's workspace
    uint64_t l2_bytes_per_cycle = 0;   // per core
    uint64_t hbm_bytes_per_cycle = 0;  // per core
    uint64_t clock_mhz = 0;
    std::map<std::string, std::string> intrinsics;  // "mmad" -> the types that it takes; absent: not on this chip

    // Cube and vector cores are apart: the chips that are built so have two vector cores for each cube core, the
    // others no vector cores or at most one for each.
    bool split() const { return aiv_count > aic_count; }
};

// One OpDef input or output: a tensor (one shape), a tensor list (`list`, any number of shapes), or an optional
// tensor that is absent (no shape). `data` has one entry per shape or none; a null pointer means: no values known.
struct TensorArgument {
    struct Data {
        const void* bytes = nullptr;
        size_t size = 0;
    };
    std::vector<std::vector<int64_t>> shapes;
    std::string dtype;  // numpy-style: "float16", "bfloat16", "int32"
    std::string format = "ND";
    bool list = false;
    std::vector<Data> data;
};

// One attribute. `type` is bool, int, float, string, list_int, list_float, list_bool or list_string, as describe()
// spells it. Scalars use the first entry. Attributes that are not given take the default of the operator definition.
struct AttributeValue {
    std::string name;
    std::string type;
    std::vector<int64_t> ints;  // bool and int
    std::vector<double> floats;
    std::vector<std::string> strings;
};

struct TileRequest {
    std::string op;  // OpDef type; empty: the only operator of the object
    ChipFacts chip;
    std::vector<TensorArgument> inputs;   // in OpDef order
    std::vector<TensorArgument> outputs;  // in OpDef order
    std::vector<AttributeValue> attrs;    // in any order
    bool deterministic = false;
};

struct TileResult {
    bool ok = false;
    std::string reason;  // one sentence when not ok
    std::vector<uint8_t> tiling;
    uint64_t tiling_key = 0;
    uint32_t block_dim = 0;
    uint64_t workspace = 0;      // sum of the workspaces asked for, system part included when the operator added it
    uint32_t schedule_mode = 0;  // 1: all blocks must be resident (batch mode)
    std::string log;             // what the host code logged
};

// The "ops" and "structs" members of the describe answer: {"ops":[..],"structs":[..]} on one line.
std::string describe();

// Runs TilingParse (when there is one) and Tiling of the operator. Never throws; a crash of the host code is the
// caller's signal to handle.
TileResult tile(const TileRequest& request);

struct InferResult {
    struct Output {
        std::vector<std::vector<int64_t>> shapes;  // one per tensor; a dimension may be -1 where values decide it
        std::string dtype;                         // empty where neither the functions nor the definition say
        bool list = false;
    };
    bool ok = false;
    std::string reason;
    std::vector<Output> outputs;  // in OpDef order
    std::string log;
};

// Runs InferShape and InferDataType. Outputs of the request only say how many tensors there are; without them each
// output is one tensor, and a list as long as the first input list. Not ok when there is no InferShape.
InferResult infer(const TileRequest& request);

// The members of the tile answer after "ok": "tiling":"<hex>","tiling_key":1,"block_dim":40,... or, on failure,
// "stage":"tile","reason":"..","log":"..". Without braces, ready to be joined.
std::string to_json_members(const TileResult& result);

// The same for shape inference: "outputs":[{"shapes":[[8,5]],"dtype":"float32","list":false}],"log":"..".
std::string to_json_members(const InferResult& result);

// A JSON string literal of the text, quotes included. Bytes that are not UTF-8 become '?'.
std::string json_quote(const std::string& text);

}  // namespace ascendopt::host
