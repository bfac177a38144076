#pragma once
#include "../asc_host/all.h"
