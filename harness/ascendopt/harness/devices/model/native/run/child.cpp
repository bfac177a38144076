#include "child.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <new>
#include <utility>

#include "../host/log.h"
#include "../host/registry.h"
#include "confine.h"
#include "confine_files.h"
#include "program.h"
#include "wire.h"

namespace ascendopt::run {

namespace {

int open_file(const std::string& path, bool write, uint64_t bytes) {
    int fd = open(path.c_str(), (write ? O_RDWR : O_RDONLY) | O_CLOEXEC);
    if (fd < 0) throw Failure("run", "the file " + path + " cannot be opened: " + std::strerror(errno));
    struct stat status {};
    if (fstat(fd, &status) != 0 || static_cast<uint64_t>(status.st_size) < bytes) {
        close(fd);
        throw Failure("run", "the file " + path + " is shorter than " + std::to_string(bytes) + " bytes");
    }
    return fd;
}

void read_into(const std::string& path, uint8_t* to, uint64_t bytes) {
    int fd = open_file(path, false, bytes);
    uint64_t done = 0;
    while (done < bytes) {
        ssize_t part = read(fd, to + done, bytes - done);
        if (part < 0 && errno == EINTR) continue;
        if (part <= 0) break;
        done += static_cast<uint64_t>(part);
    }
    close(fd);
    if (done != bytes) throw Failure("run", "the file " + path + " cannot be read");
}

// What the child allocates from now on comes from large pages of its own, where the system has them: small ones of the
// server would be copied one by one, and new ones cost as much as what a launch does with them.
void begin_heap() {
#if defined(__GLIBC__) && defined(MADV_HUGEPAGE)
    constexpr int kLarge = 64 << 20;
    constexpr uintptr_t kPage = 2 << 20, kPages = 4;
    mallopt(M_MMAP_THRESHOLD, kLarge);
    mallopt(M_TRIM_THRESHOLD, kLarge);
    void* room = std::malloc((kPages + 1) * kPage);
    if (!room) return;
    const auto begin = reinterpret_cast<uintptr_t>(room);
    const uintptr_t first = (begin + kPage - 1) / kPage * kPage;
    madvise(reinterpret_cast<void*>(first), kPages * kPage, MADV_HUGEPAGE);
    std::free(room);
    // Nobody uses, nor gives back, what lies before: up to the first large page, and what the server has freed.
    constexpr uintptr_t kHeader = 64;
    if (first - begin > kHeader) static_cast<void>(!std::malloc(first - begin - kHeader));
    for (size_t bytes = kPage / 2; bytes >= kPage / 128; bytes /= 2) {
        for (int i = 0; i < 16; ++i) {
            void* piece = std::malloc(bytes);
            if (reinterpret_cast<uintptr_t>(piece) < begin) continue;
            std::free(piece);
            break;
        }
    }
#endif
}

class Child {
  public:
    Child(const Request& request, int frames) : request_(request), frames_(frames) {}

    void run(size_t first) {
        // Everything that needs a file comes before the filters.
        for (size_t i = first; i < request_.cases.size(); ++i) {
            try {
                prepare(i);
            } catch (const Failure& failure) {
                broken_.emplace(i, failure);
            }
        }
        host::open_log();
        confine_objects();
        confined_ = confine_loading();
        if (request_.reloads) return tile_each(first);
        std::copy(request_.slots.begin(), request_.slots.end(), host::ascendopt_slots);
        load(first);
        if (confined_ && !confine_running()) throw Failure("run", "the candidate interfered with the sandbox");
        if (request_.command == Request::Command::Describe) {
            send(0, FrameKind::Text, host::describe());
            return;
        }
        for (size_t i = first; i < request_.cases.size(); ++i) {
            answer(i, [&] { one(i); });
        }
    }

    // `work` is a case, whose failure is its answer.
    template <class Work>
    void answer(size_t index, Work work) {
        try {
            auto broken = broken_.find(index);
            if (broken != broken_.end()) throw broken->second;
            work();
        } catch (const Failure& failure) {
            fail(index, failure);
        }
        send(index, FrameKind::CaseDone, "");
    }

    // Each case under numbers of its own, which host code reads while it is loaded.
    void tile_each(size_t first) {
        for (size_t i = first; i < request_.cases.size(); ++i) {
            host::registry() = {};
            const std::vector<int64_t>& slots = request_.cases[i].slots;
            std::copy(slots.begin(), slots.end(), host::ascendopt_slots);
            void* object = nullptr;
            answer(i, [&] {
                object = open_host();
                one(i);
            });
            if (!object) continue;
            dlclose(object);
            // Host code may have tied itself to the process: what it read then stays.
            if (dlopen(request_.host.c_str(), RTLD_NOW | RTLD_NOLOAD)) _exit(kGoOn);
        }
    }

