#include "asc_host/json_value.h"

#include "../sim/json.h"

namespace ascendopt::host {

// The device's own reader parses the text; its values become those that host code sees.
class JsonReader {
  public:
    static JsonValue Convert(const json::Value& from);
};

JsonValue JsonReader::Convert(const json::Value& from) {
    constexpr const char* kWhat = "compile information";
    JsonValue value;
    switch (from.kind()) {
        case json::Value::Kind::Null:
            break;
        case json::Value::Kind::Bool:
            value.kind_ = JsonValue::Kind::kBool;
            value.number_ = from.boolean(kWhat) ? 1 : 0;
            break;
        case json::Value::Kind::Number:
            value.kind_ = JsonValue::Kind::kNumber;
            value.number_ = from.number(kWhat);
            break;
        case json::Value::Kind::String:
            value.kind_ = JsonValue::Kind::kString;
            value.text_ = from.string(kWhat);
            break;
        case json::Value::Kind::Array:
            value.kind_ = JsonValue::Kind::kArray;
            for (const json::Value& item : from.array(kWhat)) value.items_.push_back(Convert(item));
            break;
        case json::Value::Kind::Object:
            value.kind_ = JsonValue::Kind::kObject;
            for (const auto& [key, member] : from.object(kWhat)) value.members_.emplace(key, Convert(member));
            break;
    }
    return value;
}

JsonValue JsonValue::parse(const std::string& text) {
    try {
        return JsonReader::Convert(json::Value::parse(text));
    } catch (const json::Error& error) {
        throw parse_error(error.what());
    }
}

std::string JsonValue::dump() const {
    std::string text;
    switch (kind_) {
        case Kind::kNull:
            return "null";
        case Kind::kBool:
            return number_ != 0 ? "true" : "false";
        case Kind::kNumber:
            return json::number(number_);
        case Kind::kString:
            return json::quote(text_);
        case Kind::kArray:
            for (const JsonValue& item : items_) text += (text.empty() ? "" : ",") + item.dump();
            return "[" + text + "]";
        case Kind::kObject:
            for (const auto& [key, member] : members_)
                text += (text.empty() ? "" : ",") + json::quote(key) + ":" + member.dump();
            return "{" + text + "}";
    }
    return text;
}

bool JsonValue::accept(const std::string& text) {
    try {
        json::Value::parse(text);
        return true;
    } catch (const json::Error&) {
        return false;
    }
}

}  // namespace ascendopt::host
