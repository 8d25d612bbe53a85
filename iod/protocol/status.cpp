#include "iod/protocol/status.hpp"

#include <cerrno>
#include <cstring>
#include <new>
#include <string>
#include <system_error>

#include "base/error.hpp"
#include "base/format.hpp"
#include "iod/protocol/wire.hpp"

namespace kumihimo::iod {

namespace {

Code code_of(int number) {
    switch (number) {
        case ENOSPC:
            return Code::no_space;
        case EDQUOT:
            return Code::quota;
        case EFBIG:
            return Code::too_large;
        case ENOENT:
            return Code::no_such_file;
        case EEXIST:
            return Code::file_exists;
        case EACCES:
        case EPERM:
            return Code::no_permission;
        case EROFS:
            return Code::read_only;
        case EISDIR:
        case ENOTDIR:
        case ENAMETOOLONG:
        case ELOOP:
            return Code::bad_name;
        case EBUSY:
        case ETXTBSY:
            return Code::busy;
        case EPIPE:
        case ECONNRESET:
        case ECONNREFUSED:
            return Code::lost_process;
        case EOPNOTSUPP:
        case ENOSYS:
            return Code::not_supported;
        case ETIMEDOUT:
            return Code::timed_out;
        case ENOMEM:
            return Code::out_of_memory;
        default:
            return Code::io_error;
    }
}

// The C library's, where it has one (glibc 2.32).
std::string name_of(int number) {
    const char* const name = strerrorname_np(number);
    return name == nullptr ? std::to_string(number) : name;
}

}  // namespace

Status Status::of_errno(int number, const std::string& what) {
    return {code_of(number), what + ": " + std::strerror(number), name_of(number)};
}

Status Status::of_exception(const std::exception& error, const std::string& what) {
    if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) return {Code::out_of_memory, what + ": no memory", "ENOMEM"};
    if (dynamic_cast<const LimitReached*>(&error) != nullptr) return {Code::quota, what + ": " + error.what(), "EDQUOT"};
    const auto* const system = dynamic_cast<const std::system_error*>(&error);
    if (system == nullptr) return {Code::bad_request, what + ": " + error.what(), ""};
    const int number = system->code().value();
    const std::string advice = base::shortage_advice(number);
    Status status = of_errno(number, what);
    if (!advice.empty())
        status = {Code::out_of_memory, fmt::format("{} ({}). {}", status.text, status.errno_name, advice), status.errno_name};
    return status;
}

}  // namespace kumihimo::iod
