#include "iod/recover/survivors.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <set>
#include <stdexcept>
#include <system_error>
#include <tuple>

#include "base/descriptor.hpp"
#include "iod/marks/marker.hpp"
#include "iod/recover/journal_reader.hpp"

namespace kumihimo::iod::recover {

namespace {

namespace fs = std::filesystem;
using marks::Mark;

constexpr const char* journal_name = "kumihimo-journal-";

[[noreturn]] void fail(int number, const std::string& what, const std::string& path) {
    throw std::system_error(number, std::generic_category(), "cannot " + what + " '" + path + "'");
}

bool is_living(const Mark& mark) {
    return mark.state == Mark::State::in_use;
}

bool is_newer(const std::string& journal, const std::string& file) {
    std::error_code no_journal, no_file;
    const auto written = fs::last_write_time(journal, no_journal), changed = fs::last_write_time(file, no_file);
    return !no_journal && !no_file && written >= changed;
}

SurvivingJournal survey(const std::string& path, const std::string& file, const JournalReader& reader) {
    SurvivingJournal journal{path, reader.header()};
    journal.file_bytes = reader.file_bytes();
    journal.in_use = reader.in_use();
    journal.newer = is_newer(path, file);
    journal.whole_bytes = reader.for_each([&](Offset offset, std::span<const std::byte> bytes) {
        const Offset end = offset + static_cast<Offset>(bytes.size());
        journal.begin = journal.records == 0 ? offset : std::min(journal.begin, offset);
        journal.end = std::max(journal.end, end);
        journal.data_bytes += bytes.size();
        ++journal.records;
    });
    return journal;
}

// By its name, or, if it was renamed meanwhile, by a mark of the same opening.
bool is_of(const Survivors& found, const JournalHeader& header) {
    return found.has_mark_of(header.opened) || fs::weakly_canonical(header.path).string() == found.file;
}

void look_at(const fs::path& path, Survivors& found) try {
    const JournalReader reader(path.string());
    if (!reader.is_journal()) {
        found.unreadable.push_back("'" + path.string() +
                                   "' is no journal, or its beginning is damaged: whose it was is unknown");
    } else if (is_of(found, reader.header())) {
        found.journals.push_back(survey(path.string(), found.file, reader));
    }
} catch (const std::system_error& error) {
    found.unreadable.emplace_back(error.what());
}

// A short count is resumed, an interruption retried.
void write_all(int file, const std::string& path, Offset offset, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t moved = ::pwrite(file, bytes.data(), bytes.size(), offset);
        if (moved < 0 && errno != EINTR) fail(errno, "write to", path);
        if (moved == 0) fail(EIO, "write to", path);
        if (moved < 0) continue;
        offset += moved;
        bytes = bytes.subspan(static_cast<std::size_t>(moved));
    }
}

void unlink(const std::string& path) {
    if (::unlink(path.c_str()) != 0 && errno != ENOENT) fail(errno, "remove", path);
}

// An opening that has no mark: the file is written from now on, and the journal is no more newer than it. They are held locked.
std::vector<std::unique_ptr<marks::Marker>> mark_openings(const Survivors& survivors) {
    std::vector<std::unique_ptr<marks::Marker>> made;
    std::set<Opening> openings;
    for (const SurvivingJournal& journal : survivors.journals) {
        if (survivors.has_mark_of(journal.header.opened) || !openings.insert(journal.header.opened).second) continue;
        made.push_back(std::make_unique<marks::Marker>(journal.header.server, journal.header.opened));
        made.back()->lies_beside(marks::place_of(survivors.file));
        if (const Status status = made.back()->set(); !status.ok()) throw std::runtime_error(status.text);
    }
    return made;
}

void write_journals(const Survivors& survivors) {
    const base::Descriptor file(::open(survivors.file.c_str(), O_WRONLY | O_CLOEXEC));
    if (!file) fail(errno, "open", survivors.file);
    for (const SurvivingJournal& journal : survivors.journals)
        JournalReader(journal.path).for_each([&](Offset offset, std::span<const std::byte> bytes) {
            write_all(file.get(), survivors.file, offset, bytes);
        });
    if (::fsync(file.get()) != 0) fail(errno, "write to the device", survivors.file);
}

}  // namespace

bool Survivors::empty() const {
    return journals.empty() && std::ranges::all_of(marks, [](const Mark& mark) { return mark.state == Mark::State::begun; });
}
bool Survivors::in_use() const {
    return std::ranges::any_of(journals, &SurvivingJournal::in_use) || std::ranges::any_of(marks, is_living);
}
bool Survivors::in_use(const SurvivingJournal& journal) const {
    const std::string opening = marks::hex_of(journal.header.opened);
    return journal.in_use ||
           std::ranges::any_of(marks, [&](const Mark& mark) { return is_living(mark) && mark.name.opening == opening; });
}
bool Survivors::incomplete() const {
    return std::ranges::any_of(marks, &Mark::says_incomplete);
}
bool Survivors::left() const {
    return incomplete() || !std::ranges::all_of(journals, [&](const auto& journal) { return in_use(journal); });
}
bool Survivors::has_mark_of(const Opening& opening) const {
    const std::string digits = marks::hex_of(opening);
    return std::ranges::any_of(
        marks, [&](const Mark& mark) { return mark.state != Mark::State::begun && mark.name.opening == digits; });
}
bool Survivors::damaged() const {
    return std::ranges::any_of(journals, &SurvivingJournal::damaged);
}
bool Survivors::replayable() const {
    return std::ranges::all_of(
        journals, [&](const SurvivingJournal& journal) { return journal.newer || has_mark_of(journal.header.opened); });
}

Survivors find_survivors(const std::string& file, std::vector<std::string> directories) {
    Survivors found;
    found.place = marks::place_of(file);
    found.file = found.place.path();
    found.marks = marks::marks_of(found.place);
    directories.push_back(fs::path(found.file).parent_path().string());
    std::set<fs::path> seen;
    for (const std::string& directory : directories) {
        std::error_code unreadable;
        if (!seen.insert(fs::weakly_canonical(directory, unreadable)).second) continue;
        for (const auto& entry : fs::directory_iterator(directory, unreadable))
            if (entry.path().filename().string().starts_with(journal_name)) look_at(entry.path(), found);
        if (unreadable) found.unreadable.push_back("cannot read '" + directory + "': " + unreadable.message());
    }
    std::ranges::sort(found.journals, {}, [](const SurvivingJournal& journal) {
        return std::tie(journal.header.created, journal.header.host, journal.header.server, journal.path);
    });
    return found;
}

void replay(Survivors& survivors) {
    {
        const auto marked = mark_openings(survivors);
        write_journals(survivors);
    }
    survivors.marks = marks::marks_of(survivors.place);
}

void remove(const Survivors& survivors, bool replayed) {
    for (const SurvivingJournal& journal : survivors.journals)
        if (!survivors.in_use(journal) && (!replayed || !journal.damaged())) unlink(journal.path);
    if (replayed && survivors.damaged()) return;
    for (const Mark& mark : survivors.marks)
        if (const int number = marks::remove(survivors.place, mark); number != 0) fail(number, "remove", mark.path);
}

}  // namespace kumihimo::iod::recover
