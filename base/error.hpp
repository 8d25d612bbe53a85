// Errors of every C++ room: what failed, where (the user's file, line and directive), on which node, what to do next.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace kumihimo::base {

// Thrown inside; turned into one message and the end of the job (or a return code) at the C interface.
class Error : public std::runtime_error {
public:
    explicit Error(const std::string& what, std::string advice = {}) : std::runtime_error(what), advice_(std::move(advice)) {}
    const std::string& advice() const { return advice_; }

private:
    std::string advice_;
};

// "Cannot allocate memory (ENOMEM)"-like text of an errno value.
std::string errno_text(int number);

// What to do where no process, thread, descriptor or memory could be had; empty for other numbers.
std::string shortage_advice(int number);

// The message of a fatal error as the user reads it:
//   kumihimo: error: <what>
//     at <place>
//     on node 2 of 4
//     <advice>
// place may be empty; node is a rank, -1 before there are nodes.
std::string error_message(const std::exception& error, const std::string& place, int node, int nodes);

}  // namespace kumihimo::base
