// Which files a program may reach: those below one folder.
#pragma once
#include <string>

namespace ascendopt::run {

// How the files of this process were confined: "landlock", "chroot", or "" where the system offers neither.
// Afterwards everything below `folder` can be read and written; files elsewhere can be opened for reading at most,
// which loading an object needs, until `confine_reads` ends that too. With "chroot" it never can.
std::string confine_writes(const std::string& folder);
bool confine_reads(const std::string& folder, const std::string& how);

// What `confine_writes` would use here, found out in a process of its own.
std::string file_confinement();

}  // namespace ascendopt::run
