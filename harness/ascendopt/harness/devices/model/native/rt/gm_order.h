// Who uses which part of global memory, in what order: within a core by pipes, between cores by what they know of each
// other. Internal to rt/.
#pragma once
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "../abi/trace.h"
#include "cross_core.h"

namespace ascendopt::rt {

struct Allocation;
struct NotedCopy;

enum class GmUse : uint8_t { Read, Write, Atomic };

struct GmAccess {
    uint64_t begin;  // virtual addresses
    uint64_t end;
    uint32_t epoch;
    uint32_t core;
    uint32_t site;
    uint32_t sequence;
    uint32_t segment;
    uint32_t view;  // index into GmHistory::views
    Pipe pipe;
    GmUse use;
    bool repeats;  // the bytes that it writes were there already
};

// One core's part.
struct GmHistory {
    std::vector<GmAccess> accesses;
    std::vector<GmAccess> unsettled;  // writes that another pipe of the core may not see yet
    size_t settle_at = 64;
    std::vector<ViewPointer> views;
};

// Lines of the scalar unit's cache that it has written and not cleaned: line -> core.
using DirtyLines = std::unordered_map<uint64_t, uint32_t>;
constexpr uint64_t kCacheLine = 64;

// `device`: virtual address. `repeats`: the values are the ones that lie there.
void gm_written(Pipe pipe, uint64_t device, uint64_t bytes, bool atomic, bool repeats = false);
void gm_read(Pipe pipe, const Allocation& at, uint64_t device, uint64_t bytes, const char* api);
// What a copy does that another core's copy did elsewhere, where that was seen to be in order.
void gm_repeated(const NotedCopy& noted, uint64_t device);
// Reports what cores did to the same bytes with nothing between them.
void gm_conflicts();

}  // namespace ascendopt::rt
