// Names of the graph that host functions pass around: shapes, tensor descriptions, operators.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "types.h"

namespace ge {

class Shape {
  public:
    Shape() = default;
    explicit Shape(const std::vector<int64_t>& dims) : dims_(dims) {}
    size_t GetDimNum() const { return dims_.size(); }
    int64_t GetDim(size_t index) const { return index < dims_.size() ? dims_[index] : 0; }
    graphStatus SetDim(size_t index, int64_t value) {
        if (index >= dims_.size()) return GRAPH_FAILED;
        dims_[index] = value;
        return GRAPH_SUCCESS;
    }
    std::vector<int64_t> GetDims() const { return dims_; }
    // Product of the dimensions; 0 without any, -1 when one is unknown.
    int64_t GetShapeSize() const {
        int64_t product = dims_.empty() ? 0 : 1;
        for (const int64_t dim : dims_) {
            if (dim < 0) return -1;
            product *= dim;
        }
        return product;
    }

  private:
    std::vector<int64_t> dims_;
};

class TensorDesc {
  public:
    TensorDesc() = default;
    explicit TensorDesc(Shape shape, Format format = FORMAT_ND, DataType type = DT_FLOAT)
        : shape_(shape), format_(format), type_(type) {}
    Shape GetShape() const { return shape_; }
    Shape GetOriginShape() const { return shape_; }
    Format GetFormat() const { return format_; }
    DataType GetDataType() const { return type_; }
    void SetShape(const Shape& shape) { shape_ = shape; }
    void SetFormat(Format format) { format_ = format; }
    void SetDataType(DataType type) { type_ = type; }

  private:
    Shape shape_;
    Format format_ = FORMAT_ND;
    DataType type_ = DT_FLOAT;
};

class Tensor {
  public:
    const uint8_t* GetData() const { return bytes_.data(); }
    size_t GetSize() const { return bytes_.size(); }
    graphStatus SetData(const uint8_t* bytes, size_t size) {
        bytes_.assign(bytes, bytes + size);
        return GRAPH_SUCCESS;
    }
    TensorDesc GetTensorDesc() const { return desc_; }

  private:
    TensorDesc desc_;
    std::vector<uint8_t> bytes_;
};

// What check-support functions are given. The device runs an operator as it is and asks none of them, so that this
// only has what they read.
class Operator {
  public:
    graphStatus GetName(AscendString& name) const {
        name = AscendString(name_.c_str());
        return GRAPH_SUCCESS;
    }
    TensorDesc GetInputDescByName(const char* name) const { return Find(inputs_, name); }
    TensorDesc GetOutputDescByName(const char* name) const { return Find(outputs_, name); }
    graphStatus GetAttr(const char* name, int64_t& value) const {
        const auto found = attrs_.find(name);
        if (found == attrs_.end()) return GRAPH_FAILED;
        value = found->second;
        return GRAPH_SUCCESS;
    }

  private:
    using Descs = std::map<std::string, TensorDesc>;
    static TensorDesc Find(const Descs& descs, const char* name) {
        const auto found = descs.find(name);
        return found == descs.end() ? TensorDesc() : found->second;
    }
    std::string name_;
    Descs inputs_;
    Descs outputs_;
    std::map<std::string, int64_t> attrs_;
};

}  // namespace ge
