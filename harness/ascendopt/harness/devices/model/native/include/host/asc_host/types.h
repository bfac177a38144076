// Names of namespace ge that host code uses: data types, formats, status codes, small strings.
// Enumerator values are the public ones: operators put them into tiling keys.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

using float32_t = float;

namespace ge {

using graphStatus = uint32_t;
using char_t = char;
constexpr graphStatus GRAPH_SUCCESS = 0;
constexpr graphStatus GRAPH_FAILED = 0xFFFFFFFF;
constexpr graphStatus GRAPH_PARAM_INVALID = 50331649;
constexpr graphStatus GRAPH_NOT_CHANGED = 1343242304;
constexpr uint32_t SUCCESS = 0;
constexpr uint32_t FAILED = 0xFFFFFFFF;

constexpr int64_t UNKNOWN_DIM = -1;
constexpr int64_t UNKNOWN_DIM_NUM = -2;

enum DataType {
    DT_FLOAT = 0,
    DT_FLOAT16 = 1,
    DT_INT8 = 2,
    DT_INT32 = 3,
    DT_UINT8 = 4,
    DT_INT16 = 6,
    DT_UINT16 = 7,
    DT_UINT32 = 8,
    DT_INT64 = 9,
    DT_UINT64 = 10,
    DT_DOUBLE = 11,
    DT_BOOL = 12,
    DT_STRING = 13,
    DT_DUAL_SUB_INT8 = 14,
    DT_DUAL_SUB_UINT8 = 15,
    DT_COMPLEX64 = 16,
    DT_COMPLEX128 = 17,
    DT_QINT8 = 18,
    DT_QINT16 = 19,
    DT_QINT32 = 20,
    DT_QUINT8 = 21,
    DT_QUINT16 = 22,
    DT_RESOURCE = 23,
    DT_STRING_REF = 24,
    DT_DUAL = 25,
    DT_VARIANT = 26,
    DT_BF16 = 27,
    DT_UNDEFINED = 28,
    DT_INT4 = 29,
    DT_UINT1 = 30,
    DT_INT2 = 31,
    DT_UINT2 = 32,
    DT_COMPLEX32 = 33,
    DT_HIFLOAT8 = 34,
    DT_FLOAT8_E5M2 = 35,
    DT_FLOAT8_E4M3FN = 36,
    DT_FLOAT8_E8M0 = 37,
    DT_MAX
};

enum Format {
    FORMAT_NCHW = 0,
    FORMAT_NHWC = 1,
    FORMAT_ND = 2,
    FORMAT_NC1HWC0 = 3,
    FORMAT_FRACTAL_Z = 4,
    FORMAT_NC1C0HWPAD = 5,
    FORMAT_NHWC1C0 = 6,
    FORMAT_C1HWNC0 = 9,
    FORMAT_NC1HWC0_C04 = 12,
    FORMAT_FRACTAL_Z_C04 = 13,
    FORMAT_CHWN = 14,
    FORMAT_HWCN = 16,
    FORMAT_NDHWC = 27,
    FORMAT_FRACTAL_ZZ = 28,
    FORMAT_FRACTAL_NZ = 29,
    FORMAT_NCDHW = 30,
    FORMAT_DHWCN = 31,
    FORMAT_NDC1HWC0 = 32,
    FORMAT_FRACTAL_Z_3D = 33,
    FORMAT_CN = 34,
    FORMAT_NC = 35,
    FORMAT_DHWNC = 36,
    FORMAT_FRACTAL_Z_3D_TRANSPOSE = 37,
    FORMAT_FRACTAL_ZN_LSTM = 38,
    FORMAT_FRACTAL_Z_G = 39,
    FORMAT_RESERVED = 40,
    FORMAT_ALL = 41,
    FORMAT_NULL = 42,
    FORMAT_ND_RNN_BIAS = 43,
    FORMAT_FRACTAL_ZN_RNN = 44,
    FORMAT_NCL = 47,
    FORMAT_MAX = 0xFF
};

// The low byte is the format proper; sub-format and C0 sit above it.
inline int32_t GetPrimaryFormat(int32_t format) { return format & 0xFF; }

// Bytes of one element; for types below a byte, 1000 + bits. Negative when there is no size.
int GetSizeByDataType(DataType type);

class AscendString {
  public:
    AscendString() = default;
    AscendString(const char* text) : text_(text == nullptr ? "" : text) {}
    AscendString(const char* text, size_t length) : text_(text, length) {}
    const char* GetString() const { return text_.c_str(); }
    size_t GetLength() const { return text_.size(); }
    bool operator==(const AscendString& other) const { return text_ == other.text_; }
    bool operator!=(const AscendString& other) const { return text_ != other.text_; }
    bool operator<(const AscendString& other) const { return text_ < other.text_; }

  private:
    std::string text_;
};

class TypeUtils {
  public:
    static bool GetDataTypeLength(DataType type, uint32_t& length);
    static std::string DataTypeToSerialString(DataType type);  // "DT_FLOAT16"
    static std::string FormatToSerialString(Format format);    // "ND"
    static AscendString DataTypeToAscendString(const DataType& type);
    static AscendString FormatToAscendString(const Format& format);
};

}  // namespace ge
