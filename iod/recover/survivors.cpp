#include "iod/recover/survivors.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <set>
#include <stdexcept>
#include <system_error>
#include <tuple>

#include "base/descriptor.hpp"
#include "iod/process/marker.hpp"
#include "iod/recover/journal_reader.hpp"

namespace kumihimo::iod::recover {

namespace {

namespace fs = std::filesystem;

constexpr const char* journal_name = "kumihimo-journal-";

[[noreturn]] void fail(const std::string& what, const std::string& path) {
    throw std::system_error(errno, std::generic_category(), "cannot " + what + " '" + path + "'");
}

bool is_newer(const std::string& journal, const std::string& file) {
    std::error_code no_journal, no_file;
    const auto written = fs::last_write_time(journal, no_journal), changed = fs::last_write_time(file, no_file);
    return !no_journal && !no_file && written >= changed;
}

SurvivingJournal survey(const std::string& path, const JournalReader& reader) {
    SurvivingJournal journal{path, reader.header()};
    journal.file_bytes = reader.file_bytes();
    journal.in_use = reader.in_use();
    journal.newer = is_newer(path, reader.header().path);
    journal.whole_bytes = reader.for_each([&](Offset offset, std::span<const std::byte> bytes) {
        const Offset end = offset + static_cast<Offset>(bytes.size());
        journal.begin = journal.records == 0 ? offset : std::min(journal.begin, offset);
        journal.end = std::max(journal.end, end);
        journal.data_bytes += bytes.size();
        ++journal.records;
    });
    return journal;
}

void look_at(const fs::path& path, Survivors& found) try {
    const JournalReader reader(path.string());
    if (!reader.is_journal()) {
        found.unreadable.push_back("'" + path.string() +
                                   "' is no journal, or its beginning is damaged: whose it was is unknown");
    } else if (fs::weakly_canonical(reader.header().path).string() == found.file) {
        found.journals.push_back(survey(path.string(), reader));
    }
} catch (const std::system_error& error) {
    found.unreadable.emplace_back(error.what());
}

// A short count is resumed, an interruption retried.
void write_all(int file, const std::string& path, Offset offset, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t moved = ::pwrite(file, bytes.data(), bytes.size(), offset);
        if (moved < 0 && errno != EINTR) fail("write to", path);
        if (moved == 0) errno = EIO, fail("write to", path);
        if (moved < 0) continue;
        offset += moved;
        bytes = bytes.subspan(static_cast<std::size_t>(moved));
    }
}

void unlink(const std::string& path) {
    if (::unlink(path.c_str()) != 0 && errno != ENOENT) fail("remove", path);
}

}  // namespace

bool Survivors::in_use() const {
    return std::ranges::any_of(journals, &SurvivingJournal::in_use);
}
bool Survivors::damaged() const {
    return std::ranges::any_of(journals, &SurvivingJournal::damaged);
}
bool Survivors::replayable() const {
    return !markers.empty() || std::ranges::all_of(journals, &SurvivingJournal::newer);
}

Survivors find_survivors(const std::string& file, std::vector<std::string> directories) {
    Survivors found;
    found.file = fs::weakly_canonical(file).string();
    found.markers = process::Marker::all_of(found.file);
    directories.push_back(fs::path(found.file).parent_path().string());
    std::set<fs::path> seen;
    for (const std::string& directory : directories) {
        std::error_code unreadable;
        if (!seen.insert(fs::weakly_canonical(directory, unreadable)).second) continue;
        for (const auto& entry : fs::directory_iterator(directory, unreadable))
            if (entry.path().filename().string().starts_with(journal_name)) look_at(entry.path(), found);
        if (unreadable) found.unreadable.push_back("cannot read '" + directory + "': " + unreadable.message());
    }
    std::ranges::sort(found.markers);
    std::ranges::sort(found.journals, {}, [](const SurvivingJournal& journal) {
        return std::tie(journal.header.created, journal.header.node, journal.header.server, journal.path);
    });
    return found;
}

void replay(Survivors& survivors) {
    process::Marker marker(survivors.file, 0);
    if (const Status status = marker.set(); !status.ok()) throw std::runtime_error(status.text);
    survivors.markers = process::Marker::all_of(survivors.file);
    const base::Descriptor file(::open(survivors.file.c_str(), O_WRONLY | O_CLOEXEC));
    if (!file) fail("open", survivors.file);
    for (const SurvivingJournal& journal : survivors.journals)
        JournalReader(journal.path).for_each([&](Offset offset, std::span<const std::byte> bytes) {
            write_all(file.get(), survivors.file, offset, bytes);
        });
    if (::fsync(file.get()) != 0) fail("write to the device", survivors.file);
}

void remove(const Survivors& survivors, bool replayed) {
    for (const SurvivingJournal& journal : survivors.journals)
        if (!replayed || !journal.damaged()) unlink(journal.path);
    if (replayed && survivors.damaged()) return;
    for (const std::string& marker : survivors.markers) unlink(marker);
}

}  // namespace kumihimo::iod::recover
