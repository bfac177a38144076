#include "trace_json.h"

#include <string>
#include <utility>

#include "../abi/ops.h"
#include "../sim/parameters.h"

namespace ascendopt::run {

namespace {

using json::Error;
using json::Value;

constexpr size_t kMaxRecords = 4'000'000;

uint64_t number(const Value& item, const char* key, uint64_t otherwise, uint64_t most = UINT32_MAX) {
    if (!item.has(key)) return otherwise;
    uint64_t value = item.get(key).unsigned_integer(key);
    if (value > most) throw Error(std::string(key) + " is too large");
    return value;
}

Pipe pipe_of(const Value& item, const char* key) {
    static const char* names[] = {"S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX"};
    const std::string& name = item.get(key).string(key);
    for (size_t i = 0; i < std::size(names); ++i) {
        if (name == names[i]) return static_cast<Pipe>(i);
    }
    throw Error("the pipe " + name + " is unknown");
}

uint16_t op_of(const std::string& name) {
    for (int i = 0; i < static_cast<int>(Op::Count); ++i) {
        if (name == sim::op_name(static_cast<Op>(i))) return static_cast<uint16_t>(i);
    }
    throw Error("the operation " + name + " is unknown");
}

uint8_t dtype_of(const std::string& name) {
    const std::pair<const char*, Dtype> known[] = {
        {"float16", Dtype::F16}, {"float32", Dtype::F32}, {"bfloat16", Dtype::BF16}, {"int8", Dtype::I8},
        {"int16", Dtype::I16},   {"int32", Dtype::I32},   {"int64", Dtype::I64},     {"uint8", Dtype::U8}};
    for (const auto& [text, dtype] : known) {
        if (name == text) return static_cast<uint8_t>(dtype);
    }
    throw Error("the data type " + name + " is unknown");
}

uint8_t flags_of(const Value& item) {
    const std::pair<const char*, uint8_t> known[] = {{"bank_read_read", kBankReadRead},
                                                     {"bank_read_write", kBankReadWrite},
                                                     {"l2_bypass", kL2Bypass},
                                                     {"partial_read_read", kPartialReadRead},
                                                     {"to_l1", kToL1},
                                                     {"pad", kPad},
                                                     {"gm_write", kGmWrite},
                                                     {"atomic", kAtomic}};
    unsigned flags = 0;
    if (!item.has("flags")) return 0;
    for (const Value& each : item.get("flags").array("flags")) {
        const std::string& name = each.string("flags");
        bool found = false;
        for (const auto& [text, flag] : known) {
            if (name == text) {
                flags |= flag;
                found = true;
            }
        }
        if (!found) throw Error("the flag " + name + " is unknown");
    }
    return static_cast<uint8_t>(flags);
}

void read_cross(const Value& item, bool sets, TraceRecord& r) {
    r.kind = sets ? TraceKind::CrossSet : TraceKind::CrossWait;
    if (sets) r.pipe = pipe_of(item, "pipe");
    r.event = static_cast<uint8_t>(number(item, "flag", 0, 255));
    r.op = static_cast<uint16_t>(number(item, "mode", 0, UINT16_MAX));
    r.elements = static_cast<uint32_t>(number(item, "cores", 0));
    r.gm_address = number(item, "signal", 0, UINT64_MAX / 2);
}

uint16_t cube_op_of(const std::string& name) {
    static const char* names[] = {"", "Mmad", "LoadA", "LoadB", "LoadTable", "Fill", "Fixpipe"};
    for (size_t i = 1; i < std::size(names); ++i) {
        if (name == names[i]) return static_cast<uint16_t>(i);
    }
    throw Error("the cube operation " + name + " is unknown");
}

TraceRecord record_of(const Value& item) {
    TraceRecord r{};
    const std::string& what = item.get("do").string("do");
    if (what == "instr") {
        r.kind = TraceKind::Instr;
        r.pipe = pipe_of(item, "pipe");
        const std::string& name = item.get("op").string("op");
        r.op = r.pipe == Pipe::V ? op_of(name) : cube_op_of(name);
        r.dtype = dtype_of(item.get("dtype").string("dtype"));
        r.repeats = static_cast<uint32_t>(number(item, "repeats", 1));
        if (r.pipe != Pipe::V) r.elements = static_cast<uint32_t>(number(item, "elements", 0));
    } else if (what == "transfer") {
        r.kind = TraceKind::Transfer;
        r.pipe = pipe_of(item, "pipe");
        r.repeats = static_cast<uint32_t>(number(item, "rows", 1));
        r.elements = static_cast<uint32_t>(item.get("bytes").unsigned_integer("bytes"));
        r.gm_address = number(item, "gm", 0, UINT64_MAX / 2);
        r.gm_pitch = static_cast<uint32_t>(number(item, "pitch", 0));
        // Without a word, every core reads data of its own.
        const bool same = item.has("same_for_all") && item.get("same_for_all").boolean("same_for_all");
        r.fresh = same ? 1 : UINT16_MAX;
        r.event = same ? UINT8_MAX : 0;
    } else if (what == "set" || what == "wait") {
        r.kind = what == "set" ? TraceKind::SetFlag : TraceKind::WaitFlag;
        r.pipe = pipe_of(item, "from");
        r.dst_pipe = pipe_of(item, "to");
        r.event = static_cast<uint8_t>(number(item, "event", 0, 255));
    } else if (what == "barrier") {
        r.kind = TraceKind::Barrier;
        r.pipe = pipe_of(item, "pipe");
    } else if (what == "barrier_all") {
        r.kind = TraceKind::BarrierAll;
    } else if (what == "sync_all") {
        r.kind = TraceKind::SyncAll;
    } else if (what == "scalar") {
        r.kind = TraceKind::Scalar;
    } else if (what == "cross_set" || what == "cross_wait") {
        read_cross(item, what == "cross_set", r);
    } else {
        throw Error("the record " + what + " is unknown");
    }
    r.flags = flags_of(item);
    r.scalar_ops = static_cast<uint16_t>(number(item, "calls", 0, UINT16_MAX));
    r.scalar_ub_reads = static_cast<uint16_t>(number(item, "ub_reads", 0, UINT16_MAX));
    r.scalar_ub_writes = static_cast<uint16_t>(number(item, "ub_writes", 0, UINT16_MAX));
    r.scalar_gm_reads = static_cast<uint16_t>(number(item, "gm_reads", 0, UINT16_MAX));
    r.scalar_gm_writes = static_cast<uint16_t>(number(item, "gm_writes", 0, UINT16_MAX));
    return r;
}

void append(const std::vector<Value>& items, std::vector<TraceRecord>& out);

void append_loop(const Value& item, std::vector<TraceRecord>& out) {
    uint64_t count = number(item, "loop", 0);
    uint64_t step = number(item, "gm_step", 0, UINT64_MAX / 2);
    std::vector<TraceRecord> body;
    append(item.get("body").array("body"), body);
    if (count * body.size() + out.size() > kMaxRecords) throw Error("the trace has more than four million records");
    for (uint64_t i = 0; i < count; ++i) {
        for (TraceRecord r : body) {
            if (r.kind == TraceKind::Transfer) r.gm_address += i * step;
            out.push_back(r);
        }
    }
}

void append(const std::vector<Value>& items, std::vector<TraceRecord>& out) {
    for (const Value& item : items) {
        if (item.has("loop"))
            append_loop(item, out);
        else
            out.push_back(record_of(item));
    }
}

}  // namespace

LaunchTrace read_trace(const Value& from) {
    LaunchTrace trace;
    for (const Value& program : from.get("programs").array("programs")) {
        trace.unique.emplace_back();
        append(program.array("programs"), trace.unique.back().records);
    }
    for (const Value& core : from.get("cores").array("cores")) {
        uint64_t index = core.unsigned_integer("cores");
        if (index >= trace.unique.size()) throw Error("cores names a program that does not exist");
        trace.core_to_trace.push_back(static_cast<uint32_t>(index));
    }
    trace.cubes = static_cast<uint8_t>(number(from, "cubes", 0, 1));
    trace.vectors = static_cast<uint8_t>(number(from, "vectors", 1, 2));
    if (trace.core_to_trace.size() > 65536) throw Error("there are more than 65536 cores");
    return trace;
}

}  // namespace ascendopt::run
