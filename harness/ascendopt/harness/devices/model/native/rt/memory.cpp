// Local memories, global memory, scalar accesses, tiling data.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "state.h"

namespace ascendopt::rt {

namespace {

constexpr uint64_t kDeviceBase = uint64_t{1} << 32;
constexpr uint64_t kGmAlign = 512;
constexpr uint64_t kGmSlack = 32;  // device allocators round up to 32 B and add 32

const char* const kTiling = "tiling";
const char* const kConstants = "the kernel's constants";

// By position.
constexpr auto kMemoryOf = [] {
    std::array<uint8_t, 16> out{};  // UB
    for (const int position : {1, 3, 5, 12, 13}) out[position] = static_cast<uint8_t>(Memory::L1);
    out[2] = static_cast<uint8_t>(Memory::L0A);
    out[4] = static_cast<uint8_t>(Memory::L0B);
    out[6] = static_cast<uint8_t>(Memory::Bias);
    out[7] = static_cast<uint8_t>(Memory::L0C);
    out[14] = static_cast<uint8_t>(Memory::Fixpipe);
    return out;
}();

const char* const kPositions[] = {"GM",  "A1",    "A2",     "B1",      "B2",  "C1",   "C2",        "CO1",
                                  "CO2", "VECIN", "VECOUT", "VECCALC", "SPM", "TSCM", "C2PIPE2GM", "C2PIPE2LOCAL"};

uint64_t round_up(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit * unit; }

uint32_t capacity(const ChipMemory& chip, Memory which) {
    switch (which) {
        case Memory::UB:
            return chip.ub;
        case Memory::L1:
            return chip.l1;
        case Memory::L0A:
            return chip.l0a;
        case Memory::L0B:
            return chip.l0b;
        case Memory::L0C:
            return chip.l0c;
        case Memory::Bias:
            return chip.bias_table;
        default:
            return chip.fixpipe;
    }
}

uint64_t page_bytes() { return static_cast<uint64_t>(sysconf(_SC_PAGESIZE)); }

uint8_t* map_guarded(uint64_t bytes, uint64_t guard, Mapping* whole) {
    const uint64_t body = round_up(bytes, page_bytes());
    const uint64_t before = round_up(guard, page_bytes());
    const uint64_t total = before + body + page_bytes();
    void* base = mmap(nullptr, total, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED) return nullptr;
    uint8_t* data = static_cast<uint8_t*>(base) + before;
    if (mprotect(data, body, PROT_READ | PROT_WRITE) != 0) return nullptr;
    if (whole) *whole = Mapping{base, total};
    return data;
}

void add(std::string name, uint8_t* host, uint64_t bytes, Role role, bool has_values, uint64_t& device) {
    if (!host) return;
    current->allocations.push_back(Allocation{reinterpret_cast<uint64_t>(host), bytes, device, role, has_values,
                                              role == Role::Input, std::move(name)});
    device += round_up(bytes + kGmSlack, kGmAlign);
}

const Allocation* find(uint64_t address) {
    Launch& launch = *current;
    const auto reaches = [address](const Allocation& at) {
        return address >= at.host && address <= at.host + round_up(at.bytes, 32) + kGmSlack;
    };
    if (launch.last_allocation < launch.allocations.size() && reaches(launch.allocations[launch.last_allocation])) {
        return &launch.allocations[launch.last_allocation];
    }
    auto after = std::upper_bound(launch.allocations.begin(), launch.allocations.end(), address,
                                  [](uint64_t value, const Allocation& at) { return value < at.host; });
    if (after == launch.allocations.begin()) return nullptr;
    --after;
    if (!reaches(*after)) return nullptr;
    launch.last_allocation = static_cast<size_t>(after - launch.allocations.begin());
    return &*after;
}

}  // namespace

Memory memory_of(uint8_t position) { return position < 16 ? static_cast<Memory>(kMemoryOf[position]) : Memory::UB; }

const char* memory_name(Memory memory) {
    static const char* const names[] = {"UB", "L1", "L0A", "L0B", "L0C", "bias table", "fixpipe buffer"};
    return names[static_cast<int>(memory)];
}

const char* position_name(uint8_t position) { return position < 16 ? kPositions[position] : "?"; }

LocalMemory& open_memory(Memory which) {
    LocalMemory& place = (*core().memories)[static_cast<size_t>(which)];
    const uint32_t bytes = capacity(current->request->memory, which);
    if (bytes == 0) {
        Report out{"no_such_memory"};
        out.message = format("%s uses %s, which this chip does not have", core().api, memory_name(which));
        report_fatal(out);
    }
    place.bytes = bytes;
    place.data = map_for_launch(bytes, 4096);
    if (!place.data) {
        Report out{"out_of_memory"};
        out.message = format("no memory for %u bytes of %s", bytes, memory_name(which));
        report_fatal(out);
    }
    place.shadow = std::make_unique<Shadow>(bytes);
    if (functional()) std::memset(place.data, 0xFF, bytes);
    return place;
}

uint32_t local_bytes(uint8_t position) { return capacity(current->request->memory, memory_of(position)); }

uint8_t* local(uint8_t position, uint32_t address) { return memory(memory_of(position)).data + address; }

uint8_t* map_for_launch(uint64_t bytes, uint64_t guard) {
    Mapping whole{};
    uint8_t* data = map_guarded(bytes == 0 ? 1 : bytes, guard, &whole);
    if (data) current->mappings.push_back(whole);
    return data;
}

Launch::~Launch() {
    for (const Mapping& each : mappings) munmap(each.base, each.bytes);
}

uint8_t* map_gm(int fd, uint64_t bytes) {
    const uint64_t size = bytes == 0 ? 1 : bytes;
    uint8_t* data = map_guarded(size, 1, nullptr);
    if (!data) return nullptr;
    const uint64_t body = round_up(size, page_bytes());
    if (fd < 0) return data + (body - round_up(size, kGmAlign));
    void* shared = mmap(data, body, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0);
    return shared == MAP_FAILED ? nullptr : data;
}

void map_arguments() {
    Launch& launch = *current;
    const LaunchRequest& request = *launch.request;
    uint64_t device = kDeviceBase;
    int number = 0;
    for (const Argument& argument : request.arguments) {
        const std::string name = argument.name.empty() ? format("argument %d", number) : argument.name;
        ++number;
        const bool poison = argument.role == Role::Output && argument.poison && request.mode == Mode::Functional;
        if (!argument.is_list) {
            if (poison && argument.data) std::memset(argument.data, 0xFF, argument.bytes);
            if (!argument.shared) add(name, argument.data, argument.bytes, argument.role, argument.has_values, device);
            launch.arguments.push_back(argument.data);
            continue;
        }
        // {byte offset of the pointers, pointers}
        const uint64_t bytes = 8 * (argument.list.size() + 1);
        uint8_t* block = map_for_launch(bytes, 1);
        uint64_t offset = 8;
        if (block) std::memcpy(block, &offset, 8);
        for (size_t i = 0; block && i < argument.list.size(); ++i) {
            const ListItem& item = argument.list[i];
            const auto pointer = reinterpret_cast<uint64_t>(item.data);
            std::memcpy(block + 8 * (i + 1), &pointer, 8);
            if (poison && item.data) std::memset(item.data, 0xFF, item.bytes);
            if (argument.shared) continue;
            add(format("%s[%zu]", name.c_str(), i), item.data, item.bytes, argument.role, argument.has_values, device);
        }
        add(name + " (list)", block, bytes, Role::Input, true, device);
        launch.arguments.push_back(block);
    }
    if (!request.call) {
        uint8_t* tiling = map_for_launch(request.tiling.size(), 1);
        if (tiling && !request.tiling.empty()) std::memcpy(tiling, request.tiling.data(), request.tiling.size());
        add(kTiling, tiling, request.tiling.size(), Role::Input, true, device);
        launch.arguments.push_back(tiling);
    }
    for (const Segment& each : launch.constants) {
        add(kConstants, reinterpret_cast<uint8_t*>(each.begin), each.bytes, Role::Input, true, device);
    }
    std::sort(launch.allocations.begin(), launch.allocations.end(),
              [](const Allocation& a, const Allocation& b) { return a.host < b.host; });
    if (!functional()) launch.closed.close(launch.allocations);
    // Outputs may lie in the memory of inputs.
    for (Allocation& each : launch.allocations) {
        for (const Allocation& other : launch.allocations) {
            if (other.host == each.host && other.role != Role::Input) each.constant = false;
        }
    }
}

const Allocation& gm_span(uint64_t address, uint64_t bytes, bool write, const char* api) {
    const Allocation* at = find(address);
    if (!at) {
        Report out{"gm_out_of_bounds", Severity::Error, api};
        const auto& known = current->allocations;
        auto after = std::upper_bound(known.begin(), known.end(), address,
                                      [](uint64_t value, const Allocation& a) { return value < a.host; });
        if (after == known.begin()) {
            out.message =
                format("%s %s global memory that is in no argument of the kernel", api, write ? "writes" : "reads");
        } else {
            --after;
            out.buffer = after->name;
            out.message =
                format("%s %s %llu bytes at offset %llu of %s, which has %llu bytes", api, write ? "writes" : "reads",
                       static_cast<unsigned long long>(bytes), static_cast<unsigned long long>(address - after->host),
                       after->name.c_str(), static_cast<unsigned long long>(after->bytes));
        }
        report_fatal(out);
    }
    const uint64_t end = address - at->host + bytes;
    if (end > at->bytes) {
        Report out{"gm_out_of_bounds", Severity::Error, api};
        out.buffer = at->name;
        out.message = format("%s %s bytes [%llu, %llu) of %s, which has %llu bytes", api, write ? "writes" : "reads",
                             static_cast<unsigned long long>(address - at->host), static_cast<unsigned long long>(end),
                             at->name.c_str(), static_cast<unsigned long long>(at->bytes));
        if (end > round_up(at->bytes, 32) + kGmSlack) report_fatal(out);
        out.severity = Severity::Warning;
        out.message += " (still inside the padding that device allocators add)";
        report(out);
    }
    if (write && (at->name == kTiling || at->name == kConstants)) {
        Report out{"gm_write_input", Severity::Error, api};
        out.message = format("%s writes %s", api, at->name == kTiling ? "the tiling data" : kConstants);
        report_fatal(out);
    }
    return *at;
}

// A scalar access with all checks.
__attribute__((noinline)) void* access_closely(Memory which, uint64_t address, uint8_t bytes, uint8_t how) {
    Core& here = core();
    const bool write = how != kAscRead, reads = how != kAscWrite;
    LocalMemory& place = memory(which);
    if (address + bytes > place.bytes) check_range(which, address, address + bytes, here.api);
    const auto begin = static_cast<uint32_t>(address);
    if (reads && !functional() && !current->request->check_races) {
        data_dependent(here.api);  // nobody kept track of who wrote it
    } else if (reads && !functional()) {
        place.shadow->each(begin, begin + bytes, [&](Stamp& stamp) {
            const uint32_t last = stamp.last_write();
            if (last > here.start && last != stamp.write[0]) data_dependent(here.api);
        });
    }
    if (write) here.clocks[0][0] = ++current->sequence;
    if (touch(Pipe::S, which, begin, begin + bytes, write, here.api))
        here.windows.open(static_cast<uint32_t>(which), address, bytes, write);
    return place.data + address;
}

void read_tiling(uint64_t from, uint64_t bytes) {
    ++core().pending_gm_reads;
    const Allocation* tiling = nullptr;
    for (const Allocation& at : current->allocations) {
        if (at.name == kTiling) tiling = &at;
    }
    if (!tiling || from < tiling->host || from > tiling->host + tiling->bytes) {
        gm_span(from, bytes, false, "GET_TILING_DATA");
    } else if (from - tiling->host + bytes > tiling->bytes) {
        fatal("tiling_size", "GET_TILING_DATA", "the kernel reads %llu bytes of tiling data, but the host wrote %llu",
              static_cast<unsigned long long>(bytes), static_cast<unsigned long long>(tiling->bytes));
    }
}

}  // namespace ascendopt::rt

