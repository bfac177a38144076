#include "program.h"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "../host/node.h"
#include "../program/session.h"
#include "child.h"
#include "confine.h"
#include "confine_files.h"
#include "wire.h"

namespace ascendopt::run {

namespace {

// The object lies in the program's folder while it is loaded: with a changed root, nothing else can be opened.
void* load(const Request& request, const std::string& how) {
    const std::string name = request.program.substr(request.program.rfind('/') + 1);
    const std::string path = (how == "chroot" ? "/" : request.folder + "/") + name;
    void* object = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!object) throw Failure("run", std::string("the program does not load: ") + dlerror());
    return object;
}

program::ObjectRange range_of(void* address) {
    program::ObjectRange range;
    Dl_info info{};
    if (!dladdr(address, &info)) return range;
    range.begin = reinterpret_cast<uintptr_t>(info.dli_fbase);
    dl_iterate_phdr(
        [](dl_phdr_info* object, size_t, void* context) {
            auto& into = *static_cast<program::ObjectRange*>(context);
            if (object->dlpi_addr != into.begin) return 0;
            for (int i = 0; i < object->dlpi_phnum; ++i) {
                const auto& header = object->dlpi_phdr[i];
                const uintptr_t end = object->dlpi_addr + header.p_vaddr + header.p_memsz;
                if (header.p_type == PT_LOAD && (header.p_flags & PF_X)) into.end = end;
            }
            return 1;
        },
        &range);
    return range;
}

rt::LaunchRequest settings(const Request& request) {
    rt::LaunchRequest out;
    out.memory = request.memory;
    out.l2_bytes = request.l2_bytes;
    out.check_races = request.check_races;
    out.strict_v_barrier = request.strict_v_barrier;
    out.as_meant = request.as_meant;
    out.max_instructions = request.limits.instructions;
    out.system_workspace_bytes = request.system_workspace_bytes;
    return out;
}

std::string describe(const AscKernelLaunch* launch) {
    if (!launch) return "\"kernel\":null,\"block_dim\":0";
    return "\"kernel\":" + json::quote(launch->kernel) + ",\"block_dim\":" + std::to_string(launch->blocks);
}

int call_main(void* entry, const Request& request) {
    std::vector<std::string> texts{"./program"};
    texts.insert(texts.end(), request.arguments.begin(), request.arguments.end());
    std::vector<char*> arguments;
    for (std::string& text : texts) arguments.push_back(text.data());
    arguments.push_back(nullptr);
    return reinterpret_cast<int (*)(int, char**)>(entry)(static_cast<int>(texts.size()), arguments.data());
}

}  // namespace

void run_program(const Request& request, int frames) {
    if (chdir(request.folder.c_str()) != 0) throw Failure("run", "the folder " + request.folder + " cannot be entered");
    const std::string how = confine_to_folder(request.folder);
    const bool confined = confine_program_loading();
    void* object = load(request, how);
    void* entry = dlsym(object, "main");
    if (!entry) throw Failure("run", "the program has no main");
    confine_reads(request.folder, how);
    if (confined) confine_program_running();

    auto deliver = [&](const AscKernelLaunch* launch, const rt::LaunchResult& result) {
        const std::string text = describe(launch);
        send_frame(frames, FrameKind::Text, 0, text.data(), text.size());
        const std::vector<uint8_t> bytes = encode(result, request.timing);
        if (bytes.size() <= kMaxFrameBytes) {
            send_frame(frames, FrameKind::Launch, 0, bytes.data(), bytes.size());
        } else {
            const std::vector<uint8_t> without = encode(result, false);
            send_frame(frames, FrameKind::Launch, 0, without.data(), without.size());
        }
    };
    program::Session session(settings(request), request.chip, range_of(entry), deliver);
    program::session = &session;
    host::set_current_chip(request.chip);
    const int code = call_main(entry, request);
    std::exit(code);
}

}  // namespace ascendopt::run
