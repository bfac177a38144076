// The bank of tilings that were tuned offline. The device has none, so that queries find nothing; what operators
// register for it is kept so far as they read it back themselves.
#pragma once
#include <functional>
#include <map>
#include <memory>

#include "all.h"

namespace tuningtiling {

class TuningTilingDef {
  public:
    virtual ~TuningTilingDef() = default;
};
using TuningTilingDefPtr = std::shared_ptr<TuningTilingDef>;

// A key as text, and text as a key: false, for there is no bank to write to or to read from.
using OpBankParseFuncV2 = std::function<bool(const std::shared_ptr<void>&, size_t, ge::AscendString&)>;
using OpBankLoadFuncV2 = std::function<bool(std::shared_ptr<void>&, size_t&, const ge::AscendString&)>;
using OpBankKeyConvertFunV2 = std::function<bool(const gert::TilingContext*, std::shared_ptr<void>&, size_t&)>;

class OpBankKeyFuncInfoV2 {
  public:
    const OpBankParseFuncV2& GetBankKeyParseFuncV2() const { return parse_; }
    const OpBankLoadFuncV2& GetBankKeyLoadFuncV2() const { return load_; }

  private:
    OpBankParseFuncV2 parse_ = [](const std::shared_ptr<void>&, size_t, ge::AscendString&) { return false; };
    OpBankLoadFuncV2 load_ = [](std::shared_ptr<void>&, size_t&, const ge::AscendString&) { return false; };
};

class OpBankKeyFuncRegistryV2 {
  public:
    explicit OpBankKeyFuncRegistryV2(const char* op) { RegisteredOpFuncInfoV2()[ge::AscendString(op)]; }
    static std::map<ge::AscendString, OpBankKeyFuncInfoV2>& RegisteredOpFuncInfoV2() {
        static std::map<ge::AscendString, OpBankKeyFuncInfoV2> known;
        return known;
    }
};

}  // namespace tuningtiling

#define BEGIN_TUNING_TILING_DEF(class_name)                     \
    class class_name : public ::tuningtiling::TuningTilingDef { \
      public:
#define TUNING_TILING_DATA_FIELD_DEF(type, name) type name{};
#define END_TUNING_TILING_DEF \
    }                         \
    ;
#define DECLARE_SCHEMA(class_name, ...) static_assert(true, "")
#define REGISTER_TUNING_TILING_CLASS(op, class_name) static_assert(true, "")

#define ASC_HOST_BANK(op, counter) \
    [[maybe_unused]] static const ::tuningtiling::OpBankKeyFuncRegistryV2 ASC_HOST_JOIN(ascBankKey_##op, counter)(#op)
#define DECLARE_STRUCT_RELATE_WITH_OP_V2(op, key, ...) ASC_HOST_BANK(op, __COUNTER__)
#define REGISTER_OP_BANK_KEY_PARSE_FUN_V2(op, parse, load) ASC_HOST_BANK(op, __COUNTER__)
#define REGISTER_OP_BANK_KEY_CONVERT_FUN_V2(op, convert) ASC_HOST_BANK(op, __COUNTER__)
