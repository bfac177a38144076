// One running kernel-launch program: its device memory and its launches.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "../abi/launch.h"
#include "../host/describe.h"
#include "../rt/launch.h"

namespace ascendopt::program {

// Where the program's object lies in memory, to turn addresses into offsets.
struct ObjectRange {
    uintptr_t begin = 0;
    uintptr_t end = 0;
};

struct DeviceBuffer {
    uint8_t* data;
    uint64_t bytes;
};

class Session {
  public:
    // Takes what a launch gave, and what the program did wrong between launches (a result without a trace).
    using Deliver = std::function<void(const AscKernelLaunch*, const rt::LaunchResult&)>;

    Session(const rt::LaunchRequest& settings, const host::ChipFacts& chip, ObjectRange object, Deliver deliver);

    const host::ChipFacts& chip() const { return chip_; }
    // As a return address of the object, for a line lookup; 0 when it is none of the object's.
    uint32_t site_of(uintptr_t address) const {
        return address >= object_.begin && address < object_.end ? static_cast<uint32_t>(address - object_.begin) + 1
                                                                 : 0;
    }

    // Nothing when there is no memory. Contents are poison (0xFF), as the device promises nothing.
    uint8_t* allocate(uint64_t bytes);
    // False when the address is not the begin of a buffer.
    bool release(uint8_t* data);
    // The buffer that the address lies in, or nothing.
    const DeviceBuffer* buffer_at(const void* address) const;

    void launch(const AscKernelLaunch& launch);

    // The program did something that no device survives: delivered as a violation at the caller's line, then the end.
    [[noreturn]] void fail(const std::string& code, const std::string& message, const char* api, void* caller);

    // Host code cannot reach device memory while this does not live.
    class Open {
      public:
        explicit Open(Session& session) : session_(session) { session_.protect(true); }
        ~Open() { session_.protect(false); }
        Open(const Open&) = delete;
        Open& operator=(const Open&) = delete;

      private:
        Session& session_;
    };

  private:
    rt::LaunchRequest settings_;
    host::ChipFacts chip_;
    ObjectRange object_;
    Deliver deliver_;
    std::map<uintptr_t, DeviceBuffer> buffers_;  // by address
    uint8_t* workspace_ = nullptr;

    void protect(bool open);
    rt::LaunchRequest request(const AscKernelLaunch& launch);
};

// The C functions of acl have no handle: the one program of this process is their only home.
extern Session* session;

}  // namespace ascendopt::program
