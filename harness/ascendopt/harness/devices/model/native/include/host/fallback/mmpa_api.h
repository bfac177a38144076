// The system layer of the toolkit, as far as logs use it.
#pragma once
#include <unistd.h>

#include "../asc_host/all.h"

inline int32_t mmGetTid() { return static_cast<int32_t>(getpid()); }
