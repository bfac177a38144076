// Base of generated tiling structs.
#pragma once
#include <cstdint>
