// Operators on whole tensors: `dst = a + b`. The assignment carries the expression out over all elements of dst.
#pragma once
#include "vector_call.h"

namespace AscendC {

namespace asc {
template <typename T, Op op>
struct Binary {
    using AscExpression = void;
    const LocalTensor<T>& left;
    const LocalTensor<T>& right;

    ASC_INLINE void into(const LocalTensor<T>& dst) const {
        AscVector call = vector_call(op, "operator", dst.where());
        source(call, left.where());
        source(call, right.where());
        count_form(call, dst.GetSize());
        asc_vector(&call);
    }
};
template <typename T, CMPMODE mode>
struct Comparison {
    using AscExpression = void;
    const LocalTensor<T>& left;
    const LocalTensor<T>& right;

    template <typename U>
    ASC_INLINE void into(const LocalTensor<U>& dst) const {
        AscVector call = vector_call(Op::Compare, "Compare", dst.where());
        source(call, left.where());
        source(call, right.where());
        call.mode = static_cast<uint8_t>(mode);
        count_form(call, dst.GetSize());
        asc_vector(&call);
    }
};
}  // namespace asc

#define ASC_OPERATOR(symbol, name)                                                                           \
    template <typename T>                                                                                    \
    inline asc::Binary<T, asc::Op::name> operator symbol(const LocalTensor<T>& a, const LocalTensor<T>& b) { \
        return {a, b};                                                                                       \
    }
#define ASC_COMPARISON(symbol, mode)                                                                             \
    template <typename T>                                                                                        \
    inline asc::Comparison<T, CMPMODE::mode> operator symbol(const LocalTensor<T>& a, const LocalTensor<T>& b) { \
        return {a, b};                                                                                           \
    }
ASC_OPERATOR(+, Add)
ASC_OPERATOR(-, Sub)
ASC_OPERATOR(*, Mul)
ASC_OPERATOR(/, Div)
ASC_OPERATOR(&, And)
ASC_OPERATOR(|, Or)
ASC_COMPARISON(<, LT)
ASC_COMPARISON(>, GT)
ASC_COMPARISON(==, EQ)
ASC_COMPARISON(<=, LE)
ASC_COMPARISON(>=, GE)
ASC_COMPARISON(!=, NE)
#undef ASC_OPERATOR
#undef ASC_COMPARISON

}  // namespace AscendC
