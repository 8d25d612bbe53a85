// The table of settings: every KUMIHIMO_* environment variable with its default and its explanation.
// A room reads its settings here and nowhere else, so that `kumihimo info` can list them all.
#pragma once

#include <span>
#include <string>

namespace kumihimo::base {

struct Setting {
    const char* name;  // environment variable
    const char* default_value;
    const char* help;  // one sentence; units where there are any
};

std::span<const Setting> settings();

// The value in force: the environment's, else the default. Throws std::logic_error for a name that is not in the table.
std::string setting(const std::string& name);
bool setting_is_set(const std::string& name);  // whether it comes from the environment
// As a yes or no (1, on, yes, true) and as a whole number (suffixes k, M, G: powers of 1024). Throw Error on other text.
bool setting_flag(const std::string& name);
long long setting_number(const std::string& name);

// [{"name": ..., "value": ..., "default": ..., "source": "environment"|"default", "help": ...}, ...]
std::string settings_json();

}  // namespace kumihimo::base
