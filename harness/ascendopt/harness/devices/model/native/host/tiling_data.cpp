#include "asc_host/tiling_data.h"

#include "asc_host/log.h"
#include "registry.h"

namespace optiling {

constexpr uint32_t kStructAlignment = 8;

static uint32_t AlignUp(uint32_t value, uint32_t alignment) { return (value + alignment - 1) / alignment * alignment; }

TilingDef::TilingDef(const char* name) : name_(name), fields_(new TilingFields()) {}

TilingDef::TilingDef(const TilingDef& other) : name_(other.name_), fields_(new TilingFields(*other.fields_)) {
    data_ = reinterpret_cast<uint8_t*>(fields_->image.data());
    if (other.external_) std::memcpy(data_, other.data_, fields_->end);
}

TilingDef& TilingDef::operator=(const TilingDef& other) {
    if (this != &other && fields_->end > 0) std::memcpy(data_, other.data_, fields_->end);
    return *this;
}

TilingDef::~TilingDef() { delete fields_; }

static uint32_t Reserve(TilingFields& fields, uint32_t alignment, size_t bytes) {
    const uint32_t offset = AlignUp(fields.end, alignment);
    fields.end = offset + static_cast<uint32_t>(bytes);
    fields.image.resize(AlignUp(fields.end, kStructAlignment) / sizeof(uint64_t), 0);
    return offset;
}

uint32_t TilingDef::AddField(const char* name, char kind, size_t bytes, size_t alignment, size_t count) {
    const uint32_t offset = Reserve(*fields_, static_cast<uint32_t>(alignment), bytes * (count == 0 ? 1 : count));
    fields_->list.push_back(
        {name, kind, static_cast<uint32_t>(bytes), static_cast<uint32_t>(count), offset, ptrdiff_t{0}});
    data_ = reinterpret_cast<uint8_t*>(fields_->image.data());
    return offset;
}

uint32_t TilingDef::AddNested(const char* name, TilingDef& nested) {
    const size_t bytes = nested.GetDataSize();
    const uint32_t offset = Reserve(*fields_, kStructAlignment, bytes);
    const ptrdiff_t distance = reinterpret_cast<char*>(&nested) - reinterpret_cast<char*>(this);
    fields_->list.push_back({name, 's', static_cast<uint32_t>(bytes), 0, offset, distance});
    data_ = reinterpret_cast<uint8_t*>(fields_->image.data());
    return offset;
}

size_t TilingDef::GetDataSize() const { return AlignUp(fields_->end, kStructAlignment); }

static TilingDef* Nested(TilingDef* parent, const TilingField& field) {
    return reinterpret_cast<TilingDef*>(reinterpret_cast<char*>(parent) + field.nested);
}

void TilingDef::SaveToBuffer(void* buffer, size_t capacity) {
    const size_t size = GetDataSize();
    if (buffer == nullptr || capacity < size) {
        ascendopt::host::LogLine('E', name_, "tiling data of %zu bytes does not fit into a buffer of %zu bytes", size,
                                 capacity);
        return;
    }
    auto* out = static_cast<uint8_t*>(buffer);
    if (size > 0 && out != data_) std::memmove(out, data_, external_ ? fields_->end : size);
    for (const TilingField& field : fields_->list) {
        if (field.kind == 's') Nested(this, field)->SaveToBuffer(out + field.offset, capacity - field.offset);
    }
}

void TilingDef::SetDataPtr(void* data) {
    if (data == nullptr) return;
    auto* target = static_cast<uint8_t*>(data);
    if (target != data_ && fields_->end > 0) std::memmove(target, data_, fields_->end);
    data_ = target;
    external_ = true;
    for (const TilingField& field : fields_->list) {
        if (field.kind == 's') Nested(this, field)->SetDataPtr(target + field.offset);
    }
}

int RegisterTilingClass(const char* op, const char* class_name, TilingFactory create) {
    for (const ascendopt::host::TilingClass& known : ascendopt::host::registry().tiling_classes) {
        if (known.op == op && known.name == class_name) return 0;  // the header is in several source files
    }
    ascendopt::host::registry().tiling_classes.push_back({op, class_name, create});
    return 0;
}

}  // namespace optiling
