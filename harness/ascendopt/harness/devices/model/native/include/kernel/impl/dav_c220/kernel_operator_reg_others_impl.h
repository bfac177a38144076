// Forwarder: all of the kernel API is in one header. Only operators that include this one find is_same in AscendC;
// others define a template of that name beside `using namespace AscendC`.
#pragma once
#include <type_traits>

#include "../../kernel_operator.h"
