// Forwarder: all of the kernel API is in one header.
#pragma once
#include "kernel_operator.h"
