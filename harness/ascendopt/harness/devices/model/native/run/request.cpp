#include "request.h"

#include <algorithm>
#include <utility>

#include "trace_json.h"

namespace ascendopt::run {

namespace {

using json::Error;
using json::Value;

constexpr size_t kMaxCases = 4096;

uint32_t small(const Value& value, const char* what) {
    uint64_t number = value.unsigned_integer(what);
    if (number > UINT32_MAX) throw Error(std::string(what) + " is too large");
    return static_cast<uint32_t>(number);
}

void optional(const Value& object, const char* key, uint64_t& to) {
    if (object.has(key)) to = object.get(key).unsigned_integer(key);
}

void optional(const Value& object, const char* key, uint32_t& to) {
    if (object.has(key)) to = small(object.get(key), key);
}

void optional(const Value& object, const char* key, bool& to) {
    if (object.has(key)) to = object.get(key).boolean(key);
}

void optional(const Value& object, const char* key, std::string& to) {
    if (object.has(key)) to = object.get(key).string(key);
}

void optional(const Value& object, const char* key, double& to) {
    if (!object.has(key)) return;
    to = object.get(key).number(key);
    if (!(to > 0 && to <= 86400)) throw Error(std::string(key) + " must be above 0 and at most a day");
}

host::ChipFacts read_chip(const Value& request) {
    host::ChipFacts chip;
    optional(request, "soc", chip.name);
    const Value& facts = request.get("chip");
    if (facts.is_null()) return chip;
    facts.object("chip");
    optional(facts, "name", chip.name);
    optional(facts, "short_name", chip.short_name);
    optional(facts, "aic_count", chip.aic_count);
    optional(facts, "aiv_count", chip.aiv_count);
    optional(facts, "ub_bytes", chip.ub_bytes);
    optional(facts, "l1_bytes", chip.l1_bytes);
    optional(facts, "l0a_bytes", chip.l0a_bytes);
    optional(facts, "l0b_bytes", chip.l0b_bytes);
    optional(facts, "l0c_bytes", chip.l0c_bytes);
    optional(facts, "l2_bytes", chip.l2_bytes);
    optional(facts, "hbm_bytes", chip.hbm_bytes);
    optional(facts, "lib_workspace_bytes", chip.lib_workspace_bytes);
    optional(facts, "l2_bytes_per_cycle", chip.l2_bytes_per_cycle);
    optional(facts, "hbm_bytes_per_cycle", chip.hbm_bytes_per_cycle);
    optional(facts, "clock_mhz", chip.clock_mhz);
    if (facts.has("intrinsics")) {
        for (const auto& [name, types] : facts.get("intrinsics").object("intrinsics"))
            chip.intrinsics[name] = types.string("intrinsics");
    }
    return chip;
}

rt::ChipMemory read_memory(const Value& request) {
    rt::ChipMemory memory;
    const Value& from = request.get("memory");
    if (from.is_null()) throw Error("memory (bytes of ub, l1, l0a, l0b, l0c, bias_table, fixpipe) is missing");
    from.object("memory");
    optional(from, "ub", memory.ub);
    optional(from, "l1", memory.l1);
    optional(from, "l0a", memory.l0a);
    optional(from, "l0b", memory.l0b);
    optional(from, "l0c", memory.l0c);
    optional(from, "bias_table", memory.bias_table);
    optional(from, "fixpipe", memory.fixpipe);
    return memory;
}

std::vector<std::string> read_files(const Value& from) {
    std::vector<std::string> files;
    if (from.has("files")) {
        for (const Value& each : from.get("files").array("files")) files.push_back(each.string("files"));
    } else if (from.has("file")) {
        files.push_back(from.get("file").string("file"));
    }
    return files;
}

host::TensorArgument read_tensor(const Value& from, std::vector<std::string>& files) {
    host::TensorArgument tensor;
    for (const Value& shape : from.get("shapes").array("shapes")) {
        std::vector<int64_t> dims;
        for (const Value& dim : shape.array("shapes")) dims.push_back(dim.integer("shapes"));
        tensor.shapes.push_back(std::move(dims));
    }
    tensor.dtype = from.get("dtype").string("dtype");
    optional(from, "format", tensor.format);
    optional(from, "list", tensor.list);
    files = read_files(from);
    if (!files.empty() && files.size() != tensor.shapes.size()) throw Error("files must have one entry per shape");
    return tensor;
}

template <class To, class Read>
void one_or_many(const Value& value, std::vector<To>& to, Read read) {
    if (!value.is_array()) {
        to.push_back(read(value));
        return;
    }
    for (const Value& each : value.array("value")) to.push_back(read(each));
}

host::AttributeValue read_attribute(const Value& from) {
    host::AttributeValue out;
    out.name = from.get("name").string("name");
    out.type = from.get("type").string("type");
    const Value& value = from.get("value");
    std::string base = out.type.rfind("list_", 0) == 0 ? out.type.substr(5) : out.type;
    if (base == "int")
        one_or_many(value, out.ints, [](const Value& v) { return v.integer("value"); });
    else if (base == "bool")
        one_or_many(value, out.ints, [](const Value& v) { return int64_t{v.boolean("value")}; });
    else if (base == "float")
        one_or_many(value, out.floats, [](const Value& v) { return v.number("value"); });
    else if (base == "string")
        one_or_many(value, out.strings, [](const Value& v) { return v.string("value"); });
    else
        throw Error("the attribute type " + out.type + " is unknown");
    return out;
}

// Without `outputs` (shape inference says what they are) each output of the operator definition is one tensor.
TileSpec read_tile(const Value& from, const host::ChipFacts& chip, const std::string& op, bool needs_outputs) {
    TileSpec out;
    out.request.op = op;
    out.request.chip = chip;
    for (const Value& each : from.get("inputs").array("inputs")) {
        std::vector<std::string> files;
        out.request.inputs.push_back(read_tensor(each, files));
        out.input_files.push_back(std::move(files));
    }
    if (needs_outputs || from.has("outputs")) {
        for (const Value& each : from.get("outputs").array("outputs")) {
            std::vector<std::string> files;
            out.request.outputs.push_back(read_tensor(each, files));
        }
    }
    if (from.has("attrs")) {
        for (const Value& each : from.get("attrs").array("attrs")) out.request.attrs.push_back(read_attribute(each));
    }
    optional(from, "deterministic", out.request.deterministic);
    return out;
}

ArgumentSpec read_argument(const Value& from) {
    ArgumentSpec out;
    const std::string& role = from.get("role").string("role");
    if (role == "same") {
        out.same_as = static_cast<int>(from.get("as").unsigned_integer("as"));
        return out;
    }
    if (role == "input")
        out.role = rt::Role::Input;
    else if (role == "output")
        out.role = rt::Role::Output;
    else if (role == "workspace")
        out.role = rt::Role::Workspace;
    else
        throw Error("role must be input, output, workspace or same");
    if (from.has("results")) {
        for (const Value& file : from.get("results").array("results")) out.results.push_back(file.string("results"));
    }
    optional(from, "initial", out.initial);
    if (from.has("list")) {
        out.is_list = true;
        for (const Value& bytes : from.get("list").array("list"))
            out.list_bytes.push_back(bytes.unsigned_integer("list"));
        out.list_files = read_files(from);
        if (!out.list_files.empty() && out.list_files.size() != out.list_bytes.size())
            throw Error("files must have one entry per tensor of the list");
        return out;
    }
    optional(from, "file", out.file);
    out.from_tiling = out.role == rt::Role::Workspace && !from.has("bytes");
    if (!out.from_tiling) out.bytes = from.get("bytes").unsigned_integer("bytes");
    return out;
}

std::vector<int64_t> read_slots(const Value& from) {
    std::vector<int64_t> out;
    if (!from.has("slots")) return out;
    for (const Value& each : from.get("slots").array("slots")) out.push_back(each.integer("slots"));
    if (out.size() > host::kMaxSlots) throw Error("slots must have at most 256 numbers");
    return out;
}

// Keys that a case does not have are looked up in the request.
const Value& member(const Value& inner, const Value& outer, const char* key) {
    return inner.has(key) ? inner.get(key) : outer.get(key);
}

Case read_case(const Value& inner, const Value& outer, Request::Command command, const host::ChipFacts& chip,
               const std::string& op) {
    Case out;
    out.has_tiling = inner.has("tiling");
    if (out.has_tiling) {
        out.tiling.bytes = from_hex(inner.get("tiling").string("tiling"), "tiling");
        out.tiling.key = inner.get("tiling_key").unsigned_integer("tiling_key");
        out.tiling.block_dim = small(inner.get("block_dim"), "block_dim");
    } else {
        out.tile = read_tile(inner, chip, op, command != Request::Command::Infer);
    }
    if (command == Request::Command::Tile) out.slots = read_slots(inner);
    if (command == Request::Command::Tile || command == Request::Command::Infer) return out;
    out.kernel = member(inner, outer, "kernel").string("kernel");
    out.entry = member(inner, outer, "entry").string("entry");
    for (const Value& each : member(inner, outer, "args").array("args")) out.arguments.push_back(read_argument(each));
    return out;
}

Request::Command command_of(const std::string& name) {
    const std::pair<const char*, Request::Command> known[] = {
        {"hello", Request::Command::Hello},   {"describe", Request::Command::Describe},
        {"infer", Request::Command::Infer},   {"tile", Request::Command::Tile},
        {"run", Request::Command::Run},       {"profile", Request::Command::Profile},
        {"replay", Request::Command::Replay}, {"program", Request::Command::Program}};
    for (const auto& [text, command] : known) {
        if (name == text) return command;
    }
    throw Error("the command " + name + " is unknown");
}

void read_limits(const Value& line, Limits& limits) {
    const Value& from = line.get("limits");
    if (from.is_null()) return;
    from.object("limits");
    optional(from, "cpu_s", limits.cpu_s);
    optional(from, "wall_s", limits.wall_s);
    optional(from, "as_mb", limits.as_mb);
    optional(from, "instructions", limits.instructions);
    if (limits.as_mb < 64 || limits.as_mb > (uint64_t{1} << 24)) throw Error("as_mb must lie between 64 and 2^24");
}

void read_timing(const Value& line, Request& out) {
    optional(line, "timeline", out.timeline);
    optional(line, "params", out.params);
    optional(line, "seed", out.seed);
    if (line.has("samples"))
        out.samples = static_cast<int>(std::min<uint32_t>(4096, small(line.get("samples"), "samples")));
}

void read_launch(const Value& line, Request& out) {
    out.memory = read_memory(line);
    if (line.has("chip")) optional(line.get("chip"), "l2_bytes", out.l2_bytes);
    std::string mode = out.command == Request::Command::Profile ? "timing" : "functional";
    optional(line, "mode", mode);
    if (mode != "functional" && mode != "timing") throw Error("mode must be functional or timing");
    out.functional = mode == "functional";
    optional(line, "timing", out.timing);
    optional(line, "system_workspace_bytes", out.system_workspace_bytes);
    out.check_races = out.functional;
    if (line.has("checks")) {
        optional(line.get("checks"), "race", out.check_races);
        optional(line.get("checks"), "strict_v_barrier", out.strict_v_barrier);
    }
    optional(line, "as_meant", out.as_meant);
    read_timing(line, out);
}

void read_program(const Value& line, Request& out) {
    out.program = line.get("program").string("program");
    out.folder = line.get("folder").string("folder");
    if (out.folder.empty() || out.folder[0] != '/') throw Error("folder must be an absolute path");
    if (line.has("arguments")) {
        for (const Value& each : line.get("arguments").array("arguments"))
            out.arguments.push_back(each.string("arguments"));
    }
    read_launch(line, out);
}

}  // namespace

std::vector<uint8_t> from_hex(const std::string& text, const char* what) {
    auto digit = [&](char c) -> unsigned {
        if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
        if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a') + 10;
        if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A') + 10;
        throw Error(std::string(what) + " must be hexadecimal");
    };
    if (text.size() % 2 != 0) throw Error(std::string(what) + " must have an even number of digits");
    std::vector<uint8_t> out;
    for (size_t i = 0; i < text.size(); i += 2)
        out.push_back(static_cast<uint8_t>(digit(text[i]) * 16 + digit(text[i + 1])));
    return out;
}

Request read_request(const Value& line) {
    Request out;
    const Value& id = line.get("id");
    if (id.is_number()) out.id = std::to_string(id.integer("id"));
    out.command = command_of(line.get("cmd").string("cmd"));
    if (out.command == Request::Command::Hello) return out;
    if (out.command == Request::Command::Replay) {
        read_timing(line, out);
        out.params = line.get("params").string("params");
        out.trace = read_trace(line.get("trace"));
        return out;
    }
    read_limits(line, out.limits);
    optional(line, "host", out.host);
    out.slots = read_slots(line);
    if (out.command == Request::Command::Describe) {
        if (out.host.empty()) throw Error("host is missing");
        return out;
    }
    host::ChipFacts chip = read_chip(line);
    if (out.command == Request::Command::Program) {
        read_program(line, out);
        out.chip = std::move(chip);
        return out;
    }
    std::string op;
    optional(line, "op", op);
    const bool launches = out.command == Request::Command::Run || out.command == Request::Command::Profile;
    if (launches) read_launch(line, out);
    out.lists =
        out.command == Request::Command::Profile || (out.command == Request::Command::Tile && line.has("cases"));
    if (out.lists) {
        const auto& cases = line.get("cases").array("cases");
        if (cases.empty() || cases.size() > kMaxCases) throw Error("cases must have between 1 and 4096 entries");
        for (const Value& each : cases) out.cases.push_back(read_case(each, line, out.command, chip, op));
    } else {
        out.cases.push_back(read_case(line, line, out.command, chip, op));
    }
    for (const Case& each : out.cases) {
        out.reloads = out.reloads || (out.lists && !each.slots.empty());
        if (!each.has_tiling && out.host.empty()) throw Error("host is missing, and so is tiling");
    }
    return out;
}

}  // namespace ascendopt::run