using namespace ascendopt::rt;
using ascendopt::Pipe;

extern "C" {

void* asc_local(uint8_t position, uint32_t address) { return local(position, address); }

void* asc_local_access(const AscLocal* tensor, uint32_t offset, uint8_t bytes, uint8_t how) {
    current->repetition.leave();
    Core& here = core();
    const bool write = how != kAscRead, reads = how != kAscWrite;
    here.entered(__builtin_frame_address(0), how == kAscRead ? "GetValue" : write && reads ? "operator()" : "SetValue");
    uint32_t& counter = write ? here.pending_ub_writes : here.pending_ub_reads;
    if (++counter >= 60000) flush_scalar();
    ++current->result.scalar_accesses;
    const auto which = static_cast<uint32_t>(memory_of(tensor->position));
    const uint64_t address = uint64_t{tensor->address} + offset;
    // What DataCopyPad left is forgotten byte by byte, so a block with some of it is looked at each time.
    if (here.windows.covers(which, address, bytes, write) && (!write || here.filler.empty())) {
        return (*here.memories)[which].data + address;
    }
    return access_closely(static_cast<Memory>(which), address, bytes, how);
}

void* asc_gm_access(uint64_t address, uint8_t bytes, uint8_t how) {
    current->repetition.leave();
    Core& here = core();
    const bool write = how != kAscRead, reads = how != kAscWrite;
    here.entered(__builtin_frame_address(0), how == kAscRead  ? "GlobalTensor::GetValue"
                                             : write && reads ? "GlobalTensor::operator()"
                                                              : "GlobalTensor::SetValue");
    here.windows.close_all();
    uint32_t& counter = write ? here.pending_gm_writes : here.pending_gm_reads;
    if (++counter >= 60000) flush_scalar();
    ++current->result.scalar_accesses;
    const Allocation& at = gm_span(address, bytes, write, here.api);
    if (reads && (at.role != Role::Input || !at.has_values)) data_dependent(here.api);
    if (address - at.host + bytes > at.bytes) {
        here.beyond = ~uint64_t{0};  // padding: reads see poison, writes vanish
        return &here.beyond;
    }
    current->closed.open(address, bytes);
    const uint64_t device = at.device + (address - at.host);
    if (write) here.clocks[0][0] = ++current->sequence;
    if (reads) gm_read(Pipe::S, at, device, bytes, here.api);
    if (write) gm_written(Pipe::S, device, bytes, false);
    return reinterpret_cast<void*>(address);
}

void asc_tiling(void* to, uint64_t from, uint64_t bytes) {
    if (!ASC_REPEATED(Tiling, from, bytes)) {
        ASC_ENTER_REPEATABLE("GET_TILING_DATA");
        read_tiling(from, bytes);
    }
    if (to) std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
}

uint8_t* asc_workspace_user(uint8_t* workspace) {
    return workspace ? workspace + current->request->system_workspace_bytes : nullptr;
}

uint8_t* asc_workspace_system() {
    for (size_t i = 0; i < current->request->arguments.size(); ++i) {
        if (current->request->arguments[i].role == Role::Workspace) return current->request->arguments[i].data;
    }
    return nullptr;
}
}
