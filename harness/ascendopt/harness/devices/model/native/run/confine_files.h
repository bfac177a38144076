// Which files a program may reach: those below one folder.
#pragma once
#include <string>
#include <vector>

namespace ascendopt::run {

// How the files of this process were confined: "landlock", "chroot", or "" where the system offers neither.
// Afterwards everything below `folder` can be read and written. Of all else the system's libraries can be read, which
// loading an object needs, until `confine_reads` ends that too: constructors run in between. With "chroot" nothing can.
std::string confine_to_folder(const std::string& folder);
bool confine_reads(const std::string& folder, const std::string& how);

// A path that stays open after `confine_to`: a file, or a folder with all below it.
struct Grant {
    enum class Right { Read, ReadAndExecute, ReadAndWrite };
    std::string path;
    Right right;
};

// Where loading an object may find the libraries that it needs.
std::vector<std::string> system_libraries();

// From now on this process and its descendants open, make and remove nothing but what is granted (Landlock). Paths
// that do not exist are left out. False, and nothing changed, where the system has no Landlock.
bool confine_to(const std::vector<Grant>& grants);

// What `confine_to_folder` would use here, found out in a process of its own.
std::string file_confinement();

}  // namespace ascendopt::run
