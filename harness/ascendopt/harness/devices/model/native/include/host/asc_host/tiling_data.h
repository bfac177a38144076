// Tiling structs that describe themselves. A field registers its type, name and count with the base class when an
// instance is built; the base keeps one byte image with the layout that the kernel's generated struct has: natural
// alignment for scalars and arrays, 8 for nested structs, the size a multiple of 8.
#pragma once
#include <cstring>
#include <type_traits>

#include "types.h"

namespace optiling {

template <class T>
constexpr char TilingKind() {
    return std::is_same<T, bool>::value       ? 'b'
           : std::is_floating_point<T>::value ? 'f'
           : std::is_signed<T>::value         ? 'i'
           : std::is_enum<T>::value           ? 'i'
                                              : 'u';
}

struct TilingFields;  // the list of fields, in the library

class TilingDef {
  public:
    TilingDef(const TilingDef& other);
    TilingDef& operator=(const TilingDef& other);
    virtual ~TilingDef();
    // Bytes of the serialised struct; nested structs are written at their place. Too small a buffer leaves it
    // unwritten.
    void SaveToBuffer(void* buffer, size_t capacity);
    size_t GetDataSize() const;
    const char* GetTilingClassName() const { return name_; }
    // From now on values live in `data`, which has room for GetDataSize() bytes.
    void SetDataPtr(void* data);
    const TilingFields* fields() const { return fields_; }

  protected:
    explicit TilingDef(const char* name);
    uint32_t AddField(const char* name, char kind, size_t bytes, size_t alignment, size_t count);
    uint32_t AddNested(const char* name, TilingDef& nested);
    uint8_t* data_ = nullptr;

  private:
    const char* name_;
    TilingFields* fields_ = nullptr;
    bool external_ = false;
};

using TilingFactory = TilingDef* (*)();
int RegisterTilingClass(const char* op, const char* class_name, TilingFactory create);

template <class T>
TilingDef* CreateTilingData() {
    return new T();
}

}  // namespace optiling

#define ASC_HOST_JOIN2(a, b) a##b
#define ASC_HOST_JOIN(a, b) ASC_HOST_JOIN2(a, b)

#define BEGIN_TILING_DATA_DEF(class_name)             \
    class class_name : public ::optiling::TilingDef { \
      public:                                         \
        class_name() : ::optiling::TilingDef(#class_name) {}

#define TILING_DATA_FIELD_DEF(type, name)                                                                    \
  public:                                                                                                    \
    void set_##name(type value) { ::std::memcpy(data_ + at_##name##_, &value, sizeof(type)); }               \
    type get_##name() const {                                                                                \
        type value;                                                                                          \
        ::std::memcpy(&value, data_ + at_##name##_, sizeof(type));                                           \
        return value;                                                                                        \
    }                                                                                                        \
                                                                                                             \
  private:                                                                                                   \
    uint32_t at_##name##_ = AddField(#name, ::optiling::TilingKind<type>(), sizeof(type), alignof(type), 0); \
                                                                                                             \
  public:

#define TILING_DATA_FIELD_DEF_ARR(type, count, name)                                                               \
  public:                                                                                                          \
    void set_##name(const type* values) { ::std::memcpy(data_ + at_##name##_, values, sizeof(type) * (count)); }   \
    type* get_##name() { return reinterpret_cast<type*>(data_ + at_##name##_); }                                   \
    const type* get_##name() const { return reinterpret_cast<const type*>(data_ + at_##name##_); }                 \
                                                                                                                   \
  private:                                                                                                         \
    uint32_t at_##name##_ = AddField(#name, ::optiling::TilingKind<type>(), sizeof(type), alignof(type), (count)); \
                                                                                                                   \
  public:

#define TILING_DATA_FIELD_DEF_STRUCT(type, name)    \
  public:                                           \
    type name;                                      \
                                                    \
  private:                                          \
    uint32_t at_##name##_ = AddNested(#name, name); \
                                                    \
  public:

#define END_TILING_DATA_DEF \
    }                       \
    ;

// `op` is an operator type, an operator type with a tiling key (Type_101), or any name for a nested struct.
#define REGISTER_TILING_DATA_CLASS(op, class_name)                                  \
    [[maybe_unused]] static const int ASC_HOST_JOIN(ascTilingClass_, __COUNTER__) = \
        ::optiling::RegisterTilingClass(#op, #class_name, &::optiling::CreateTilingData<class_name>);
