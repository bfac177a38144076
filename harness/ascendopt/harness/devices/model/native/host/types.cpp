#include "types.h"

#include "asc_host/tensor.h"

namespace ascendopt::host {

namespace {

struct TypeRow {
    ge::DataType type;
    const char* enumerator;
    const char* numpy;
    int bits;
};

constexpr TypeRow kTypes[] = {
    {ge::DT_FLOAT, "DT_FLOAT", "float32", 32},
    {ge::DT_FLOAT16, "DT_FLOAT16", "float16", 16},
    {ge::DT_BF16, "DT_BF16", "bfloat16", 16},
    {ge::DT_DOUBLE, "DT_DOUBLE", "float64", 64},
    {ge::DT_INT8, "DT_INT8", "int8", 8},
    {ge::DT_INT16, "DT_INT16", "int16", 16},
    {ge::DT_INT32, "DT_INT32", "int32", 32},
    {ge::DT_INT64, "DT_INT64", "int64", 64},
    {ge::DT_UINT8, "DT_UINT8", "uint8", 8},
    {ge::DT_UINT16, "DT_UINT16", "uint16", 16},
    {ge::DT_UINT32, "DT_UINT32", "uint32", 32},
    {ge::DT_UINT64, "DT_UINT64", "uint64", 64},
    {ge::DT_BOOL, "DT_BOOL", "bool", 8},
    {ge::DT_COMPLEX32, "DT_COMPLEX32", "complex32", 32},
    {ge::DT_COMPLEX64, "DT_COMPLEX64", "complex64", 64},
    {ge::DT_COMPLEX128, "DT_COMPLEX128", "complex128", 128},
    {ge::DT_INT4, "DT_INT4", "int4", 4},
    {ge::DT_UINT1, "DT_UINT1", "uint1", 1},
    {ge::DT_INT2, "DT_INT2", "int2", 2},
    {ge::DT_UINT2, "DT_UINT2", "uint2", 2},
    {ge::DT_QINT8, "DT_QINT8", "qint8", 8},
    {ge::DT_QINT16, "DT_QINT16", "qint16", 16},
    {ge::DT_QINT32, "DT_QINT32", "qint32", 32},
    {ge::DT_QUINT8, "DT_QUINT8", "quint8", 8},
    {ge::DT_QUINT16, "DT_QUINT16", "quint16", 16},
    {ge::DT_HIFLOAT8, "DT_HIFLOAT8", "hifloat8", 8},
    {ge::DT_FLOAT8_E5M2, "DT_FLOAT8_E5M2", "float8_e5m2", 8},
    {ge::DT_FLOAT8_E4M3FN, "DT_FLOAT8_E4M3FN", "float8_e4m3fn", 8},
    {ge::DT_FLOAT8_E8M0, "DT_FLOAT8_E8M0", "float8_e8m0", 8},
    {ge::DT_STRING, "DT_STRING", "string", 0},
};

struct FormatRow {
    ge::Format format;
    const char* name;
};

constexpr FormatRow kFormats[] = {
    {ge::FORMAT_ND, "ND"},
    {ge::FORMAT_NCHW, "NCHW"},
    {ge::FORMAT_NHWC, "NHWC"},
    {ge::FORMAT_NC1HWC0, "NC1HWC0"},
    {ge::FORMAT_FRACTAL_Z, "FRACTAL_Z"},
    {ge::FORMAT_FRACTAL_NZ, "FRACTAL_NZ"},
    {ge::FORMAT_NCDHW, "NCDHW"},
    {ge::FORMAT_NDHWC, "NDHWC"},
    {ge::FORMAT_DHWCN, "DHWCN"},
    {ge::FORMAT_NDC1HWC0, "NDC1HWC0"},
    {ge::FORMAT_FRACTAL_Z_3D, "FRACTAL_Z_3D"},
    {ge::FORMAT_HWCN, "HWCN"},
    {ge::FORMAT_NC, "NC"},
    {ge::FORMAT_CN, "CN"},
    {ge::FORMAT_NCL, "NCL"},
    {ge::FORMAT_FRACTAL_ZN_RNN, "FRACTAL_ZN_RNN"},
    {ge::FORMAT_ND_RNN_BIAS, "ND_RNN_BIAS"},
};

const TypeRow* Row(ge::DataType type) {
    for (const TypeRow& row : kTypes) {
        if (row.type == type) return &row;
    }
    return nullptr;
}

}  // namespace

std::string dtype_name(ge::DataType type) {
    const TypeRow* row = Row(type);
    return row == nullptr ? "undefined" : row->numpy;
}

ge::DataType dtype_of(const std::string& name) {
    for (const TypeRow& row : kTypes) {
        if (name == row.numpy) return row.type;
    }
    return ge::DT_UNDEFINED;
}

std::string format_name(ge::Format format) { return ge::TypeUtils::FormatToSerialString(format); }

ge::Format format_of(const std::string& name) {
    for (const FormatRow& row : kFormats) {
        if (name == row.name) return row.format;
    }
    return ge::FORMAT_RESERVED;
}

}  // namespace ascendopt::host

namespace ops {

std::string ToString(const gert::Shape& shape) {
    std::string text = "[";
    for (size_t i = 0; i < shape.GetDimNum(); ++i) text += (i > 0 ? ", " : "") + std::to_string(shape.GetDim(i));
    return text + "]";
}

std::string ToString(const gert::Shape* shape) { return shape == nullptr ? "null" : ToString(*shape); }

}  // namespace ops

namespace ge {

using ascendopt::host::kFormats;
using ascendopt::host::Row;

int GetSizeByDataType(DataType type) {
    const auto* row = Row(type);
    if (row == nullptr || row->bits == 0) return -1;
    return row->bits >= 8 ? row->bits / 8 : 1000 + row->bits;
}

bool TypeUtils::GetDataTypeLength(DataType type, uint32_t& length) {
    const auto* row = Row(type);
    if (row == nullptr || row->bits == 0) return false;
    length = row->bits >= 8 ? static_cast<uint32_t>(row->bits / 8) : 1;
    return true;
}

std::string TypeUtils::DataTypeToSerialString(DataType type) {
    const auto* row = Row(type);
    return row == nullptr ? "DT_UNDEFINED" : row->enumerator;
}

std::string TypeUtils::FormatToSerialString(Format format) {
    for (const auto& row : kFormats) {
        if (row.format == format) return row.name;
    }
    return "RESERVED";
}

AscendString TypeUtils::DataTypeToAscendString(const DataType& type) { return DataTypeToSerialString(type).c_str(); }
AscendString TypeUtils::FormatToAscendString(const Format& format) { return FormatToSerialString(format).c_str(); }

}  // namespace ge
