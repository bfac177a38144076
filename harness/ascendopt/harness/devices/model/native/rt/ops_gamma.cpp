// The logarithm of the gamma function and its derivative: Stirling's series from 10 upward, reached by recurrence, and
// reflection for arguments below one half.
#include "ops_math.h"

namespace ascendopt::rt::math {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kHalfLogTwoPi = 0.91893853320467274178;

double absolute(double x) { return x < 0 ? -x : x; }

// sin and cos of pi x, exact zeros at the integers and halves.
double reduced(double x) {
    const double shift = 6755399441055744.0;
    return absolute(x) < 2251799813685248.0 ? x - ((x + shift) - shift) : 0.0;
}

}  // namespace

double log_gamma(double x) {
    if (x != x) return x;
    if (absolute(x) == __builtin_inf()) return __builtin_inf();
    if (x < 0.5) {
        const double rest = reduced(x);
        if (rest == 0.0) return __builtin_inf();
        // |gamma(x)| = pi / (|sin pi x| gamma(1 - x))
        return logarithm(kPi / absolute(sine(kPi * rest))) - log_gamma(1.0 - x);
    }
    double product = 1.0;
    for (; x < 10.0; x += 1.0) product *= x;
    const double z = 1.0 / (x * x);
    const double series =
        (1.0 / 12 - z * (1.0 / 360 - z * (1.0 / 1260 - z * (1.0 / 1680 - z * (1.0 / 1188 - z * (691.0 / 360360)))))) /
        x;
    return (x - 0.5) * logarithm(x) - x + kHalfLogTwoPi + series - logarithm(product);
}

double digamma(double x) {
    if (x != x || x == __builtin_inf()) return x;
    if (x < 0.5) {
        const double rest = reduced(x);
        if (rest == 0.0 || x == -__builtin_inf()) return __builtin_nan("");
        // psi(1 - x) - psi(x) = pi / tan(pi x)
        return digamma(1.0 - x) - kPi / tangent(kPi * rest);
    }
    double sum = 0.0;
    for (; x < 10.0; x += 1.0) sum -= 1.0 / x;
    const double z = 1.0 / (x * x);
    const double series =
        z * (1.0 / 12 - z * (1.0 / 120 - z * (1.0 / 252 - z * (1.0 / 240 - z * (1.0 / 132 - z * (691.0 / 32760))))));
    return sum + logarithm(x) - 0.5 / x - series;
}

}  // namespace ascendopt::rt::math
