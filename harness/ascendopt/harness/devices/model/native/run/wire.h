// What a child sends to the server: frames over a pipe. The child runs candidate code, so the server believes nothing:
// sizes are bounded before memory is taken, and every field is checked while it is decoded.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "../rt/launch.h"

namespace ascendopt::run {

enum class FrameKind : uint32_t {
    Text = 1,  // members of a JSON object, without braces (describe, tile)
    Launch,    // an encoded rt::LaunchResult
    Failure,   // stage, reason and log, with zero bytes between
    CaseDone,  // profile: everything about case `index` was sent
};

struct Frame {
    FrameKind kind;
    uint32_t index = 0;  // case number
    std::vector<uint8_t> body;
};

constexpr uint64_t kMaxFrameBytes = uint64_t{1} << 30;

struct FrameHeader {
    uint32_t kind;
    uint32_t index;
    uint64_t bytes;
};

// Child side. Returns false when the pipe is gone.
bool send_frame(int fd, FrameKind kind, uint32_t index, const void* body, uint64_t bytes);

// Server side: takes bytes as they come, gives frames as they are complete.
class FrameReader {
  public:
    // False: what came is not a legal frame; nothing more is read.
    bool feed(const uint8_t* data, size_t bytes);
    std::vector<Frame> take();

  private:
    std::vector<uint8_t> header_;
    std::optional<Frame> open_;
    uint64_t missing_ = 0;
    std::vector<Frame> ready_;
};

std::vector<uint8_t> encode(const rt::LaunchResult& result, bool with_trace);
// Nothing when the bytes are not a well-formed result.
std::optional<rt::LaunchResult> decode(const std::vector<uint8_t>& bytes);

}  // namespace ascendopt::run
