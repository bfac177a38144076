// Shapes, tensor descriptions, tensors and attributes as host functions see them.
#pragma once
#include <cstring>
#include <initializer_list>

#include "types.h"

namespace gert {

class Shape {
  public:
    static constexpr size_t kMaxDimNum = 25;
    static constexpr int64_t kInvalidDimValue = INT64_MIN;

    Shape() = default;
    Shape(const std::initializer_list<int64_t>& dims) {
        for (int64_t dim : dims) AppendDim(dim);
    }
    size_t GetDimNum() const { return count_; }
    void SetDimNum(size_t count) { count_ = count > kMaxDimNum ? kMaxDimNum : count; }
    int64_t GetDim(size_t index) const { return index < kMaxDimNum ? dims_[index] : kInvalidDimValue; }
    void SetDim(size_t index, int64_t value) {
        if (index < kMaxDimNum) dims_[index] = value;
    }
    Shape& AppendDim(int64_t value) {
        if (count_ < kMaxDimNum) dims_[count_++] = value;
        return *this;
    }
    // Product of the dimensions; 1 for a scalar, -1 when a dimension is unknown.
    int64_t GetShapeSize() const {
        int64_t product = 1;
        for (size_t i = 0; i < count_; ++i) {
            if (dims_[i] < 0) return -1;
            product *= dims_[i];
        }
        return product;
    }
    bool IsScalar() const { return count_ == 0; }
    void SetScalar() { count_ = 0; }
    int64_t operator[](size_t index) const { return dims_[index]; }
    int64_t& operator[](size_t index) { return dims_[index]; }
    bool operator==(const Shape& other) const {
        return count_ == other.count_ && std::memcmp(dims_, other.dims_, count_ * sizeof(int64_t)) == 0;
    }
    bool operator!=(const Shape& other) const { return !(*this == other); }

  private:
    size_t count_ = 0;
    int64_t dims_[kMaxDimNum] = {};
};

class StorageShape {
  public:
    StorageShape() = default;
    StorageShape(const std::initializer_list<int64_t>& origin, const std::initializer_list<int64_t>& storage)
        : origin_(origin), storage_(storage) {}
    const Shape& GetOriginShape() const { return origin_; }
    const Shape& GetStorageShape() const { return storage_; }
    Shape& MutableOriginShape() { return origin_; }
    Shape& MutableStorageShape() { return storage_; }
    bool operator==(const StorageShape& other) const { return origin_ == other.origin_ && storage_ == other.storage_; }
    bool operator!=(const StorageShape& other) const { return !(*this == other); }

  private:
    Shape origin_;
    Shape storage_;
};

class StorageFormat {
  public:
    ge::Format GetOriginFormat() const { return origin_; }
    ge::Format GetStorageFormat() const { return storage_; }
    void SetOriginFormat(ge::Format format) { origin_ = format; }
    void SetStorageFormat(ge::Format format) { storage_ = format; }

  private:
    ge::Format origin_ = ge::FORMAT_ND;
    ge::Format storage_ = ge::FORMAT_ND;
};

class CompileTimeTensorDesc {
  public:
    ge::DataType GetDataType() const { return type_; }
    void SetDataType(ge::DataType type) { type_ = type; }
    const StorageFormat& GetFormat() const { return format_; }
    ge::Format GetStorageFormat() const { return format_.GetStorageFormat(); }
    ge::Format GetOriginFormat() const { return format_.GetOriginFormat(); }
    void SetStorageFormat(ge::Format format) { format_.SetStorageFormat(format); }
    void SetOriginFormat(ge::Format format) { format_.SetOriginFormat(format); }

  private:
    ge::DataType type_ = ge::DT_UNDEFINED;
    StorageFormat format_;
};

// Data is present only for tensors that the case gives values for; otherwise GetData() is null.
class Tensor {
  public:
    const Shape& GetOriginShape() const { return shape_.GetOriginShape(); }
    const Shape& GetStorageShape() const { return shape_.GetStorageShape(); }
    const StorageShape& GetShape() const { return shape_; }
    StorageShape& MutableShape() { return shape_; }
    Shape& MutableOriginShape() { return shape_.MutableOriginShape(); }
    Shape& MutableStorageShape() { return shape_.MutableStorageShape(); }
    ge::DataType GetDataType() const { return desc_.GetDataType(); }
    void SetDataType(ge::DataType type) { desc_.SetDataType(type); }
    const StorageFormat& GetFormat() const { return desc_.GetFormat(); }
    ge::Format GetStorageFormat() const { return desc_.GetStorageFormat(); }
    ge::Format GetOriginFormat() const { return desc_.GetOriginFormat(); }
    void SetStorageFormat(ge::Format format) { desc_.SetStorageFormat(format); }
    void SetOriginFormat(ge::Format format) { desc_.SetOriginFormat(format); }
    int64_t GetShapeSize() const { return GetStorageShape().GetShapeSize(); }
    size_t GetSize() const { return bytes_; }
    const void* GetAddr() const { return data_; }
    template <class T>
    const T* GetData() const {
        return static_cast<const T*>(data_);
    }
    void SetData(const void* data, size_t bytes) {
        data_ = data;
        bytes_ = bytes;
    }
    const CompileTimeTensorDesc& Desc() const { return desc_; }

  private:
    StorageShape shape_;
    CompileTimeTensorDesc desc_;
    const void* data_ = nullptr;
    size_t bytes_ = 0;
};

// A list attribute: the elements follow the header in memory.
class ContinuousVector {
  public:
    size_t GetSize() const { return size_; }
    size_t GetCapacity() const { return size_; }
    const void* GetData() const { return this + 1; }
    void* MutableData() { return this + 1; }
    void SetSize(size_t size) { size_ = size; }

  private:
    uint64_t size_ = 0;
};

template <class T>
class TypedContinuousVector : public ContinuousVector {
  public:
    const T* GetData() const { return static_cast<const T*>(ContinuousVector::GetData()); }
    T* MutableData() { return static_cast<T*>(ContinuousVector::MutableData()); }
};

class RuntimeAttrs {
  public:
    size_t GetAttrNum() const;
    template <class T>
    const T* GetAttrPointer(size_t index) const {
        return static_cast<const T*>(Pointer(index));
    }
    const int64_t* GetInt(size_t index) const { return GetAttrPointer<int64_t>(index); }
    const float* GetFloat(size_t index) const { return GetAttrPointer<float>(index); }
    const bool* GetBool(size_t index) const { return GetAttrPointer<bool>(index); }
    const char* GetStr(size_t index) const { return GetAttrPointer<char>(index); }
    const TypedContinuousVector<int64_t>* GetListInt(size_t index) const {
        return GetAttrPointer<TypedContinuousVector<int64_t>>(index);
    }
    const TypedContinuousVector<float>* GetListFloat(size_t index) const {
        return GetAttrPointer<TypedContinuousVector<float>>(index);
    }

  private:
    const void* Pointer(size_t index) const;
};

}  // namespace gert

namespace ops {
// "[2, 3]", for logs.
std::string ToString(const gert::Shape& shape);
std::string ToString(const gert::Shape* shape);
}  // namespace ops
