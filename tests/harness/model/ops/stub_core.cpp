// The running core as the vector library sees it, reduced to one block of memory and a log. For tests only.
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "rt/core.h"

namespace {

constexpr uint32_t kBytes = 196608;
constexpr uint32_t kGuard = 65536;

struct Log {
    std::string violations;  // "code|severity|message" lines
    std::vector<ascendopt::rt::Access> accesses;
    std::vector<ascendopt::TraceRecord> records;
};

struct Stub {
    alignas(64) uint8_t memory[kBytes + kGuard];
    Log log;
    ascendopt::rt::MaskState mask{false, ~uint64_t{0}, ~uint64_t{0}};
    bool functional = true;
};

Stub& stub() {
    static Stub instance;
    return instance;
}

}  // namespace

namespace ascendopt::rt {

void enter(void*, const char*) {}
void enter_alone(void*, const char*) {}
bool repeats(void*, const AscVector&) { return false; }
bool repeats(void*, const AscComposite&) { return false; }
void end_repetition() {}
uint8_t* local(uint8_t, uint32_t address) { return stub().memory + address; }
bool functional() { return stub().functional; }
bool as_meant() { return false; }
MaskState& mask() { return stub().mask; }
uint32_t local_bytes(uint8_t) { return kBytes; }
void vector_barrier() {}
void scalar_takes_result() {}
void use_reserved(const char*, uint32_t) {}
void take_scratch(uint64_t, const char*) {}
void data_dependent(const char* api) { stub().log.violations += std::string("data_dependent|2|") + api + "\n"; }

void instruction(Pipe pipe, const TraceRecord& record, const Access* accesses, int count, const char* api) {
    for (int i = 0; i < count; ++i) {
        if (accesses[i].end > kBytes) fatal("ub_overflow", api, "%s touches %u", api, accesses[i].end);
        stub().log.accesses.push_back(accesses[i]);
    }
    TraceRecord out = record;
    out.pipe = pipe;
    stub().log.records.push_back(out);
}

void violation(const char* code, int severity, const char*, const char* format, ...) {
    char message[512];
    va_list list;
    va_start(list, format);
    std::vsnprintf(message, sizeof message, format, list);
    va_end(list);
    stub().log.violations += std::string(code) + "|" + std::to_string(severity) + "|" + message + "\n";
}

void fatal(const char* code, const char*, const char* format, ...) {
    char message[512];
    va_list list;
    va_start(list, format);
    std::vsnprintf(message, sizeof message, format, list);
    va_end(list);
    throw std::runtime_error(std::string(code) + "|fatal|" + message);
}

}  // namespace ascendopt::rt

extern "C" {
uint8_t asc_local_find(const void* pointer, AscLocal* where) {
    const auto* at = static_cast<const uint8_t*>(pointer);
    if (at < stub().memory || at >= stub().memory + kBytes) return 0;
    where->address = static_cast<uint32_t>(at - stub().memory);
    where->bytes = kBytes - where->address;
    where->position = 11;
    return 1;
}
uint8_t* stub_memory() { return stub().memory; }
void stub_reset(int functional) {
    stub().log = Log{};
    stub().mask = {false, ~uint64_t{0}, ~uint64_t{0}};
    stub().functional = functional != 0;
}
void stub_clear_log() { stub().log = Log{}; }
void stub_mask(int counter, uint64_t low, uint64_t high) {
    stub().mask.counter = counter != 0;
    stub().mask.low = low;
    stub().mask.high = high;
}
void stub_infinities(int on) { stub().mask.infinities = on != 0; }
void stub_mask_state(uint64_t* out) {
    const auto& mask = stub().mask;
    out[0] = mask.counter;
    out[1] = mask.low;
    out[2] = mask.high;
    out[3] = mask.compare[0];
    out[4] = mask.compare[1];
}
const char* stub_violations() { return stub().log.violations.c_str(); }
int stub_access_count() { return static_cast<int>(stub().log.accesses.size()); }
void stub_access(int index, uint32_t* out) {
    const auto& access = stub().log.accesses[static_cast<size_t>(index)];
    out[0] = access.begin;
    out[1] = access.end;
    out[2] = access.write;
}
int stub_record_count() { return static_cast<int>(stub().log.records.size()); }
void stub_record(int index, uint32_t* out) {
    const auto& record = stub().log.records[static_cast<size_t>(index)];
    out[0] = record.op;
    out[1] = record.dtype;
    out[2] = record.flags;
    out[3] = record.repeats;
    out[4] = record.elements;
    out[5] = record.ub_address;
}
int stub_call(const AscVector* call) {
    try {
        asc_vector(call);
        return 0;
    } catch (const std::runtime_error& error) {
        stub().log.violations += std::string(error.what()) + "\n";
        return 1;
    }
}
int stub_vector_size() { return static_cast<int>(sizeof(AscVector)); }
// Calls back to back, for speed measurements.
void stub_repeat(const AscVector* call, int times) {
    for (int i = 0; i < times; ++i) {
        stub().log.accesses.clear();
        stub().log.records.clear();
        asc_vector(call);
    }
}
}
