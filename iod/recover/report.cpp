#include "iod/recover/report.hpp"

#include <ctime>

#include "base/format.hpp"

namespace kumihimo::iod::recover {

namespace {

std::string date(std::int64_t seconds) {
    const auto time = static_cast<std::time_t>(seconds);
    std::tm broken_down{};
    char text[64] = "at an unknown time";
    if (::localtime_r(&time, &broken_down) != nullptr) std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &broken_down);
    return text;
}

std::string describe(const SurvivingJournal& journal) {
    std::string text = fmt::format("  journal '{}' of node {}, server {}, begun {}:\n    {} records, {} bytes", journal.path,
                                   journal.header.node, journal.header.server, date(journal.header.created), journal.records,
                                   journal.data_bytes);
    if (journal.records > 0) text += fmt::format(", in [{}, {}) of the file", journal.begin, journal.end);
    if (!journal.newer) text += "\n    older than what was written to the file last";
    if (journal.damaged())
        text += fmt::format("\n    damaged or cut off at byte {} of {}: what follows is lost", journal.whole_bytes,
                            journal.file_bytes);
    if (journal.in_use) text += "\n    a running program writes it";
    return text + "\n";
}

}  // namespace

std::string report(const Survivors& survivors) {
    std::string text;
    if (survivors.empty()) text = fmt::format("'{}': nothing was left by a crash\n", survivors.file);
    if (!survivors.markers.empty())
        text = fmt::format("'{}' is incomplete: a program or a machine ended while it was written\n", survivors.file);
    else if (!survivors.journals.empty())
        text = fmt::format("'{}' is as its last completed sync left it, but there are journals\n", survivors.file);
    for (const std::string& marker : survivors.markers) text += fmt::format("  marker '{}'\n", marker);
    for (const SurvivingJournal& journal : survivors.journals) text += describe(journal);
    for (const std::string& why : survivors.unreadable) text += fmt::format("  {}\n", why);
    return text;
}

}  // namespace kumihimo::iod::recover
