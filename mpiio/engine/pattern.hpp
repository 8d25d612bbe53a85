// Patterns for file names, as in KUMIHIMO_IO: * stands for any characters but /, ** for any characters, **/ also for no
// directory at all, ? for one character but /, [a-c] and [!a-c] for one of a set. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kumihimo::mpiio {

class Pattern {
public:
    // None: a [ that no ] closes.
    static std::optional<Pattern> parse(std::string_view text);
    bool matches(std::string_view name) const;  // the whole of it

private:
    enum class Kind { one_of, any_here, any_below, directories };  // a character; *; **; **/
    struct Token {
        Kind kind;
        std::vector<bool> characters;  // of one_of: which of the 256
    };
    static std::vector<bool> set_of(std::string_view members);

    std::vector<Token> tokens_;
};

}  // namespace kumihimo::mpiio
