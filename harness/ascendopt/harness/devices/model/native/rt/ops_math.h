// Elementary functions in binary64 from basic operations only, so that every platform gives the same bits. The error
// is below 1e-12 relative, so the value rounded to binary32 is within 0.51 ulp of the true one (sine and cosine:
// for arguments up to 2^20).
#pragma once

namespace ascendopt::rt::math {

double exponential(double x);
double logarithm(double x);
double sine(double x);
double cosine(double x);
double tangent(double x);
double arc_tangent(double x);
double arc_sine(double x);
double arc_cosine(double x);
double hyperbolic_sine(double x);
double hyperbolic_cosine(double x);
double hyperbolic_tangent(double x);
double inverse_hyperbolic_sine(double x);
double inverse_hyperbolic_cosine(double x);
double inverse_hyperbolic_tangent(double x);
double error_function(double x);
double error_complement(double x);
double log_gamma(double x);  // of |gamma|
double digamma(double x);
double power(double base, double exponent);
double remainder_truncated(double x, double y);

}  // namespace ascendopt::rt::math
