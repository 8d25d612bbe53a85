// What an I/O process says of a failure, as MPI says it.
#pragma once

#include "iod/protocol/status.hpp"
#include "mpiio/engine/engine.hpp"
#include "mpiio/engine/error_classes.hpp"

namespace kumihimo::mpiio {

std::optional<Failure> failure_of(const iod::Status& status, const std::string& path);  // none: all is well
iod::Status status_of_exception();  // while one is handled that an I/O process or the way to it is the reason of

// What an I/O process answers; without an answer, why there is none.
template <typename Ask>
auto answer_or_why(Ask&& ask) {
    try {
        return ask();
    } catch (const std::exception&) {
        decltype(ask()) none;
        none.status = status_of_exception();
        return none;
    }
}

}  // namespace kumihimo::mpiio