    void fail(size_t index, const Failure& failure) {
        std::string body = failure.stage;
        for (const std::string& part : {std::string(failure.what()), failure.log}) body += '\0' + part;
        send(index, FrameKind::Failure, body);
    }

  private:
    const Request& request_;
    int frames_;
    bool confined_ = false;
    std::map<size_t, Failure> broken_;  // cases that cannot start
    std::map<size_t, std::vector<rt::Argument>> arguments_;
    std::map<size_t, host::TileRequest> tile_requests_;
    std::vector<std::vector<uint8_t>> values_;
    std::map<std::string, void*> kernels_;
    std::map<std::pair<size_t, uint64_t>, uint8_t*> scratch_;

    void send(size_t index, FrameKind kind, const std::string& body) {
        send_frame(frames_, kind, static_cast<uint32_t>(index), body.data(), body.size());
    }

    // Contents mean nothing in timing mode, so cases of equal size use the same memory.
    uint8_t* scratch(size_t slot, uint64_t bytes) {
        if (request_.functional) return checked(rt::map_gm(-1, bytes), bytes);
        uint8_t*& known = scratch_[{slot, bytes}];
        if (!known) known = checked(rt::map_gm(-1, bytes), bytes);
        return known;
    }

    static uint8_t* checked(uint8_t* data, uint64_t bytes) {
        if (!data) throw Failure("run", "no memory for an argument of " + std::to_string(bytes) + " bytes");
        return data;
    }

    uint8_t* map(size_t slot, const std::string& file, uint64_t bytes, rt::Role role, const std::string& result) {
        if (file.empty() || bytes == 0) return scratch(slot, bytes);
        if (!result.empty()) {
            uint8_t* data = map(slot, result, bytes, rt::Role::Output, "");
            read_into(file, data, bytes);
            return data;
        }
        if (role == rt::Role::Input) {
            // A copy: the candidate must not be able to change the files that judge it.
            uint8_t* data = checked(rt::map_gm(-1, bytes), bytes);
            read_into(file, data, bytes);
            return data;
        }
        int fd = open_file(file, true, bytes);
        uint8_t* data = rt::map_gm(fd, bytes);
        close(fd);
        return checked(data, bytes);
    }

    void prepare(size_t index) {
        const Case& at = request_.cases[index];
        if (!at.has_tiling) prepare_tile(index, at.tile);
        size_t slot = 0;
        for (const ArgumentSpec& spec : at.arguments) {
            if (spec.same_as >= 0) {
                share(index, static_cast<size_t>(spec.same_as));
                ++slot;
                continue;
            }
            rt::Argument argument;
            argument.role = spec.role;
            argument.is_list = spec.is_list;
            argument.bytes = spec.bytes;
            argument.poison = !spec.initial;
            const bool files = !spec.file.empty() || !spec.list_files.empty();
            argument.has_values = files || (request_.functional && spec.role == rt::Role::Input);
            for (size_t i = 0; i < spec.list_bytes.size(); ++i) {
                const std::string file = spec.list_files.empty() ? "" : spec.list_files[i];
                argument.list.push_back(
                    {map(slot * 4096 + i, file, spec.list_bytes[i], spec.role, result(spec, i)), spec.list_bytes[i]});
            }
            // The pointer of an absent optional input is null, and kernels ask for that.
            const bool absent = spec.role == rt::Role::Input && spec.bytes == 0;
            if (!spec.is_list && !spec.from_tiling && !absent)
                argument.data = map(slot * 4096, spec.file, spec.bytes, spec.role, result(spec, 0));
            arguments_[index].push_back(std::move(argument));
            ++slot;
        }
    }

    static std::string result(const ArgumentSpec& spec, size_t tensor) {
        return tensor < spec.results.size() ? spec.results[tensor] : "";
    }

    // The next argument is the memory of an earlier one.
    void share(size_t index, size_t number) {
        std::vector<rt::Argument>& known = arguments_[index];
        if (number >= known.size()) throw Failure("run", "an argument is the same as one that does not come before it");
        rt::Argument argument = known[number];
        argument.shared = true;
        known.push_back(std::move(argument));
    }

    void prepare_tile(size_t index, const TileSpec& spec) {
        host::TileRequest request = spec.request;
        for (size_t i = 0; i < spec.input_files.size(); ++i) {
            for (const std::string& file : spec.input_files[i]) {
                struct stat status {};
                if (stat(file.c_str(), &status) != 0) throw Failure("tile", "the file " + file + " cannot be read");
                values_.emplace_back(static_cast<size_t>(status.st_size));
                read_into(file, values_.back().data(), values_.back().size());
                request.inputs[i].data.push_back({values_.back().data(), values_.back().size()});
            }
        }
        tile_requests_[index] = std::move(request);
    }

