// Errors of MPI in members that call it.
#pragma once

#include <string>

namespace kumihimo::transport {

[[noreturn]] void fail(int code, const char* what, const std::string& advice = "");  // throws base::Error with MPI's text
inline void check(int code, const char* what) {
    if (code != 0) fail(code, what);  // MPI_SUCCESS
}

}  // namespace kumihimo::transport
