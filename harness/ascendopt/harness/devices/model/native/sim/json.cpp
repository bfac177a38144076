#include "json.h"

#include <charconv>
#include <cmath>
#include <limits>

namespace ascendopt::json {

namespace {
constexpr int kMaxDepth = 64;
const Value kNull;
}  // namespace

class Parser {
  public:
    explicit Parser(const std::string& text) : text_(text) {}

    Value whole() {
        Value value = parse(0);
        skip();
        if (at_ != text_.size()) fail("text after the value");
        return value;
    }

  private:
    const std::string& text_;
    size_t at_ = 0;

    [[noreturn]] void fail(const char* what) const {
        throw Error(std::string("invalid JSON at byte ") + std::to_string(at_) + ": " + what);
    }

    void skip() {
        while (at_ < text_.size() &&
               (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r'))
            ++at_;
    }

    char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

    void expect(char wanted, const char* what) {
        if (peek() != wanted || at_ >= text_.size()) fail(what);
        ++at_;
    }

    void word(const char* literal) {
        for (const char* c = literal; *c; ++c) expect(*c, "unknown word");
    }

    Value parse(int depth) {
        if (depth > kMaxDepth) fail("nested too deeply");
        skip();
        Value value;
        switch (peek()) {
            case '{':
                object(value, depth);
                break;
            case '[':
                array(value, depth);
                break;
            case '"':
                value.kind_ = Value::Kind::String;
                value.string_ = string();
                break;
            case 't':
                word("true");
                value.kind_ = Value::Kind::Bool;
                value.bool_ = true;
                break;
            case 'f':
                word("false");
                value.kind_ = Value::Kind::Bool;
                break;
            case 'n':
                word("null");
                break;
            default:
                number(value);
        }
        return value;
    }

    void object(Value& value, int depth) {
        value.kind_ = Value::Kind::Object;
        ++at_;
        skip();
        if (peek() == '}') {
            ++at_;
            return;
        }
        while (true) {
            skip();
            if (peek() != '"') fail("a key was expected");
            std::string key = string();
            skip();
            expect(':', "':' was expected");
            if (!value.object_.emplace(std::move(key), parse(depth + 1)).second) fail("duplicate key");
            skip();
            if (peek() == ',') {
                ++at_;
                continue;
            }
            expect('}', "',' or '}' was expected");
            return;
        }
    }

    void array(Value& value, int depth) {
        value.kind_ = Value::Kind::Array;
        ++at_;
        skip();
        if (peek() == ']') {
            ++at_;
            return;
        }
        while (true) {
            value.array_.push_back(parse(depth + 1));
            skip();
            if (peek() == ',') {
                ++at_;
                continue;
            }
            expect(']', "',' or ']' was expected");
            return;
        }
    }

    bool digit() const { return peek() >= '0' && peek() <= '9'; }

    void number(Value& value) {
        size_t begin = at_;
        bool integral = true;
        if (peek() == '-') ++at_;
        if (!digit()) fail("a value was expected");
        if (peek() == '0') {
            ++at_;
        } else {
            while (digit()) ++at_;
        }
        if (digit()) fail("a number has a leading zero");
        if (peek() == '.') {
            integral = false;
            ++at_;
            if (!digit()) fail("a digit was expected");
            while (digit()) ++at_;
        }
        if (peek() == 'e' || peek() == 'E') {
            integral = false;
            ++at_;
            if (peek() == '+' || peek() == '-') ++at_;
            if (!digit()) fail("a digit was expected");
            while (digit()) ++at_;
        }
        const char* first = text_.data() + begin;
        const char* last = text_.data() + at_;
        auto result = std::from_chars(first, last, value.number_);
        if (result.ec != std::errc()) fail("a number is out of range");
        value.kind_ = Value::Kind::Number;
        value.negative_ = *first == '-';
        if (integral) {
            auto exact = std::from_chars(first + (value.negative_ ? 1 : 0), last, value.magnitude_);
            value.exact_ = exact.ec == std::errc();
        }
    }

    unsigned hex4() {
        unsigned code = 0;
        for (int i = 0; i < 4; ++i) {
            char c = peek();
            unsigned d;
            if (c >= '0' && c <= '9')
                d = static_cast<unsigned>(c - '0');
            else if (c >= 'a' && c <= 'f')
                d = static_cast<unsigned>(c - 'a') + 10;
            else if (c >= 'A' && c <= 'F')
                d = static_cast<unsigned>(c - 'A') + 10;
            else
                fail("four hexadecimal digits were expected");
            code = code * 16 + d;
            ++at_;
        }
        return code;
    }

    void escape(std::string& out) {
        char c = peek();
        ++at_;
        switch (c) {
            case '"':
            case '\\':
            case '/':
                out += c;
                return;
            case 'b':
                out += '\b';
                return;
            case 'f':
                out += '\f';
                return;
            case 'n':
                out += '\n';
                return;
            case 'r':
                out += '\r';
                return;
            case 't':
                out += '\t';
                return;
            case 'u':
                break;
            default:
                fail("unknown escape");
        }
        unsigned code = hex4();
        if (code >= 0xDC00 && code < 0xE000) fail("lone surrogate");
        if (code >= 0xD800 && code < 0xDC00) {
            expect('\\', "lone surrogate");
            expect('u', "lone surrogate");
            unsigned low = hex4();
            if (low < 0xDC00 || low >= 0xE000) fail("lone surrogate");
            code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        }
        append_utf8(out, code);
    }

    static void append_utf8(std::string& out, unsigned code) {
        if (code < 0x80) {
            out += static_cast<char>(code);
        } else if (code < 0x800) {
            out += static_cast<char>(0xC0 | (code >> 6));
            out += static_cast<char>(0x80 | (code & 0x3F));
        } else if (code < 0x10000) {
            out += static_cast<char>(0xE0 | (code >> 12));
            out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
            out += static_cast<char>(0x80 | (code & 0x3F));
        } else {
            out += static_cast<char>(0xF0 | (code >> 18));
            out += static_cast<char>(0x80 | ((code >> 12) & 0x3F));
            out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
            out += static_cast<char>(0x80 | (code & 0x3F));
        }
    }

    std::string string() {
        ++at_;
        std::string out;
        while (true) {
            if (at_ >= text_.size()) fail("a string has no end");
            char c = text_[at_++];
            if (c == '"') return out;
            if (static_cast<unsigned char>(c) < 0x20) fail("a control character inside a string");
            if (c == '\\') {
                if (at_ >= text_.size()) fail("a string has no end");
                escape(out);
            } else {
                out += c;
            }
        }
    }
};

Value Value::parse(const std::string& text) { return Parser(text).whole(); }

bool Value::boolean(const char* what) const {
    if (kind_ != Kind::Bool) throw Error(std::string(what) + " must be true or false");
    return bool_;
}

double Value::number(const char* what) const {
    if (kind_ != Kind::Number) throw Error(std::string(what) + " must be a number");
    return number_;
}

int64_t Value::integer(const char* what) const {
    if (kind_ == Kind::Number && exact_) {
        if (!negative_ && magnitude_ <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
            return static_cast<int64_t>(magnitude_);
        if (negative_ && magnitude_ <= (uint64_t{1} << 63)) return static_cast<int64_t>(~magnitude_ + 1);
    }
    throw Error(std::string(what) + " must be a 64-bit integer");
}

uint64_t Value::unsigned_integer(const char* what) const {
    if (kind_ != Kind::Number || !exact_ || (negative_ && magnitude_ != 0))
        throw Error(std::string(what) + " must be a non-negative integer");
    return magnitude_;
}

const std::string& Value::string(const char* what) const {
    if (kind_ != Kind::String) throw Error(std::string(what) + " must be a string");
    return string_;
}

const std::vector<Value>& Value::array(const char* what) const {
    if (kind_ != Kind::Array) throw Error(std::string(what) + " must be a list");
    return array_;
}

const std::map<std::string, Value>& Value::object(const char* what) const {
    if (kind_ != Kind::Object) throw Error(std::string(what) + " must be an object");
    return object_;
}

const Value& Value::get(const std::string& key) const {
    auto found = object_.find(key);
    return found == object_.end() ? kNull : found->second;
}

namespace {

// Length of the valid UTF-8 sequence at `at`, 0 if there is none.
size_t utf8_length(const std::string& text, size_t at) {
    auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
    auto tail = [&](size_t i) { return (byte(i) & 0xC0) == 0x80; };
    unsigned c = byte(at);
    if (c < 0x80) return 1;
    if (c >= 0xC2 && c < 0xE0) return tail(at + 1) ? 2 : 0;
    if (c >= 0xE0 && c < 0xF0) {
        unsigned d = byte(at + 1);
        bool bad = (c == 0xE0 && d < 0xA0) || (c == 0xED && d >= 0xA0);
        return !bad && tail(at + 1) && tail(at + 2) ? 3 : 0;
    }
    if (c >= 0xF0 && c < 0xF5) {
        unsigned d = byte(at + 1);
        bool bad = (c == 0xF0 && d < 0x90) || (c == 0xF4 && d >= 0x90);
        return !bad && tail(at + 1) && tail(at + 2) && tail(at + 3) ? 4 : 0;
    }
    return 0;
}

}  // namespace

std::string quote(const std::string& text) {
    static const char* digits = "0123456789abcdef";
    std::string out = "\"";
    for (size_t i = 0; i < text.size();) {
        size_t length = utf8_length(text, i);
        char c = text[i];
        if (length == 0) {
            out += '?';
            ++i;
        } else if (length > 1) {
            out.append(text, i, length);
            i += length;
        } else {
            if (c == '"' || c == '\\') {
                out += '\\';
                out += c;
            } else if (c == '\n') {
                out += "\\n";
            } else if (c == '\t') {
                out += "\\t";
            } else if (static_cast<unsigned char>(c) < 0x20) {
                out += "\\u00";
                out += digits[(c >> 4) & 15];
                out += digits[c & 15];
            } else {
                out += c;
            }
            ++i;
        }
    }
    return out + '"';
}

std::string number(double value) {
    if (!std::isfinite(value)) return "null";
    char buffer[40];
    auto result = std::to_chars(buffer, buffer + sizeof buffer, value);
    return std::string(buffer, result.ptr);
}

}  // namespace ascendopt::json
