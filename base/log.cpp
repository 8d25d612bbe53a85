#include "base/log.hpp"

#include <unistd.h>

#include <utility>

#include "base/node_number.hpp"
#include "base/settings.hpp"

namespace kumihimo::base {

namespace {
std::string prefix = "kumihimo: ";
}

void set_log_node(int number, int nodes) {
    prefix = fmt::format("kumihimo: node {} of {}: ", node_number(number), nodes);
}

int log_level_in(std::string_view text) {
    // Errors and warnings are told in any case.
    constexpr std::pair<std::string_view, int> names[] = {
        {"error", 0}, {"warning", 0}, {"info", log_start}, {"debug", log_memory}};
    for (const auto& [name, level] : names)
        if (text == name) return level;
    return static_cast<int>(number_in(text).value_or(0));
}

bool logging(LogLevel level) {
    static const int wanted = log_level_in(setting("KUMIHIMO_LOG"));
    return wanted >= level;
}

void write_log(const std::string& line) {
    const std::string text = prefix + line + "\n";
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text.data(), text.size());  // best effort: it is only a log
}

}  // namespace kumihimo::base
