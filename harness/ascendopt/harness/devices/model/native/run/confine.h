// What keeps a candidate from doing harm: limits of the process, and system call filters.
#pragma once
#include <cstdint>

namespace ascendopt::run {

// Soft limits that end the child by a signal; called once, in the child.
void limit_resources(uint64_t address_bytes, double cpu_s, uint64_t file_bytes = 0);

// First filter: objects can be loaded (files opened for reading, code mapped); nothing can be written to a file,
// no network, no other program. Second filter: no files at all and no new executable memory. Both die with SIGSYS.
// False where the platform has no such filter.
bool confine_loading();
bool confine_running();

// For a program: as the first filter, but files can be written, made and removed (where, is for confine_files.h).
// Then no new executable memory.
bool confine_program_loading();
bool confine_program_running();

// For a compiler: no network, no look into other processes, no change of what it sees of the system. These calls fail.
bool confine_tool();

// Installs both filters in a process of its own and sees whether they hold.
bool confinement_works();

}  // namespace ascendopt::run
