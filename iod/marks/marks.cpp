#include "iod/marks/marks.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <ctime>
#include <filesystem>
#include <optional>

#include "base/format.hpp"

namespace kumihimo::iod::marks {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view writer_line = "written by ", born_line = "file born ", no_lock_line = "without a lock";

std::vector<MarkName> names_in(const Directory& directory) {
    std::vector<MarkName> names;
    directory.for_each([&](const char* entry, std::uint64_t) {
        if (auto name = mark_name(entry)) names.push_back(std::move(*name));
    });
    return names;
}

// Whether they may be the birth of one file. Not everywhere anybody can tell.
bool agree(const std::string& born, const std::string& other) {
    return born.empty() || other.empty() || born == other;
}

// Whether the directory holds another file with this inode that was born then, too.
bool holds(const Directory& directory, std::uint64_t inode, const std::string& born) {
    bool found = false;
    directory.for_each([&](const char* name, std::uint64_t entry) {
        found = found || (entry == inode && agree(born, born_of(directory, name)));
    });
    return found;
}

// By its inode and birth, or else by its name.
bool is_of(const Place& place, const MarkName& name, const std::string& born) {
    if (name.inode != place.inode) return !holds(place.directory, name.inode, born);
    return name.stem == stem_of(place.name) || agree(born, place.born);
}

base::Descriptor open_mark(const Directory& directory, const std::string& name) {
    return base::Descriptor(::openat(directory.get(), name.c_str(), O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC));
}

std::string read_text(int file) {
    char text[1024 + HOST_NAME_MAX];
    const ssize_t bytes = ::pread(file, text, sizeof text, 0);
    return {text, static_cast<std::size_t>(std::max<ssize_t>(bytes, 0))};
}

std::string after(const std::string& text, std::string_view beginning) {
    for (std::size_t line = 0, end; line < text.size(); line = end + 1) {
        end = std::min(text.find('\n', line), text.size());
        if (text.compare(line, beginning.size(), beginning) == 0)
            return text.substr(line + beginning.size(), end - line - beginning.size());
    }
    return "";
}

// What a mark is that was opened. Nothing: it is not there any more. Its name is looked up again, since its writer removes it
// before it gives the lock back.
std::optional<Mark::State> state_of(int file, const std::string& text, const Directory& directory, const MarkName& name) {
    if (::flock(file, LOCK_SH | LOCK_NB) != 0) return errno == EWOULDBLOCK ? Mark::State::in_use : Mark::State::unknown;
    struct stat mine, again;
    const base::Descriptor once_more = open_mark(directory, name.text());
    if (!once_more) return std::nullopt;
    if (::fstat(file, &mine) != 0 || ::fstat(once_more.get(), &again) != 0 || mine.st_ino != again.st_ino) return std::nullopt;
    if (!name.counts) return Mark::State::begun;
    return text.find(no_lock_line) == std::string::npos ? Mark::State::left : Mark::State::unknown;
}

std::optional<Mark> look_at(const Place& place, const MarkName& name) {
    Mark mark{name, Mark::State::unknown, place.directory.path() + "/" + name.text(), "", 0};
    const base::Descriptor file = open_mark(place.directory, name.text());
    if (!file) return errno == ENOENT ? std::nullopt : std::optional(std::move(mark));
    const std::string text = read_text(file.get());
    if (!is_of(place, name, after(text, born_line))) return std::nullopt;
    struct stat about;
    if (::fstat(file.get(), &about) == 0) mark.since = about.st_mtime;
    mark.writer = after(text, writer_line);
    const auto state = state_of(file.get(), text, place.directory, name);
    if (!state) return std::nullopt;
    mark.state = *state;
    return mark;
}

}  // namespace

Listing list_beside(const std::string& file) {
    const std::string parent = fs::path(file).parent_path().string();
    Directory directory(parent.empty() ? "." : parent);
    auto names = names_in(directory);
    return {std::move(directory), std::move(names)};
}

std::vector<Mark> marks_of(const Place& place) {
    return marks_of(place, Listing{});
}

std::vector<Mark> marks_of(const Place& place, Listing listing) {
    if (!place.directory) return {};
    const bool listed_here = listing.directory && listing.directory.path() == place.directory.path();
    std::vector<MarkName> listed = listed_here ? std::move(listing.names) : names_in(place.directory);
    const std::string stem = stem_of(place.name);
    const auto may_be_of = [&](const MarkName& name) { return name.stem == stem || name.inode == place.inode; };
    std::ranges::sort(listed, {}, &MarkName::text);
    std::vector<Mark> marks;
    for (const MarkName& name : listed)
        if (may_be_of(name))
            if (auto mark = look_at(place, name)) marks.push_back(std::move(*mark));
    return marks;
}

std::string whose(const Mark& mark) {
    std::string text = mark.writer.empty() ? "" : " of " + mark.writer;
    if (mark.state == Mark::State::unknown) text += ", which may live: there are no locks here";
    return text;
}

std::string contents(const Place& place, bool locks) {
    char host[HOST_NAME_MAX + 1] = "unknown";
    ::gethostname(host, HOST_NAME_MAX);
    return fmt::format(
        "{}I/O process {} on host {}\n{}{}\n{}\n'{}' is incomplete unless this is locked: kumihimo files recover\n",
        writer_line, ::getpid(), host, born_line, place.born, locks ? "locked while it lives" : no_lock_line, place.path());
}

// One that has begun may be being made in this moment: its maker would find it gone again and again, and give up.
int remove(const Place& place, const Mark& mark) {
    constexpr std::int64_t long_enough = 60;  // seconds, where making takes microseconds
    const bool may_be_made = mark.state == Mark::State::begun && std::time(nullptr) - mark.since < long_enough;
    if (mark.state == Mark::State::in_use || may_be_made) return 0;
    return ::unlinkat(place.directory.get(), mark.name.text().c_str(), 0) == 0 || errno == ENOENT ? 0 : errno;
}

void remove_all(const Place& place, const std::vector<Mark>& marks) {
    for (const Mark& mark : marks) (void)remove(place, mark);
}

// The file is held meanwhile: so it tells whether it has other names.
int remove_file(const std::string& path) {
    const base::Descriptor file(::open(path.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    struct stat about {};
    const bool is_file = file && ::fstat(file.get(), &about) == 0 && S_ISREG(about.st_mode);
    const Place place = is_file ? place_of(file.get(), path) : Place{};
    if (::unlink(path.c_str()) != 0) return errno;
    if (place.directory && ::fstat(file.get(), &about) == 0 && about.st_nlink == 0) remove_all(place, marks_of(place));
    return 0;
}

}  // namespace kumihimo::iod::marks
