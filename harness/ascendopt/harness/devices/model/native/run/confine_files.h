// Which files a program may reach: those below one folder.
#pragma once
#include <string>
#include <vector>

namespace ascendopt::run {

// How the files of this process were confined: "landlock", "chroot", or "" where the system offers neither.
// Afterwards everything below `folder` can be read and written; files elsewhere can be opened for reading at most,
// which loading an object needs, until `confine_reads` ends that too. With "chroot" it never can.
std::string confine_writes(const std::string& folder);
bool confine_reads(const std::string& folder, const std::string& how);

// A path that stays open after `confine_to`: a file, or a folder with all below it.
struct Grant {
    enum class Right { Read, ReadAndExecute, ReadAndWrite };
    std::string path;
    Right right;
};

// From now on this process and its descendants open, make and remove nothing but what is granted (Landlock). Paths
// that do not exist are left out. False, and nothing changed, where the system has no Landlock.
bool confine_to(const std::vector<Grant>& grants);

// What `confine_writes` would use here, found out in a process of its own.
std::string file_confinement();

}  // namespace ascendopt::run
