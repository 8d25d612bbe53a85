// What the runtime tells about itself on standard error, if KUMIHIMO_LOG asks for it.
#pragma once

#include <string>
#include <string_view>

#include "base/format.hpp"

namespace kumihimo::base {

enum LogLevel { log_start = 1, log_memory = 2 };

int log_level_in(std::string_view text);   // of KUMIHIMO_LOG, by number or name
void set_log_node(int number, int nodes);  // stands before each line
bool logging(LogLevel level);
void write_log(const std::string& line);  // one line, written whole

// Arguments are formatted only if the level is wanted.
template <typename... Arguments>
void log(LogLevel level, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    if (logging(level)) write_log(fmt::format(format, std::forward<Arguments>(arguments)...));
}

}  // namespace kumihimo::base
