// Catches what host code prints and logs while it runs.
#pragma once
#include <string>

namespace ascendopt::host {

// Opens what a Capture writes to; before the process gives up the right to open anything.
void open_log();

// Standard output and error of the process are caught while this lives. Single-threaded use only.
class Capture {
  public:
    Capture();
    Capture(const Capture&) = delete;
    Capture& operator=(const Capture&) = delete;
    ~Capture();
    std::string finish();  // restores the streams; at most 16 KB of text

  private:
    int out_ = -1;
    int err_ = -1;
};

// The last error line that was logged since the last Capture began.
std::string last_error();

}  // namespace ascendopt::host
