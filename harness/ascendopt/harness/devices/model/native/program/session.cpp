#include "session.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace ascendopt::program {

Session* session = nullptr;

namespace {

struct Pages {
    uint8_t* begin;
    size_t bytes;
};

Pages pages_of(const DeviceBuffer& buffer) {
    const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    const auto begin = reinterpret_cast<uintptr_t>(buffer.data) / page * page;
    const auto end = (reinterpret_cast<uintptr_t>(buffer.data) + std::max<uint64_t>(buffer.bytes, 1) + page - 1) / page;
    return {reinterpret_cast<uint8_t*>(begin), end * page - begin};
}

}  // namespace

Session::Session(const rt::LaunchRequest& settings, const host::ChipFacts& chip, ObjectRange object, Deliver deliver)
    : settings_(settings), chip_(chip), object_(object), deliver_(std::move(deliver)) {}

uint8_t* Session::allocate(uint64_t bytes) {
    uint8_t* data = rt::map_gm(-1, bytes);
    if (!data) return nullptr;
    std::memset(data, 0xFF, bytes);
    const DeviceBuffer buffer{data, bytes};
    buffers_.emplace(reinterpret_cast<uintptr_t>(data), buffer);
    const Pages pages = pages_of(buffer);
    mprotect(pages.begin, pages.bytes, PROT_NONE);
    return data;
}

bool Session::release(uint8_t* data) {
    auto found = buffers_.find(reinterpret_cast<uintptr_t>(data));
    if (found == buffers_.end()) return false;
    // The addresses stay taken, so that a later use of them is seen.
    const Pages pages = pages_of(found->second);
    madvise(pages.begin, pages.bytes, MADV_DONTNEED);
    buffers_.erase(found);
    return true;
}

const DeviceBuffer* Session::buffer_at(const void* address) const {
    auto after = buffers_.upper_bound(reinterpret_cast<uintptr_t>(address));
    if (after == buffers_.begin()) return nullptr;
    const DeviceBuffer& buffer = std::prev(after)->second;
    const auto offset = static_cast<uint64_t>(static_cast<const uint8_t*>(address) - buffer.data);
    return offset < std::max<uint64_t>(buffer.bytes, 1) ? &buffer : nullptr;
}

void Session::protect(bool open) {
    for (const auto& [address, buffer] : buffers_) {
        const Pages pages = pages_of(buffer);
        mprotect(pages.begin, pages.bytes, open ? PROT_READ | PROT_WRITE : PROT_NONE);
    }
}

rt::LaunchRequest Session::request(const AscKernelLaunch& launch) {
    rt::LaunchRequest out = settings_;
    out.entry = reinterpret_cast<void*>(launch.call);
    out.call = launch.call;
    out.context = launch.context;
    out.block_dim = launch.blocks;
    if (launch.kind == kAscKernelMix) {
        out.cubes = launch.cubes;
        out.vectors = launch.vectors;
    } else {
        out.cubes = launch.kind == kAscKernelCube;
        out.vectors = launch.kind == kAscKernelVector;
    }
    int number = 0;
    for (const auto& [address, buffer] : buffers_) {
        rt::Argument argument;
        argument.data = buffer.data;
        argument.bytes = buffer.bytes;
        argument.role = rt::Role::Output;
        argument.poison = false;
        argument.name = "device buffer " + std::to_string(number++);
        for (size_t i = launch.arguments; i-- > 0;) {
            if (launch.pointers[i] && buffer_at(launch.pointers[i]) == &buffer)
                argument.name = "argument " + std::to_string(i);
        }
        out.arguments.push_back(std::move(argument));
    }
    if (!workspace_) workspace_ = rt::map_gm(-1, settings_.system_workspace_bytes);
    rt::Argument workspace;
    workspace.data = workspace_;
    workspace.bytes = settings_.system_workspace_bytes;
    workspace.role = rt::Role::Workspace;
    workspace.name = "the system workspace";
    out.arguments.push_back(std::move(workspace));
    return out;
}

void Session::launch(const AscKernelLaunch& launch) {
    rt::LaunchResult result;
    {
        Open open(*this);
        result = rt::launch(request(launch));
    }
    deliver_(&launch, result);
    if (!result.completed) _exit(1);
}

void Session::fail(const std::string& code, const std::string& message, const char* api, void* caller) {
    rt::LaunchResult result;
    rt::Violation violation;
    violation.code = code;
    violation.message = message;
    violation.api = api;
    const auto at = reinterpret_cast<uintptr_t>(caller);
    if (at >= object_.begin && at < object_.end) violation.sites.push_back(static_cast<uint32_t>(at - object_.begin));
    result.violations.push_back(std::move(violation));
    deliver_(nullptr, result);
    _exit(1);
}

}  // namespace ascendopt::program

extern "C" void asc_launch(const AscKernelLaunch* launch) { ascendopt::program::session->launch(*launch); }
