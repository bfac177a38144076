// One JSON value, read only.
#pragma once
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace ascendopt::host {

// What a value turns into by itself; not a character, for that would compete with a string.
template <class T>
struct JsonReadable : std::is_arithmetic<T> {};
template <>
struct JsonReadable<char> : std::false_type {};
template <>
struct JsonReadable<std::string> : std::true_type {};
template <class T>
struct JsonReadable<std::vector<T>> : std::true_type {};
template <class T>
struct JsonReadable<std::map<std::string, T>> : std::true_type {};

class JsonValue {
  public:
    enum class Kind { kNull, kBool, kNumber, kString, kArray, kObject };
    struct parse_error : std::runtime_error {
        using std::runtime_error::runtime_error;
    };
    class Iterator {
      public:
        explicit Iterator(std::map<std::string, JsonValue>::const_iterator at) : at_(at) {}
        const std::string& key() const { return at_->first; }
        const JsonValue& value() const { return at_->second; }
        const JsonValue& operator*() const { return at_->second; }
        Iterator& operator++() {
            ++at_;
            return *this;
        }
        Iterator operator++(int) { return Iterator(at_++); }
        bool operator==(const Iterator& other) const { return at_ == other.at_; }
        bool operator!=(const Iterator& other) const { return at_ != other.at_; }

      private:
        std::map<std::string, JsonValue>::const_iterator at_;
    };

    // Throws parse_error.
    static JsonValue parse(const std::string& text);
    static bool accept(const std::string& text);
    // The value as text on one line.
    std::string dump() const;

    bool is_null() const { return kind_ == Kind::kNull; }
    bool is_boolean() const { return kind_ == Kind::kBool; }
    bool is_number() const { return kind_ == Kind::kNumber; }
    bool is_string() const { return kind_ == Kind::kString; }
    bool is_array() const { return kind_ == Kind::kArray; }
    bool is_object() const { return kind_ == Kind::kObject; }
    size_t size() const { return is_array() ? items_.size() : members_.size(); }
    bool empty() const { return size() == 0; }
    bool contains(const std::string& key) const { return members_.count(key) > 0; }
    size_t count(const std::string& key) const { return members_.count(key); }
    // Both throw std::out_of_range when there is no such member.
    const JsonValue& at(const std::string& key) const { return members_.at(key); }
    const JsonValue& operator[](const std::string& key) const { return members_.at(key); }
    const JsonValue& operator[](size_t index) const { return items_.at(index); }
    Iterator find(const std::string& key) const { return Iterator(members_.find(key)); }
    Iterator begin() const { return Iterator(members_.begin()); }
    Iterator end() const { return Iterator(members_.end()); }
    bool operator==(const char* text) const { return is_string() && text_ == text; }
    bool operator==(const std::string& text) const { return is_string() && text_ == text; }

    template <class T>
    T get() const {
        T value{};
        Read(value);
        return value;
    }
    template <class T, typename = std::enable_if_t<JsonReadable<T>::value>>
    operator T() const {
        return get<T>();
    }

  private:
    friend class JsonReader;
    template <class T>
    std::enable_if_t<std::is_arithmetic<T>::value> Read(T& value) const {
        Expect(is_number() || is_boolean(), "a number");
        value = static_cast<T>(number_);
    }
    void Read(std::string& value) const {
        Expect(is_string(), "a string");
        value = text_;
    }
    template <class T>
    void Read(std::vector<T>& value) const {
        Expect(is_array(), "an array");
        for (const JsonValue& item : items_) value.push_back(item.get<T>());
    }
    template <class T>
    void Read(std::map<std::string, T>& value) const {
        Expect(is_object(), "an object");
        for (const auto& member : members_) value[member.first] = member.second.get<T>();
    }
    static void Expect(bool fits, const char* what) {
        if (!fits) throw std::runtime_error(std::string("the compile information has something else than ") + what);
    }

    Kind kind_ = Kind::kNull;
    double number_ = 0;
    std::string text_;
    std::vector<JsonValue> items_;
    std::map<std::string, JsonValue> members_;
};

}  // namespace ascendopt::host
