// The public header makes these names global.
#pragma once
#include "../asc_host/all.h"
using std::map;
using std::string;
using std::vector;
