// All vector functions.
#pragma once
#include "cast.h"
#include "compare.h"
#include "gather.h"
#include "math_functions.h"
#include "reduce.h"
#include "vector_binary.h"
#include "vector_fill.h"
#include "vector_mask.h"
#include "vector_scalar.h"
#include "vector_unary.h"
