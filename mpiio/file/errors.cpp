#include "mpiio/file/errors.hpp"

#include <mpi.h>

#include <cstdio>
#include <map>
#include <mutex>

#include "base/settings.hpp"

namespace kumihimo::mpiio {

namespace {

std::string text_of(int code) {
    char text[MPI_MAX_ERROR_STRING + 1] = {};
    int length = 0;
    return MPI_Error_string(code, text, &length) == MPI_SUCCESS ? std::string(text, length) : std::string();
}

}  // namespace

int error_code(const Failure& failure) {
    static std::mutex mutex;
    static std::map<int, int> codes;  // one added code for each class: MPI has no way to give them back
    const std::lock_guard lock(mutex);
    const std::string text = failure.text.substr(0, MPI_MAX_ERROR_STRING - 1);
    if (const auto known = codes.find(failure.code); known != codes.end()) {
        if (known->second != failure.code) MPI_Add_error_string(known->second, text.c_str());
        return known->second;
    }
    int code = failure.code;
    if (MPI_Add_error_code(failure.code, &code) == MPI_SUCCESS) {
        MPI_Add_error_string(code, text.c_str());
        if (text_of(code) != text) code = failure.code;
    }
    return codes[failure.code] = code;
}

void report_failure(const char* function, const Failure& failure, bool print) {
    if (print && base::setting_flag("KUMIHIMO_XMPIO_MESSAGES"))
        std::fprintf(stderr, "kumihimo: %s: %s\n", function, failure.text.c_str());
}

}  // namespace kumihimo::mpiio