    // Constructors of host code run while it is loaded, when files can be opened: these are all that there are.
    void confine_objects() {
        std::vector<Grant> grants;
        for (const std::string& libraries : system_libraries()) grants.push_back({libraries, Grant::Right::Read});
        if (!request_.host.empty()) grants.push_back({request_.host, Grant::Right::Read});
        for (const Case& at : request_.cases) {
            if (!at.kernel.empty()) grants.push_back({at.kernel, Grant::Right::Read});
        }
        confine_to(grants);
    }

    void load(size_t first) {
        bool host_needed = request_.command == Request::Command::Describe;
        for (size_t i = first; i < request_.cases.size(); ++i) host_needed |= !request_.cases[i].has_tiling;
        if (host_needed) open_host();
        for (size_t i = first; i < request_.cases.size(); ++i) {
            try {
                load_kernel(request_.cases[i]);
            } catch (const Failure& failure) {
                broken_.emplace(i, failure);
            }
        }
    }

    void* open_host() {
        void* object = dlopen(request_.host.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (!object) throw Failure("tile", std::string("the host object does not load: ") + dlerror());
        return object;
    }

    void load_kernel(const Case& at) {
        if (at.kernel.empty()) return;
        void*& entry = kernels_[at.kernel + "\n" + at.entry];
        if (entry) return;
        void* object = dlopen(at.kernel.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (!object) throw Failure("run", std::string("the kernel object does not load: ") + dlerror());
        entry = dlsym(object, at.entry.c_str());
        if (!entry) throw Failure("run", "the kernel object has no entry " + at.entry);
    }

    void one(size_t index) {
        const Case& at = request_.cases[index];
        if (request_.command == Request::Command::Infer) {
            const host::InferResult result = host::infer(tile_requests_[index]);
            if (!result.ok) throw Failure("tile", result.reason, result.log);
            send(index, FrameKind::Text, host::to_json_members(result));
            return;
        }
        TilingSpec tiling = at.tiling;
        uint64_t workspace = 0;
        if (!at.has_tiling) {
            host::TileResult result = host::tile(tile_requests_[index]);
            if (!result.ok) throw Failure("tile", result.reason, result.log);
            send(index, FrameKind::Text, host::to_json_members(result));
            if (request_.command == Request::Command::Tile) return;
            workspace = result.workspace;
            tiling = {std::move(result.tiling), result.tiling_key, result.block_dim};
        }
        launch(index, std::move(tiling), workspace);
    }

    void launch(size_t index, TilingSpec tiling, uint64_t workspace) {
        const Case& at = request_.cases[index];
        rt::LaunchRequest out;
        out.entry = kernels_[at.kernel + "\n" + at.entry];
        out.arguments = std::move(arguments_[index]);
        for (size_t i = 0; i < at.arguments.size(); ++i) {
            if (!at.arguments[i].from_tiling) continue;
            out.arguments[i].bytes = workspace;
            out.arguments[i].data = scratch(i * 4096, workspace);
        }
        out.tiling = std::move(tiling.bytes);
        out.tiling_key = tiling.key;
        out.block_dim = tiling.block_dim;
        out.memory = request_.memory;
        out.l2_bytes = request_.l2_bytes;
        out.mode = request_.functional ? rt::Mode::Functional : rt::Mode::Timing;
        out.check_races = request_.check_races;
        out.strict_v_barrier = request_.strict_v_barrier;
        out.as_meant = request_.as_meant;
        out.max_instructions = request_.limits.instructions;
        out.system_workspace_bytes = request_.system_workspace_bytes;
        rt::LaunchResult result = rt::launch(out);
        std::vector<uint8_t> bytes = encode(result, request_.timing);
        if (bytes.size() > kMaxFrameBytes) throw Failure("profile", "the trace is too long to be timed");
        send_frame(frames_, FrameKind::Launch, static_cast<uint32_t>(index), bytes.data(), bytes.size());
    }
};

}  // namespace

void child(const Request& request, size_t first, int frames) {
    begin_heap();
    Child here(request, frames);
    int code = 0;
    try {
        if (request.command == Request::Command::Program) run_program(request, frames);
        here.run(first);
    } catch (const Failure& failure) {
        here.fail(first, failure);
        code = 3;
    } catch (const std::bad_alloc&) {
        const std::string limit = std::to_string(request.limits.as_mb);
        here.fail(first, Failure("run", "the run needs more memory than the limit of " + limit + " MB"));
        code = 3;
    } catch (const std::exception& error) {
        here.fail(first, Failure("run", std::string("the candidate threw an exception: ") + error.what()));
        code = 3;
    }
    std::fflush(stdout);
    std::fflush(stderr);
    _exit(code);
}

}  // namespace ascendopt::run
