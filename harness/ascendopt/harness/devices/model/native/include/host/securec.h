#pragma once
#include "asc_host/securec.h"
