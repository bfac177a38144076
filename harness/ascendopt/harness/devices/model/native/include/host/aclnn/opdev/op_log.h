// Log macros only: the rest of these folders is for code that launches operators.
#pragma once
#include "../../asc_host/log_macros.h"
