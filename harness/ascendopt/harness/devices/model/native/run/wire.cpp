#include "wire.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace ascendopt::run {

namespace {

constexpr uint32_t kMaxText = 1 << 16;
constexpr uint32_t kMaxViolations = 4096;
constexpr uint32_t kMaxSites = 64;
constexpr uint32_t kMaxBlocks = 1 << 16;
constexpr uint64_t kRoom = 1 << 22;  // taken on the word of a child

bool write_all(int fd, const void* data, uint64_t bytes) {
    const char* at = static_cast<const char*>(data);
    while (bytes > 0) {
        ssize_t done = write(fd, at, bytes);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return false;
        at += done;
        bytes -= static_cast<uint64_t>(done);
    }
    return true;
}

class Writer {
  public:
    std::vector<uint8_t> bytes;

    template <class T>
    void plain(const T& value) {
        raw(&value, sizeof value);
    }
    void raw(const void* data, size_t size) {
        const auto* from = static_cast<const uint8_t*>(data);
        bytes.insert(bytes.end(), from, from + size);
    }
    void text(const std::string& value) {
        uint32_t size = static_cast<uint32_t>(std::min<size_t>(value.size(), kMaxText));
        plain(size);
        raw(value.data(), size);
    }
};

class Reader {
  public:
    explicit Reader(const std::vector<uint8_t>& bytes) : at_(bytes.data()), left_(bytes.size()) {}

    bool good = true;

    template <class T>
    T plain() {
        T value{};
        raw(&value, sizeof value);
        return value;
    }
    void raw(void* to, size_t size) {
        if (size > left_) {
            good = false;
            return;
        }
        std::memcpy(to, at_, size);
        at_ += size;
        left_ -= size;
    }
    uint32_t count(uint32_t most) {
        uint32_t value = plain<uint32_t>();
        if (value > most) good = false;
        return good ? value : 0;
    }
    std::string text() {
        std::string value(count(kMaxText), '\0');
        raw(value.data(), value.size());
        return value;
    }
    bool empty() const { return left_ == 0; }
    uint64_t left() const { return left_; }

  private:
    const uint8_t* at_;
    size_t left_;
};

void encode_violation(Writer& out, const rt::Violation& v) {
    out.text(v.code);
    out.plain(static_cast<uint8_t>(v.severity));
    out.text(v.message);
    out.plain(v.count);
    out.plain(v.core);
    out.text(v.pipe);
    out.text(v.api);
    out.text(v.buffer);
    out.text(v.need);
    out.plain(v.instruction);
    uint32_t sites = static_cast<uint32_t>(std::min<size_t>(v.sites.size(), kMaxSites));
    out.plain(sites);
    out.raw(v.sites.data(), sites * sizeof(uint32_t));
}

rt::Violation decode_violation(Reader& in) {
    rt::Violation v;
    v.code = in.text();
    uint8_t severity = in.plain<uint8_t>();
    if (severity > 2) in.good = false;
    v.severity = static_cast<rt::Severity>(severity);
    v.message = in.text();
    v.count = in.plain<uint64_t>();
    v.core = in.plain<uint32_t>();
    v.pipe = in.text();
    v.api = in.text();
    v.buffer = in.text();
    v.need = in.text();
    v.instruction = in.plain<uint64_t>();
    v.sites.resize(in.count(kMaxSites));
    in.raw(v.sites.data(), v.sites.size() * sizeof(uint32_t));
    return v;
}

void decode_trace(Reader& in, LaunchTrace& trace) {
    uint32_t unique = in.count(kMaxBlocks);
    for (uint32_t i = 0; i < unique && in.good; ++i) {
        uint64_t records = in.plain<uint64_t>();
        if (records > in.left() / sizeof(TraceRecord)) in.good = false;
        if (!in.good) return;
        trace.unique.emplace_back();
        trace.unique.back().records.resize(records);
        in.raw(trace.unique.back().records.data(), records * sizeof(TraceRecord));
    }
    trace.core_to_trace.resize(in.count(kMaxBlocks));
    in.raw(trace.core_to_trace.data(), trace.core_to_trace.size() * sizeof(uint32_t));
    trace.cubes = in.plain<uint8_t>();
    trace.vectors = in.plain<uint8_t>();
    for (uint32_t index : trace.core_to_trace) {
        if (index >= trace.unique.size()) in.good = false;
    }
}

}  // namespace

