#pragma once
#include "../asc_host/log_macros.h"
