#pragma once
#include "../asc_host/alog.h"
