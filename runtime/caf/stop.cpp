// STOP and ERROR STOP (Fortran 2018, 11.4): one image ends and the others go on, or the whole job ends.
#include <cstddef>
#include <cstdlib>
#include <string>

#include "base/format.hpp"
#include "base/node_number.hpp"
#include "runtime/execution/context.hpp"
#include "runtime/execution/termination.hpp"
#include "runtime/program/end.hpp"

// libgfortran's: they print the code, and which floating-point exceptions signal, and exit.
extern "C" {
[[noreturn, gnu::weak]] void _gfortran_stop_numeric(int code, bool quiet);
[[noreturn, gnu::weak]] void _gfortran_stop_string(const char* text, std::size_t length, bool quiet);
}

namespace kumihimo::caf {

namespace {

[[noreturn]] void error_stop(const std::string& code, int status, bool quiet) {
    const execution::Context& context = execution::Context::get();
    const std::string image =
        context.running() ? fmt::format("\n  on image {} of {}", base::node_number(context.world_rank()), context.world_size())
                          : "";
    execution::end_job(quiet ? "" : fmt::format("ERROR STOP{}{}{}\n", code.empty() ? "" : " ", code, image), status);
}

}  // namespace

}  // namespace kumihimo::caf

using namespace kumihimo;
using namespace kumihimo::caf;

extern "C" void _gfortran_caf_stop_numeric(int code, bool quiet) {
    program::note_normal_termination();
    _gfortran_stop_numeric(code, quiet);
}

extern "C" void _gfortran_caf_stop_str(const char* text, std::size_t length, bool quiet) {
    program::note_normal_termination();
    _gfortran_stop_string(text, length, quiet);
}

extern "C" void _gfortran_caf_error_stop(int code, bool quiet) {
    error_stop(std::to_string(code), code, quiet);
}

extern "C" void _gfortran_caf_error_stop_str(const char* text, std::size_t length, bool quiet) {
    error_stop(std::string(text, length), EXIT_FAILURE, quiet);
}
