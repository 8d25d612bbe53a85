// The names of marks (docs/explanation/wire-protocol.md, "Records that survive"):
// .NAME.kumihimo-incomplete-SERVER-INODE-OPENING, and .NAME.kumihimo-beginning-... for the moment until the mark counts. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "iod/protocol/messages.hpp"

namespace kumihimo::iod::marks {

std::string hex_of(const Opening& opening);

struct MarkName {
    std::string stem;  // of the file's name
    std::uint32_t server = 0;
    std::uint64_t inode = 0;  // of the file
    std::string opening;      // in hexadecimal digits
    bool counts = true;       // false: it is being made

    std::string text() const;
    bool operator==(const MarkName&) const = default;
};

// What stands in a mark's name for the file's: all of it, or its beginning and a hash where that would be too long.
std::string stem_of(const std::string& file);
std::optional<MarkName> mark_name(std::string_view text);  // nothing: of another file

}  // namespace kumihimo::iod::marks
