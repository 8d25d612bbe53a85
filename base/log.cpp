#include "base/log.hpp"

#include <unistd.h>

#include "base/node_number.hpp"
#include "base/settings.hpp"

namespace kumihimo::base {

namespace {
std::string prefix = "kumihimo: ";
}

void set_log_node(int number, int nodes) {
    prefix = fmt::format("kumihimo: node {} of {}: ", node_number(number), nodes);
}

bool logging(LogLevel level) {
    static const long long wanted = setting_number("KUMIHIMO_LOG");
    return wanted >= level;
}

void write_log(const std::string& line) {
    const std::string text = prefix + line + "\n";
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text.data(), text.size());  // best effort: it is only a log
}

}  // namespace kumihimo::base
