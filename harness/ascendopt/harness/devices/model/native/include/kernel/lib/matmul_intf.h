// The Matmul library of the kernel API.
#pragma once
#include "../api/matmul.h"
#include "../kernel_operator.h"
