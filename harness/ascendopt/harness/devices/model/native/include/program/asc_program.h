// What a kernel-launch program is compiled with, before its own text: the language of kernels, the device runtime, and
// the library headers that such programs use (precompiled, since they cost more than the program itself).
#pragma once
#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "../host/asc_host/securec.h"
#include "../kernel/kernel_operator.h"
#include "acl/acl.h"
#include "asc_launch.h"
