#include <cstdio>

#include "describe.h"

namespace ascendopt::host {

namespace {

// Length of the UTF-8 sequence that starts at `at`, or 0 when the bytes are none.
size_t SequenceLength(const std::string& text, size_t at) {
    const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
    const unsigned first = byte(at);
    const size_t length = first < 0x80                    ? 1
                          : first >= 0xC2 && first < 0xE0 ? 2
                          : (first & 0xF0) == 0xE0        ? 3
                          : first >= 0xF0 && first < 0xF5 ? 4
                                                          : 0;
    for (size_t i = 1; i < length; ++i) {
        if ((byte(at + i) & 0xC0) != 0x80) return 0;
    }
    if (length == 3 && ((first == 0xE0 && byte(at + 1) < 0xA0) || (first == 0xED && byte(at + 1) >= 0xA0))) return 0;
    if (length == 4 && ((first == 0xF0 && byte(at + 1) < 0x90) || (first == 0xF4 && byte(at + 1) >= 0x90))) return 0;
    return length;
}

}  // namespace

std::string json_quote(const std::string& text) {
    std::string out = "\"";
    for (size_t i = 0; i < text.size();) {
        const size_t length = SequenceLength(text, i);
        const char c = text[i];
        if (length == 0) {
            out += '?';
        } else if (length > 1) {
            out.append(text, i, length);
        } else if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (c == '\n') {
            out += "\\n";
        } else if (static_cast<unsigned char>(c) < 0x20) {
            char escaped[8];
            std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(c));
            out += escaped;
        } else {
            out += c;
        }
        i += length == 0 ? 1 : length;
    }
    return out + "\"";
}

static std::string FailureMembers(const std::string& reason, const std::string& log) {
    return "\"stage\":\"tile\",\"reason\":" + json_quote(reason) + ",\"log\":" + json_quote(log);
}

std::string to_json_members(const TileResult& result) {
    if (!result.ok) return FailureMembers(result.reason, result.log);
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string hex;
    hex.reserve(result.tiling.size() * 2);
    for (const uint8_t byte : result.tiling) {
        hex += kDigits[byte >> 4];
        hex += kDigits[byte & 15];
    }
    return "\"tiling\":\"" + hex + "\",\"tiling_key\":" + std::to_string(result.tiling_key) +
           ",\"block_dim\":" + std::to_string(result.block_dim) + ",\"workspace\":" + std::to_string(result.workspace) +
           ",\"schedule_mode\":" + std::to_string(result.schedule_mode) + ",\"log\":" + json_quote(result.log);
}

static std::string ShapeText(const std::vector<int64_t>& dims) {
    std::string text;
    for (const int64_t dim : dims) text += (text.empty() ? "" : ",") + std::to_string(dim);
    return "[" + text + "]";
}

std::string to_json_members(const InferResult& result) {
    if (!result.ok) return FailureMembers(result.reason, result.log);
    std::string outputs;
    for (const InferResult::Output& output : result.outputs) {
        std::string shapes;
        for (const std::vector<int64_t>& dims : output.shapes) shapes += (shapes.empty() ? "" : ",") + ShapeText(dims);
        outputs += (outputs.empty() ? "" : ",") + ("{\"shapes\":[" + shapes) +
                   "],\"dtype\":" + json_quote(output.dtype) + ",\"list\":" + (output.list ? "true" : "false") + "}";
    }
    return "\"outputs\":[" + outputs + "],\"log\":" + json_quote(result.log);
}

}  // namespace ascendopt::host
