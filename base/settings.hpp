// The table of settings: every KUMIHIMO_* environment variable with its default, what it takes, whom it concerns, and its
// explanation. A room reads its settings here and nowhere else, so that `kumihimo info` can list them all.
//
// Reading never fails: a value that makes no sense counts as not given. Each library tells of such values once, when it starts
// (settings_check.hpp), and refuses to work, so that no place that reads a setting has to deal with them.
#pragma once

#include <atomic>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kumihimo::base {

// What a value may be. Words are separated by blanks: those that stand beside a number or a file, or all that there are.
struct Values {
    enum Kind {
        flag,       // 1, on, yes, true or 0, off, no, false
        number,     // digits, with k, M or G after them
        bytes,      // the same
        word,       // one of the words
        file,       // that can be written
        directory,  // that can be written to
        text,       // what only its room can read
    };
    Kind kind;
    long long least = 0, most = 0;
    const char* words = "";
};

// Whom a value concerns: its own process only, or all ranks of a job, which then need the same one.
enum class Concerns { rank, job };

// Who reads it.
enum Library : unsigned { runtime = 1, files = 2, collectives = 4 };

// Experts and those who work on Kumihimo: `kumihimo info` shows them their settings only when asked.
enum class Audience { users, experts };

struct Setting {
    const char* name;  // environment variable
    const char* default_value;
    const char* help;  // one sentence; units where there are any
    Values values;
    Concerns concerns;
    unsigned libraries;
    Audience audience = Audience::users;
};

std::span<const Setting> settings();

// The value in force: what the job has come to (settings_agreement.hpp), else the environment's, else the default. Throws
// std::logic_error for a name that is not in the table.
std::string setting(const std::string& name);
bool setting_is_set(const std::string& name);  // whether it is not the default
bool setting_flag(const std::string& name);
long long setting_number(const std::string& name);

// A number that is asked for often.
class FrequentNumber {
public:
    explicit FrequentNumber(const char* name) : name_(name) {}
    long long value();

private:
    const char* name_;
    std::atomic<unsigned> state_ = 0;  // of the settings, when it was read
    std::atomic<long long> value_ = 0;
};

// ---- values ----

// Digits, with k, M or G (powers of 1024) after them; at most 2^62.
std::optional<long long> number_in(std::string_view text);
bool accepts(const Setting& setting, const std::string& value);  // files, directories and texts: always
std::string allowed(const Setting& setting);                     // "a number from 0 to 2", "one of auto, memfd, posix, off"
std::vector<std::string> words_of(const Setting& setting);

// What this process was given for it, though it may make no sense; empty: nothing.
std::string given(const Setting& setting);
unsigned settings_state();  // another number after each of these:
// From now on these values count instead of the environment's; "" stands for none given.
void take_over(std::vector<std::pair<std::string, std::string>> values);

// [{"name": ..., "value": ..., "default": ..., "source": "environment"|"default", "kind": ..., "allowed": ..., "concerns":
// "rank"|"job", "libraries": ["runtime", "files", "collectives"], "help": ...}, ...]
std::string settings_json();

}  // namespace kumihimo::base
