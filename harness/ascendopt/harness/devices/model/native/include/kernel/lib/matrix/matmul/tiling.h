// The Matmul library of the kernel API.
#pragma once
#include "../../matmul_intf.h"
