#include "base/settings_check.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "base/error.hpp"
#include "base/format.hpp"
#include "base/spelling.hpp"

extern char** environ;

// One for all of our libraries in a process: the linker takes them for the same.
extern "C" __attribute__((visibility("default"))) std::atomic<bool> kumihimo_unknown_settings_told;
std::atomic<bool> kumihimo_unknown_settings_told = false;

namespace kumihimo::base {

namespace {

// The commands' own (commands/settings.py), which launchers hand on to the ranks.
constexpr const char* of_commands[] = {"KUMIHIMO_MPI", "KUMIHIMO_CC", "KUMIHIMO_FC", "KUMIHIMO_LAUNCHER",
                                       "KUMIHIMO_BENCH_DATABASE"};
// Of those who work on Kumihimo.
constexpr const char* of_tests[] = {"KUMIHIMO_TEST_", "KUMIHIMO_FAULTS",  "KUMIHIMO_BUILD",
                                    "KUMIHIMO_DATA",  "KUMIHIMO_MPIEXEC", "KUMIHIMO_REGENERATE"};

std::string meant(const std::string& word, std::span<const std::string> candidates) {
    const std::string found = nearest(word, candidates);
    return found.empty() ? "" : fmt::format("; did you mean {}?", found);
}

std::string shortened(const std::string& value) {
    constexpr std::size_t most = 60;
    return value.size() <= most ? value : fmt::format("{:.{}}...", value, most);
}

std::string complaint_about_directory(const std::string& directory) {
    struct stat found = {};
    if (stat(directory.c_str(), &found) != 0) return errno_text(errno);
    if (!S_ISDIR(found.st_mode)) return errno_text(ENOTDIR);
    return access(directory.c_str(), W_OK | X_OK) == 0 ? "" : errno_text(errno);
}

std::string complaint_about_file(const std::string& name) {
    struct stat found = {};
    if (stat(name.c_str(), &found) == 0) {
        if (S_ISDIR(found.st_mode)) return errno_text(EISDIR);
        return access(name.c_str(), W_OK) == 0 ? "" : errno_text(errno);
    }
    if (errno != ENOENT) return errno_text(errno);
    const std::string directory = std::filesystem::path(name).parent_path().string();
    return complaint_about_directory(directory.empty() ? "." : directory);
}

std::string complaint_about(const Setting& setting, const std::string& value, std::span<const TextCheck> texts) {
    const std::string given = fmt::format("setting {}={}", setting.name, shortened(value));
    const std::vector<std::string> words = words_of(setting);
    if (!accepts(setting, value)) return fmt::format("{} is not {}{}", given, allowed(setting), meant(value, words));
    if (std::find(words.begin(), words.end(), value) != words.end()) return "";
    std::string why;
    if (setting.values.kind == Values::file) why = complaint_about_file(value);
    if (setting.values.kind == Values::directory) why = complaint_about_directory(value);
    if (!why.empty()) return fmt::format("{} is not {}: {}", given, allowed(setting), why);
    for (const TextCheck& text : texts)
        if (std::strcmp(text.setting, setting.name) == 0) why = text.complaint(value);
    return why.empty() ? "" : fmt::format("{}: {}", given, why);
}

bool is_known(const std::string& name) {
    const auto same = [&](const char* known) { return name == known; };
    const auto begins = [&](const char* known) { return name.starts_with(known); };
    return std::any_of(settings().begin(), settings().end(), [&](const Setting& setting) { return name == setting.name; }) ||
           std::any_of(std::begin(of_commands), std::end(of_commands), same) ||
           std::any_of(std::begin(of_tests), std::end(of_tests), begins);
}

}  // namespace

std::function<std::string(const std::string&)> complaint_of(std::function<void(const std::string&)> read) {
    return [read = std::move(read)](const std::string& value) -> std::string {
        try {
            read(value);
            return "";
        } catch (const Error& error) {
            return error.advice().empty() ? error.what() : fmt::format("{}. {}", error.what(), error.advice());
        }
    };
}

std::string complaints(Library library, Concerns concerns, std::span<const TextCheck> texts) {
    std::string all;
    for (const Setting& setting : settings()) {
        if ((setting.libraries & library) == 0 || setting.concerns != concerns) continue;
        const std::string value = given(setting);
        const std::string complaint = value.empty() ? "" : complaint_about(setting, value, texts);
        if (!complaint.empty()) all += (all.empty() ? "" : "\n  ") + complaint;
    }
    return all;
}

void tell_unknown_settings() {
    if (kumihimo_unknown_settings_told.exchange(true)) return;
    std::vector<std::string> names;
    for (const Setting& setting : settings()) names.emplace_back(setting.name);
    for (char** variable = environ; *variable != nullptr; ++variable) {
        const char* const begin = *variable;
        const char* const end = std::strchr(begin, '=');
        if (end == nullptr || std::strncmp(begin, "KUMIHIMO_", std::strlen("KUMIHIMO_")) != 0) continue;
        const std::string name(begin, end);
        if (!is_known(name))
            std::fprintf(stderr, "kumihimo: warning: %s is set, but there is no such setting%s\n", name.c_str(),
                         meant(name, names).c_str());
    }
}

}  // namespace kumihimo::base
