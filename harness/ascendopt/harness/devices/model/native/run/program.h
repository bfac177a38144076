// A kernel-launch program in the child: loaded, confined to its folder, its main run with acl served by program/.
#pragma once
#include "request.h"

namespace ascendopt::run {

// Sends a Text frame (which kernel, how many blocks) and a Launch frame for each launch. Ends the process with the exit
// code of main. Throws Failure when the program cannot be started.
[[noreturn]] void run_program(const Request& request, int frames);

}  // namespace ascendopt::run
