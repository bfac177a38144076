// Requests in, answers out: one JSON object a line.
#pragma once
#include <sys/types.h>
#include <unistd.h>

#include <map>
#include <string>

#include "../sim/replay.h"
#include "request.h"
#include "supervise.h"

namespace ascendopt::run {

class Server {
  public:
    Server();
    // The answer to one line, without a line end. Never throws.
    std::string answer(const std::string& line);

  private:
    friend class CaseAnswers;
    const pid_t parent_ = getppid();  // who reads the answers
    std::string sandbox_;
    std::string files_;  // what confines a program's files; empty: nothing can
    std::map<std::string, sim::Model> models_;

    std::string respond(const Request& request);
    std::string run_cases(const Request& request);
    std::string run_program(const Request& request);
    std::string launch_members(const Request& request, const rt::LaunchResult& result);
    std::string timing_members(const Request& request, const LaunchTrace& trace);
    const sim::Model& model(const std::string& path);
};

// Reads requests from `in` until it ends and writes answers to `out`. Returns the exit code.
int serve(int in, int out);

}  // namespace ascendopt::run
