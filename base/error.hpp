// Errors of every C++ room: what failed, where (the user's file, line and directive), on which node, what to do next.
#pragma once

#include <stdexcept>
#include <string>

namespace kumihimo::base {

// Thrown inside; turned into one message and the end of the job (or a return code) at the C interface.
class Error : public std::runtime_error {
public:
    explicit Error(const std::string& what, std::string advice = {}) : std::runtime_error(what), advice_(std::move(advice)) {}
    const std::string& advice() const { return advice_; }

private:
    std::string advice_;
};

}  // namespace kumihimo::base
