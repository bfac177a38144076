// A small strict JSON (RFC 8259) reader and writer: timing files and the server protocol. UTF-8 in, UTF-8 out.
#pragma once
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ascendopt::json {

// Says what is wrong and at which byte, in one sentence.
struct Error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class Value {
  public:
    enum class Kind { Null, Bool, Number, String, Array, Object };

    Value() = default;
    // The whole text must be one value. Duplicate keys, trailing text and nesting deeper than 64 are errors.
    static Value parse(const std::string& text);

    Kind kind() const { return kind_; }
    bool is_null() const { return kind_ == Kind::Null; }
    bool is_object() const { return kind_ == Kind::Object; }
    bool is_array() const { return kind_ == Kind::Array; }
    bool is_string() const { return kind_ == Kind::String; }
    bool is_number() const { return kind_ == Kind::Number; }

    // Each throws Error when the kind is another; `what` names the place in the message.
    bool boolean(const char* what) const;
    double number(const char* what) const;
    int64_t integer(const char* what) const;
    uint64_t unsigned_integer(const char* what) const;
    const std::string& string(const char* what) const;
    const std::vector<Value>& array(const char* what) const;
    const std::map<std::string, Value>& object(const char* what) const;

    // Member of an object; a null value when absent.
    const Value& get(const std::string& key) const;
    bool has(const std::string& key) const { return !get(key).is_null(); }

  private:
    friend class Parser;
    Kind kind_ = Kind::Null;
    bool bool_ = false;
    double number_ = 0;
    uint64_t magnitude_ = 0;  // exact value of an integer literal, `negative_` its sign
    bool negative_ = false;
    bool exact_ = false;
    std::string string_;
    std::vector<Value> array_;
    std::map<std::string, Value> object_;
};

// A JSON string literal, quotes included. Bytes that are not UTF-8 become '?', so the line stays valid JSON.
std::string quote(const std::string& text);

// The shortest decimal that reads back as the same double; not a number and infinities become null.
std::string number(double value);

}  // namespace ascendopt::json
