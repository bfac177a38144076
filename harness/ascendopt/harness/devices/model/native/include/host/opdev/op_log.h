// Log macros only: the rest of this folder is for code that launches operators.
#pragma once
#include "../asc_host/log_macros.h"
