#include "base/error.hpp"

#include <cerrno>
#include <cstring>

#include "base/format.hpp"
#include "base/node_number.hpp"

namespace kumihimo::base {

std::string errno_text(int number) {
    return std::strerror(number);
}

std::string shortage_advice(int number) {
    switch (number) {
        case EAGAIN:
            return "Too many processes and threads of this user or container: see `ulimit -u` and pids.max of its cgroup.";
        case EMFILE:
            return "Too many open files of this process: see `ulimit -n`.";
        case ENFILE:
            return "Too many open files on this machine: see /proc/sys/fs/file-nr.";
        case ENOMEM:
            return "Too little memory: see `ulimit -v`, and memory.max of the cgroup.";
        default:
            return {};
    }
}

std::string error_message(const std::exception& error, const std::string& place, int node, int nodes) {
    std::string text = fmt::format("kumihimo: error: {}\n", error.what());
    if (!place.empty()) text += fmt::format("  at {}\n", place);
    if (node >= 0) text += fmt::format("  on node {} of {}\n", node_number(node), nodes);
    const auto* const ours = dynamic_cast<const Error*>(&error);
    if (ours != nullptr && !ours->advice().empty()) text += fmt::format("  {}\n", ours->advice());
    return text;
}

}  // namespace kumihimo::base
