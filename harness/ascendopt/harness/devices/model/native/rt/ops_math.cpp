// Elementary functions, see ops_math.h.
#include "ops_math.h"

#include <cstdint>
#include <cstring>

namespace ascendopt::rt::math {
namespace {

constexpr double kShift = 6755399441055744.0;  // 1.5 * 2^52: x + kShift - kShift rounds x to an integer
constexpr double kInfinity = __builtin_inf();
constexpr double kNan = __builtin_nan("");
constexpr double kPi = 3.14159265358979323846;
constexpr double kHalfPi = 1.57079632679489661923;
constexpr double kLn2High = 0.693147180369123816490;  // the upper 32 bits of ln 2
constexpr double kLn2Low = 1.90821492927058770002e-10;
constexpr double kLog2E = 1.44269504088896340736;

uint64_t pattern(double value) {
    uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

double value_of(uint64_t bits) {
    double value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

// 2^n for -1022 <= n <= 1023.
double two_to(int n) { return value_of(static_cast<uint64_t>(n + 1023) << 52); }

double absolute(double x) { return value_of(pattern(x) & ~(uint64_t{1} << 63)); }

double with_sign(double magnitude, double sign) {
    return value_of(pattern(magnitude) | (pattern(sign) & (uint64_t{1} << 63)));
}

// Sum of c[k] * x^k, highest first.
template <int count>
double polynomial(double x, const double (&coefficients)[count]) {
    double sum = coefficients[0];
    for (int i = 1; i < count; ++i) sum = sum * x + coefficients[i];
    return sum;
}

// x = n * pi/2 + r with |r| <= pi/4. Three parts of pi/2 with 33 bits each keep n * part exact for n < 2^20.
int reduce_quarter(double x, double& r) {
    constexpr double kPart1 = 1.57079632673412561417;
    constexpr double kPart2 = 6.07710050630396597660e-11;
    constexpr double kPart3 = 2.02226624879595063154e-21;
    const double n = (x * 0.63661977236758134308 + kShift) - kShift;
    r = ((x - n * kPart1) - n * kPart2) - n * kPart3;
    return static_cast<int>(static_cast<int64_t>(n) & 3);
}

double sine_series(double r) {
    static constexpr double c[] = {-1.0 / 1307674368000, 1.0 / 6227020800, -1.0 / 39916800, 1.0 / 362880,
                                   -1.0 / 5040,          1.0 / 120,        -1.0 / 6};
    const double z = r * r;
    return r + r * z * polynomial(z, c);
}

double cosine_series(double r) {
    static constexpr double c[] = {1.0 / 20922789888000, -1.0 / 87178291200, 1.0 / 479001600, -1.0 / 3628800,
                                   1.0 / 40320,          -1.0 / 720,         1.0 / 24,        -0.5};
    const double z = r * r;
    return 1.0 + z * polynomial(z, c);
}

bool finite_angle(double x) { return absolute(x) < 4294967296.0; }

}  // namespace

double exponential(double x) {
    if (!(x < 709.0)) return x != x ? x : kInfinity;
    if (x < -745.0) return 0.0;
    static constexpr double c[] = {1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040, 1.0 / 720,
                                   1.0 / 120,      1.0 / 24,      1.0 / 6,      0.5,         1.0,        1.0};
    const double n = (x * kLog2E + kShift) - kShift;
    const double r = (x - n * kLn2High) - n * kLn2Low;
    const int half = static_cast<int>(n) / 2;
    return polynomial(r, c) * two_to(half) * two_to(static_cast<int>(n) - half);
}

double logarithm(double x) {
    if (!(x > 0.0)) return x == 0.0 ? -kInfinity : kNan;
    if (x == kInfinity) return x;
    uint64_t bits = pattern(x);
    int exponent = static_cast<int>(bits >> 52) - 1023;
    if (exponent == -1023) {
        bits = pattern(x * 18014398509481984.0);  // 2^54
        exponent = static_cast<int>(bits >> 52) - 1023 - 54;
    }
    double m = value_of((bits & 0xFFFFFFFFFFFFFu) | (uint64_t{1023} << 52));
    if (m > 1.4142135623730951) {
        m *= 0.5;
        ++exponent;
    }
    // ln m = 2 artanh(s), s = (m - 1) / (m + 1), |s| <= 0.172.
    static constexpr double c[] = {2.0 / 19, 2.0 / 17, 2.0 / 15, 2.0 / 13, 2.0 / 11,
                                   2.0 / 9,  2.0 / 7,  2.0 / 5,  2.0 / 3};
    const double s = (m - 1.0) / (m + 1.0);
    const double z = s * s;
    const double k = exponent;
    return k * kLn2High + (2.0 * s + (s * z * polynomial(z, c) + k * kLn2Low));
}

double sine(double x) {
    if (!finite_angle(x)) return kNan;
    double r;
    const int quarter = reduce_quarter(x, r);
    const double value = quarter & 1 ? cosine_series(r) : sine_series(r);
    return quarter & 2 ? -value : value;
}

double cosine(double x) {
    if (!finite_angle(x)) return kNan;
    double r;
    const int quarter = reduce_quarter(x, r);
    const double value = quarter & 1 ? sine_series(r) : cosine_series(r);
    return quarter == 1 || quarter == 2 ? -value : value;
}

double tangent(double x) {
    if (!finite_angle(x)) return kNan;
    double r;
    const int quarter = reduce_quarter(x, r);
    const double s = sine_series(r), c = cosine_series(r);
    return quarter & 1 ? -c / s : s / c;
}

double arc_tangent(double x) {
    if (x != x) return x;
    double t = absolute(x);
    const bool inverted = t > 1.0;
    if (inverted) t = 1.0 / t;
    const bool shifted = t > 0.41421356237309503;  // tan(pi/8)
    if (shifted) t = (t - 1.0) / (t + 1.0);
    static constexpr double c[] = {-1.0 / 31, 1.0 / 29, -1.0 / 27, 1.0 / 25, -1.0 / 23, 1.0 / 21, -1.0 / 19, 1.0 / 17,
                                   -1.0 / 15, 1.0 / 13, -1.0 / 11, 1.0 / 9,  -1.0 / 7,  1.0 / 5,  -1.0 / 3};
    const double z = t * t;
    double angle = t + t * z * polynomial(z, c);
    if (shifted) angle += kHalfPi / 2;
    if (inverted) angle = kHalfPi - angle;
    return with_sign(angle, x);
}

double arc_sine(double x) {
    if (!(absolute(x) <= 1.0)) return kNan;
    const double rest = (1.0 - x) * (1.0 + x);
    if (rest == 0.0) return with_sign(kHalfPi, x);
    return arc_tangent(x / __builtin_sqrt(rest));
}

double arc_cosine(double x) {
    if (!(absolute(x) <= 1.0)) return kNan;
    if (x == -1.0) return kPi;
    return 2.0 * arc_tangent(__builtin_sqrt((1.0 - x) / (1.0 + x)));
}

double hyperbolic_sine(double x) {
    const double t = absolute(x);
    if (t < 1e-2) return x * (1.0 + x * x * (1.0 / 6 + x * x * (1.0 / 120)));
    const double e = exponential(t);
    return with_sign(0.5 * (e - 1.0 / e), x);
}

double hyperbolic_cosine(double x) {
    const double e = exponential(absolute(x));
    return 0.5 * (e + 1.0 / e);
}

double hyperbolic_tangent(double x) {
    const double t = absolute(x);
    if (t < 1e-2) return x * (1.0 - x * x * (1.0 / 3 - x * x * (2.0 / 15 - x * x * (17.0 / 315))));
    if (t > 20.0) return x != x ? x : with_sign(1.0, x);
    const double e = exponential(2.0 * t);
    return with_sign((e - 1.0) / (e + 1.0), x);
}

double inverse_hyperbolic_sine(double x) {
    const double t = absolute(x);
    if (t < 1e-2) return x * (1.0 - x * x * (1.0 / 6 - x * x * (3.0 / 40 - x * x * (15.0 / 336))));
    return with_sign(logarithm(t + __builtin_sqrt(t * t + 1.0)), x);
}

double inverse_hyperbolic_cosine(double x) {
    if (!(x >= 1.0)) return kNan;
    // ln(x + sqrt(x^2 - 1)) = 2 artanh(sqrt((x - 1) / (x + 1))), exact near 1.
    const double s = __builtin_sqrt((x - 1.0) / (x + 1.0));
    return x < 2.0 ? 2.0 * inverse_hyperbolic_tangent(s) : logarithm(x + __builtin_sqrt(x * x - 1.0));
}

double inverse_hyperbolic_tangent(double x) {
    const double t = absolute(x);
    if (!(t <= 1.0)) return kNan;
    if (t < 1e-2) return x * (1.0 + x * x * (1.0 / 3 + x * x * (1.0 / 5 + x * x * (1.0 / 7))));
    return with_sign(0.5 * logarithm((1.0 + t) / (1.0 - t)), x);
}

double error_function(double x) {
    const double t = absolute(x);
    if (t > 2.5) return x != x ? x : with_sign(1.0 - error_complement(t), x);
    // 2/sqrt(pi) e^(-x^2) sum of 2^k x^(2k+1) / (1*3*...*(2k+1)): positive terms, no cancellation.
    double term = t, sum = t;
    for (int k = 1; k < 48; ++k) {
        term *= 2.0 * t * t / (2 * k + 1);
        sum += term;
    }
    return with_sign(1.12837916709551257390 * exponential(-t * t) * sum, x);
}

double error_complement(double x) {
    if (x != x) return x;
    if (x < 0.5) return 1.0 - error_function(x);
    if (x > 27.0) return 0.0;
    if (x < 2.5) {
        // The same series loses at most three digits of sixteen here (erfc(2.5) = 4e-4).
        return 1.0 - error_function(x);
    }
    // Continued fraction (Abramowitz and Stegun 7.1.14), from the tail.
    double tail = x;
    for (int k = 60; k >= 1; --k) tail = x + (0.5 * k) / tail;
    return exponential(-x * x) / (1.77245385090551602730 * tail);
}

double power(double base, double exponent) {
    if (exponent == 0.0 || base == 1.0) return 1.0;
    if (base != base || exponent != exponent) return kNan;
    const double magnitude = absolute(exponent);
    const bool integral = magnitude >= 9007199254740992.0 || (magnitude + 0.0 == ((magnitude + kShift) - kShift));
    const bool odd = integral && magnitude < 9007199254740992.0 && (static_cast<uint64_t>(magnitude) & 1) != 0;
    if (base == 0.0) {
        const double zero = odd ? base : 0.0;
        return exponent > 0 ? zero : 1.0 / zero;
    }
    if (base < 0.0 && !integral && base != -kInfinity && magnitude != kInfinity) return kNan;
    if (base == -1.0 && magnitude == kInfinity) return 1.0;
    const double product = exponent * logarithm(absolute(base));
    const double value = exponential(product != product ? 0.0 : product);
    return base < 0.0 && odd ? -value : value;
}

// Exact remainder with the sign of x, by subtracting shifted multiples of y.
double remainder_truncated(double x, double y) {
    double rest = absolute(x);
    const double unit = absolute(y);
    if (!(rest < kInfinity) || unit == 0.0 || unit != unit) return kNan;
    while (rest >= unit) {
        const int gap = static_cast<int>(pattern(rest) >> 52) - static_cast<int>(pattern(unit) >> 52);
        double multiple = gap > 0 ? unit * two_to(gap) : unit;
        if (multiple > rest) multiple *= 0.5;
        rest -= multiple;
    }
    return with_sign(rest, x);
}

}  // namespace ascendopt::rt::math
