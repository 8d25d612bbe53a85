// What the program tells the command that started it: one JSON object on each line of standard output.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "iod/protocol/messages.hpp"

namespace kumihimo::iod::errands {

// {"event": "...", ...}, told when it goes.
class Said {
public:
    explicit Said(const char* event);
    ~Said();
    Said(const Said&) = delete;
    Said& text(const char* key, const std::string& value);
    Said& number(const char* key, std::int64_t value);
    Said& number(const char* key, std::uint64_t value);
    Said& real(const char* key, double value);
    Said& truth(const char* key, bool value);
    Said& list(const char* key, const std::vector<std::string>& values);
    Said& facts(const FileFacts& facts);

private:
    std::string line_;
};

std::string digest_text(std::int64_t digest);  // 16 hexadecimal digits, as xxhsum -H3 prints them

}  // namespace kumihimo::iod::errands
