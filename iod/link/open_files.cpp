#include "iod/link/open_files.hpp"

#include <algorithm>
#include <set>

#include "base/format.hpp"
#include "iod/protocol/limits.hpp"

namespace kumihimo::iod::link {

namespace {

// What was done, and is asked again, is done.
Status as_if_asked_once(Status status) {
    return status.errno_name == "ENOENT" ? Status{} : status;
}

}  // namespace

Payload OpenFiles::answered(Type type, std::uint32_t file, const Payload& question, Payload answer, bool again) {
    if (type == Type::file_open) return opened(question, answer);
    if (type == Type::file_remove && again) return encode(as_if_asked_once(decode<Status>(answer)));
    if (type == Type::file_rename) return renamed(decode<FileRename>(question), decode<Status>(answer), again);
    if (type == Type::file_call) called(file, decode<FileCall>(question), decode<Result>(answer));
    return answer;
}

Payload OpenFiles::opened(const Payload& question, const Payload& answer) {
    FileOpened opened = decode<FileOpened>(answer);
    if (!opened.status.ok()) return answer;
    files_[++last_] = {decode<FileOpen>(question), opened.session, opened.file};
    opened.session = last_;
    return encode(opened);
}

void OpenFiles::called(std::uint32_t file, const FileCall& call, const Result& result) {
    const auto found = files_.find(file);
    if (found == files_.end()) return;
    if (call.function == FileFunction::close) {
        files_.erase(found);
        return;
    }
    if (!result.status.ok()) return;
    if (call.function == FileFunction::lock) found->second.locked = true;
    if (call.function == FileFunction::unlock) found->second.locked = false;
    std::int64_t& pointer = pointers_[found->second.open.opening];
    if (call.function == FileFunction::shared_set) pointer = call.value;
    if (call.function != FileFunction::shared_add) return;
    if (!possible(result.value, static_cast<std::uint64_t>(call.value)))
        throw ProtocolError("a position that no file can have");
    pointer = std::max(pointer, result.value + call.value);
}

// A file that was found by its old name after the connection broke had not been renamed.
Payload OpenFiles::renamed(const FileRename& rename, const Status& answer, bool again) {
    const auto is_it = [&](const auto& entry) { return entry.second.open.path == rename.from; };
    const Status status = again && std::ranges::none_of(files_, is_it) ? as_if_asked_once(answer) : answer;
    for (auto& [number, file] : files_)
        if (status.ok() && file.open.path == rename.from) file.open.path = rename.to;
    return encode(status);
}

std::uint32_t OpenFiles::there(std::uint32_t file) const {
    if (file == 0) return 0;
    const auto found = files_.find(file);
    if (found == files_.end()) throw ProtocolError("a request about a file that is not open");
    return found->second.there;
}

// ---- after a connection broke ----

bool OpenFiles::hold_locks() const {
    return std::ranges::any_of(files_, [](const auto& entry) { return entry.second.locked; });
}

void OpenFiles::begin_again() {
    ++connections_;
}

// The memory of a shared pointer ended with the connection, if it was nobody else's: the new one has another name.
FileOpen OpenFiles::opening_now(FileOpen open) const {
    if (alone_) open.opening.back() ^= static_cast<std::byte>(connections_);
    return open;
}

std::map<std::uint32_t, FileOpen> OpenFiles::to_reopen() const {
    std::map<std::uint32_t, FileOpen> all;
    std::set<Opening> seen;
    for (const auto& [number, file] : files_) {
        FileOpen open = opening_now(file.open);
        open.mode.create = open.mode.exclusive = false;
        open.first = alone_ && seen.insert(open.opening).second;
        all[number] = open;
    }
    return all;
}

bool OpenFiles::follow(std::uint32_t number, const FileRename& rename) {
    File& file = files_.at(number);
    if (file.open.path != rename.from || rename.from == rename.to) return false;
    file.open.path = rename.to;
    return true;
}

Status OpenFiles::reopened(std::uint32_t number, const FileOpened& opened) {
    File& file = files_.at(number);
    if (!opened.status.ok()) return opened.status;
    if (opened.file != file.identity)
        return {Code::io_error,
                fmt::format("'{}' is another file than before, another program has opened it for writing meanwhile, or the "
                            "machine was started anew. What was written may be lost",
                            file.open.path),
                ""};
    file.there = opened.session;
    return {};
}

std::map<std::uint32_t, FileCall> OpenFiles::to_restore() const {
    std::map<std::uint32_t, FileCall> calls;
    std::set<Opening> seen;
    for (const auto& [number, file] : files_) {
        const auto pointer = pointers_.find(file.open.opening);
        if (alone_ && pointer != pointers_.end() && seen.insert(file.open.opening).second)
            calls[number] = {FileFunction::shared_set, pointer->second};
    }
    return calls;
}

}  // namespace kumihimo::iod::link