bool send_frame(int fd, FrameKind kind, uint32_t index, const void* body, uint64_t bytes) {
    FrameHeader header{static_cast<uint32_t>(kind), index, bytes};
    return write_all(fd, &header, sizeof header) && write_all(fd, body, bytes);
}

bool FrameReader::feed(const uint8_t* data, size_t bytes) {
    while (bytes > 0) {
        if (!open_) {
            size_t part = std::min(bytes, sizeof(FrameHeader) - header_.size());
            header_.insert(header_.end(), data, data + part);
            data += part;
            bytes -= part;
            if (header_.size() < sizeof(FrameHeader)) return true;
            FrameHeader header;
            std::memcpy(&header, header_.data(), sizeof header);
            header_.clear();
            if (header.kind < 1 || header.kind > 4 || header.bytes > kMaxFrameBytes) return false;
            open_ = Frame{static_cast<FrameKind>(header.kind), header.index, {}};
            open_->body.reserve(std::min(header.bytes, kRoom));
            missing_ = header.bytes;
        }
        size_t part = static_cast<size_t>(std::min<uint64_t>(bytes, missing_));
        open_->body.insert(open_->body.end(), data, data + part);
        data += part;
        bytes -= part;
        missing_ -= part;
        if (missing_ == 0) {
            ready_.push_back(std::move(*open_));
            open_.reset();
        }
    }
    return true;
}

std::vector<Frame> FrameReader::take() {
    std::vector<Frame> out;
    out.swap(ready_);
    return out;
}

std::vector<uint8_t> encode(const rt::LaunchResult& result, bool with_trace) {
    Writer out;
    size_t records = 0;
    for (const CoreTrace& each : result.trace.unique) records += with_trace ? each.records.size() : 0;
    out.bytes.reserve(records * sizeof(TraceRecord) + 4096);
    out.plain(static_cast<uint8_t>(result.completed));
    out.plain(static_cast<uint8_t>(result.timing_valid));
    out.plain(result.ub_high);
    out.plain(result.instructions);
    out.plain(result.scalar_accesses);
    out.text(result.timing_note);
    uint32_t violations = static_cast<uint32_t>(std::min<size_t>(result.violations.size(), kMaxViolations));
    out.plain(violations);
    for (uint32_t i = 0; i < violations; ++i) encode_violation(out, result.violations[i]);
    uint32_t unique = with_trace ? static_cast<uint32_t>(result.trace.unique.size()) : 0;
    out.plain(unique);
    for (uint32_t i = 0; i < unique; ++i) {
        const auto& records = result.trace.unique[i].records;
        out.plain(static_cast<uint64_t>(records.size()));
        out.raw(records.data(), records.size() * sizeof(TraceRecord));
    }
    uint32_t blocks = with_trace ? static_cast<uint32_t>(result.trace.core_to_trace.size()) : 0;
    out.plain(blocks);
    out.raw(result.trace.core_to_trace.data(), blocks * sizeof(uint32_t));
    out.plain(result.trace.cubes);
    out.plain(result.trace.vectors);
    return std::move(out.bytes);
}

std::optional<rt::LaunchResult> decode(const std::vector<uint8_t>& bytes) {
    Reader in(bytes);
    rt::LaunchResult result;
    result.completed = in.plain<uint8_t>() == 1;
    result.timing_valid = in.plain<uint8_t>() == 1;
    result.ub_high = in.plain<uint32_t>();
    result.instructions = in.plain<uint64_t>();
    result.scalar_accesses = in.plain<uint64_t>();
    result.timing_note = in.text();
    uint32_t violations = in.count(kMaxViolations);
    for (uint32_t i = 0; i < violations && in.good; ++i) result.violations.push_back(decode_violation(in));
    decode_trace(in, result.trace);
    if (!in.good || !in.empty()) return std::nullopt;
    return result;
}

}  // namespace ascendopt::run
