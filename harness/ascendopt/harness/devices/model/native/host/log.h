// Catches what host code prints and logs while it runs.
#pragma once
#include <cstdio>
#include <string>

namespace ascendopt::host {

// Standard output and error of the process go to a temporary file while this lives. Single-threaded use only.
class Capture {
  public:
    Capture();
    Capture(const Capture&) = delete;
    Capture& operator=(const Capture&) = delete;
    ~Capture();
    std::string finish();  // restores the streams; at most 16 KB of text

  private:
    FILE* file_ = nullptr;
    int out_ = -1;
    int err_ = -1;
};

// The last error line that was logged since the last Capture began.
std::string last_error();

}  // namespace ascendopt::host
