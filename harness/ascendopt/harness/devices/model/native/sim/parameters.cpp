#include "parameters.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>

#include "json.h"

namespace ascendopt::sim {

namespace {

const char* const kConstantNames[] = {
#define X(name) #name,
    ASCENDOPT_TIMING_CONSTANTS(X)
#undef X
};

// In the order of Op. An operation that was appended to Op and is not here yet has the cost of vector.default.
const char* const kOpNames[] = {"None",
                                "Add",
                                "Sub",
                                "Mul",
                                "Div",
                                "Max",
                                "Min",
                                "And",
                                "Or",
                                "AddRelu",
                                "SubRelu",
                                "FusedMulAdd",
                                "MulAddDst",
                                "FusedMulAddRelu",
                                "Abs",
                                "Relu",
                                "Not",
                                "Exp",
                                "Ln",
                                "Sqrt",
                                "Rsqrt",
                                "Reciprocal",
                                "Adds",
                                "Muls",
                                "Maxs",
                                "Mins",
                                "ShiftLeft",
                                "ShiftRight",
                                "LeakyRelu",
                                "Axpy",
                                "Duplicate",
                                "Copy",
                                "Cast",
                                "Brcb",
                                "BroadCast",
                                "Compare",
                                "CompareScalar",
                                "Select",
                                "ReduceSum",
                                "ReduceMax",
                                "ReduceMin",
                                "WholeReduceSum",
                                "WholeReduceMax",
                                "WholeReduceMin",
                                "BlockReduceSum",
                                "BlockReduceMax",
                                "BlockReduceMin",
                                "PairReduceSum",
                                "RepeatReduceSum",
                                "Gather",
                                "GatherMask",
                                "Gatherb",
                                "ArithProgression",
                                "Power",
                                "Tanh",
                                "Sigmoid",
                                "Erf",
                                "Erfc",
                                "Gelu",
                                "Sin",
                                "Cos",
                                "Tan",
                                "Asin",
                                "Acos",
                                "Atan",
                                "Sinh",
                                "Cosh",
                                "Asinh",
                                "Acosh",
                                "Atanh",
                                "Log2",
                                "Log10",
                                "Floor",
                                "Ceil",
                                "Round",
                                "Trunc",
                                "Sign",
                                "Frac",
                                "Xor",
                                "Fmod",
                                "SwiGlu",
                                "Silu",
                                "Swish",
                                "Mean",
                                "Sum",
                                "Transpose",
                                "SelectRegister",
                                "CompareRegister",
                                "SetCmpMask",
                                "GetCmpMask",
                                "CreateVecIndex",
                                "FasterGelu",
                                "Log",
                                "Expm1",
                                "CopySign",
                                "ReduceSumRepeat",
                                "ReduceMaxRepeat",
                                "ReduceMinRepeat",
                                "MulsCast",
                                "AddDeqRelu",
                                "AddReluCast",
                                "SubReluCast",
                                "MulCast",
                                "SetDeqScale",
                                "Ands",
                                "Ors",
                                "Sort32",
                                "MrgSort",
                                "Scatter",
                                "TransDataTo5HD",
                                "BilinearInterpolation",
                                "VectorPadding",
                                "CastDequant",
                                "Lgamma",
                                "Digamma",
                                "GeGlu",
                                "ReGlu",
                                "ClampMax",
                                "ClampMin",
                                "FasterGeluV2",
                                "CastFloatHalf",
                                "GatherMaskTensor"};
constexpr int kNamedOps = static_cast<int>(sizeof kOpNames / sizeof *kOpNames);

uint64_t mix(uint64_t x) {
    x ^= x >> 30;
    x *= 0xBF58476D1CE4E5B9ull;
    x ^= x >> 27;
    x *= 0x94D049BB133111EBull;
    return x ^ (x >> 31);
}

uint64_t hash_name(const std::string& name) {
    uint64_t h = 0xCBF29CE484222325ull;
    for (char c : name) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001B3ull;
    return mix(h);
}

std::string read_file(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in) throw std::runtime_error("the timing file " + path + " cannot be read");
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

Uncertain read_constant(const json::Value& entry, const std::string& name) {
    Uncertain out;
    out.value = entry.get("value").number((name + ".value").c_str());
    out.uncertainty = entry.get("uncertainty").number((name + ".uncertainty").c_str());
    if (!(out.uncertainty >= 0 && out.uncertainty <= 2))
        throw std::runtime_error(name + ".uncertainty must lie between 0 and 2");
    entry.get("unit").string((name + ".unit").c_str());
    const std::string& source = entry.get("source").string((name + ".source").c_str());
    if (source == "published")
        out.source = Source::Published;
    else if (source == "fitted")
        out.source = Source::Fitted;
    else if (source == "guess")
        out.source = Source::Guess;
    else
        throw std::runtime_error(name + ".source must be published, fitted or guess");
    out.name_hash = hash_name(name);
    return out;
}

void read_vector(const json::Value& table, std::map<std::string, VectorCost>& into) {
    for (const auto& [op, widths] : table.object("vector")) {
        bool known = op == "default" ||
                     std::any_of(kOpNames, kOpNames + kNamedOps, [&op = op](const char* n) { return op == n; });
        if (!known) throw std::runtime_error("vector." + op + " is not an operation of this version");
        for (const auto& [width, entry] : widths.object(op.c_str())) {
            if (width != "b8" && width != "b16" && width != "b32" && width != "b64" && width != "any")
                throw std::runtime_error("vector." + op + "." + width + " must be b8, b16, b32, b64 or any");
            std::string name = "vector." + op + "." + width;
            VectorCost cost;
            cost.per_repeat = read_constant(entry.get("per_repeat"), name + ".per_repeat");
            if (entry.has("extra")) cost.extra = read_constant(entry.get("extra"), name + ".extra");
            if (entry.has("offset")) cost.offset = read_constant(entry.get("offset"), name + ".offset");
            if (entry.has("minimum")) cost.minimum = read_constant(entry.get("minimum"), name + ".minimum");
            into[op + "." + width] = cost;
        }
    }
}

struct Collected {
    std::string chip;
    std::map<std::string, Uncertain> constants;
    std::map<std::string, VectorCost> vector;
};

void collect(const std::string& path, Collected& out, std::set<std::string>& seen) {
    if (!seen.insert(path).second) throw std::runtime_error("the timing file " + path + " is its own base");
    json::Value root = json::Value::parse(read_file(path));
    if (root.has("base")) {
        const std::string& base = root.get("base").string("base");
        if (base.find('/') != std::string::npos) throw std::runtime_error("base must be a file name, not a path");
        size_t slash = path.find_last_of('/');
        collect((slash == std::string::npos ? "" : path.substr(0, slash + 1)) + base, out, seen);
    }
    if (root.has("chip")) out.chip = root.get("chip").string("chip");
    if (root.has("constants")) {
        for (const auto& [name, entry] : root.get("constants").object("constants"))
            out.constants[name] = read_constant(entry, name);
    }
    if (root.has("vector")) read_vector(root.get("vector"), out.vector);
}

int width_index(uint8_t dtype) {
    switch (static_cast<Dtype>(dtype)) {
        case Dtype::I8:
        case Dtype::U8:
        case Dtype::I4:
        case Dtype::B8:
            return 0;
        case Dtype::F16:
        case Dtype::BF16:
        case Dtype::I16:
        case Dtype::U16:
            return 1;
        case Dtype::F32:
        case Dtype::I32:
        case Dtype::U32:
            return 2;
        case Dtype::I64:
        case Dtype::U64:
        case Dtype::F64:
        case Dtype::C64:
            return 3;
        case Dtype::None:
            break;
    }
    return 4;
}

}  // namespace

ParameterFile ParameterFile::load(const std::string& path) {
    static_assert(kNamedOps <= static_cast<int>(Op::Count), "kOpNames follows Op");
    Collected found;
    std::set<std::string> seen;
    try {
        collect(path, found, seen);
    } catch (const json::Error& error) {
        throw std::runtime_error("the timing file " + path + " is not valid: " + error.what());
    }
    ParameterFile out;
    out.chip = found.chip;
    for (int i = 0; i < kConstants; ++i) {
        auto entry = found.constants.find(kConstantNames[i]);
        if (entry == found.constants.end())
            throw std::runtime_error("the timing file " + path + " lacks the constant " + kConstantNames[i]);
        out.constants[static_cast<size_t>(i)] = entry->second;
        found.constants.erase(entry);
    }
    if (!found.constants.empty())
        throw std::runtime_error("the timing file " + path + " has an unknown constant " +
                                 found.constants.begin()->first);
    if (!found.vector.count("default.any"))
        throw std::runtime_error("the timing file " + path + " lacks vector.default.any");
    const char* widths[kWidths] = {"b8", "b16", "b32", "b64", "any"};
    for (int op = 0; op < kNamedOps; ++op) {
        for (const char* width : widths) {
            auto entry = found.vector.find(std::string(kOpNames[op]) + "." + width);
            if (entry == found.vector.end()) entry = found.vector.find(std::string(kOpNames[op]) + ".any");
            if (entry == found.vector.end()) entry = found.vector.find("default.any");
            out.vector.push_back(entry->second);
            if (out.vector.back().minimum.value == 0) out.vector.back().minimum = out.get(Constant::vector_minimum);
        }
    }
    return out;
}

int vector_index(uint16_t op, uint8_t dtype) {
    int index = op < kNamedOps ? op : 0;
    return index * kWidths + width_index(dtype);
}

const char* op_name(Op op) {
    int index = static_cast<int>(op);
    return index < kNamedOps ? kOpNames[index] : "?";
}

double deviate(uint64_t seed, uint64_t sample, uint64_t name_hash) {
    uint64_t state = mix(seed + 0x9E3779B97F4A7C15ull) ^ mix(sample * 0xD1342543DE82EF95ull + 1) ^ name_hash;
    double sum = 0;
    for (int i = 0; i < 6; ++i) {
        state += 0x9E3779B97F4A7C15ull;
        uint64_t bits = mix(state);
        sum += static_cast<double>(static_cast<uint32_t>(bits)) * 0x1p-32;
        sum += static_cast<double>(static_cast<uint32_t>(bits >> 32)) * 0x1p-32;
    }
    return sum - 6.0;
}

namespace {

double pick(const Uncertain& c, int64_t sample, uint64_t seed) {
    if (sample < 0 || c.uncertainty == 0) return c.value;
    double factor = 1.0 + c.uncertainty * deviate(seed, static_cast<uint64_t>(sample), c.name_hash);
    return c.value * std::clamp(factor, 0.25, 4.0);
}

}  // namespace

Params draw(const ParameterFile& file, int64_t sample, uint64_t seed) {
    Params out;
    for (size_t i = 0; i < file.constants.size(); ++i) out.constants[i] = pick(file.constants[i], sample, seed);
    // The p-norm needs an exponent of at least one, a share cannot exceed one.
    double& exponent = out.constants[static_cast<size_t>(Constant::queue_exponent)];
    exponent = std::max(exponent, 1.0);
    double& loss = out.constants[static_cast<size_t>(Constant::mix_loss)];
    loss = std::min(loss, 0.9);
    out.vector_per_repeat.reserve(file.vector.size());
    out.vector_extra.reserve(file.vector.size());
    out.vector_offset.reserve(file.vector.size());
    out.vector_minimum.reserve(file.vector.size());
    for (const VectorCost& cost : file.vector) {
        out.vector_per_repeat.push_back(pick(cost.per_repeat, sample, seed));
        out.vector_extra.push_back(pick(cost.extra, sample, seed));
        out.vector_offset.push_back(pick(cost.offset, sample, seed));
        out.vector_minimum.push_back(pick(cost.minimum, sample, seed));
    }
    return out;
}

}  // namespace ascendopt::sim
