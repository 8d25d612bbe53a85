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

std::string describe(const marks::Mark& mark) {
    if (mark.state == marks::Mark::State::begun) return "";
    const std::string since = mark.since == 0 ? "" : ", since " + date(mark.since);
    if (mark.state == marks::Mark::State::in_use)
        return fmt::format("  in use by {}{} ('{}')\n", mark.writer.empty() ? "a running program" : mark.writer, since,
                           mark.path);
    return fmt::format("  mark '{}'{}{}\n", mark.path, marks::whose(mark), since);
}

std::string describe(const SurvivingJournal& journal, bool in_use) {
    std::string text = fmt::format("  journal '{}' of host {}, server {}, begun {}:\n    {} records, {} bytes", journal.path,
                                   journal.header.host, journal.header.server, date(journal.header.created), journal.records,
                                   journal.data_bytes);
    if (journal.records > 0) text += fmt::format(", in [{}, {}) of the file", journal.begin, journal.end);
    if (!journal.newer) text += "\n    older than what was written to the file last";
    if (journal.damaged())
        text += fmt::format("\n    damaged or cut off at byte {} of {}: what follows is lost", journal.whole_bytes,
                            journal.file_bytes);
    if (in_use) text += "\n    a running program writes it";
    return text + "\n";
}

}  // namespace

std::string report(const Survivors& survivors) {
    std::string text;
    if (survivors.empty()) text = fmt::format("'{}': nothing was left by a crash\n", survivors.file);
    if (survivors.incomplete())
        text = fmt::format("'{}' is incomplete: a program or a machine ended while it was written\n", survivors.file);
    else if (survivors.in_use())
        text = fmt::format("'{}' is being written\n", survivors.file);
    else if (!survivors.journals.empty())
        text = fmt::format("'{}' is as its last completed sync left it, but there are journals\n", survivors.file);
    for (const marks::Mark& mark : survivors.marks) text += describe(mark);
    for (const SurvivingJournal& journal : survivors.journals) text += describe(journal, survivors.in_use(journal));
    for (const std::string& why : survivors.unreadable) text += fmt::format("  {}\n", why);
    return text;
}

}  // namespace kumihimo::iod::recover
