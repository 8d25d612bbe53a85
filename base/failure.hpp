// What went wrong on one node, as the nodes tell each other (agreement.hpp). No MPI.
#pragma once

#include <string>

namespace kumihimo::base {

struct Failure {
    int code = -1;         // what the user's function returns
    std::string text;      // what failed and why, without the node
    int system_error = 0;  // errno where the operating system said why
};

}  // namespace kumihimo::base
