// What is wrong with the settings of this process, told once by each library when it starts.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "base/settings.hpp"

namespace kumihimo::base {

// A setting that only its room can read: why a value makes no sense and what would; empty: it does.
struct TextCheck {
    const char* setting;
    std::function<std::string(const std::string& value)> complaint;
};
// Of what throws base::Error at a value that makes no sense.
std::function<std::string(const std::string&)> complaint_of(std::function<void(const std::string&)> read);

// What is wrong with the given settings of a library, with the allowed values and the nearest; empty: all are well. Only
// settings that are given are looked at.
std::string complaints(Library library, Concerns concerns, std::span<const TextCheck> texts);

// Warns of KUMIHIMO_* variables that are no settings, once for each process whatever the number of our libraries in it.
void tell_unknown_settings();

}  // namespace kumihimo::base
