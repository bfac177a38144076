#pragma once
#include "../asc_host/tuning_bank.h"
