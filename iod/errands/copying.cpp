#include "iod/errands/copying.hpp"

#include <algorithm>
#include <future>

#include "base/format.hpp"
#include "iod/errands/reader.hpp"
#include "iod/files/digest.hpp"

namespace kumihimo::iod::errands {

namespace {

// Reads ahead from one file, writes behind to the other. The digest of what was moved.
std::int64_t move(OpenFile& from, Service& to, std::int64_t begin, std::int64_t end, const Progress& progress) {
    RunningDigest digest;
    Reader reader([&](const Piece& piece, std::span<const std::byte> bytes) {
        if (static_cast<std::int64_t>(bytes.size()) != piece.length)
            throw Failure("the file became shorter while it was copied");
        digest.add(bytes);
        expect(to->write({{{piece.at, piece.length, {}}}}, bytes));
        to.digest_meanwhile(piece.at + piece.length);
        progress("copying", piece.at + piece.length, end);
    });
    for (std::int64_t at = begin; at < end; at += piece_bytes) reader.ask(from, at, {at, std::min(piece_bytes, end - at)});
    reader.finish();
    expect(to->finish());
    return digest.value();
}

std::pair<std::int64_t, std::int64_t> both(OpenFile& a, OpenFile& b, std::int64_t bytes) {
    auto other = std::async(std::launch::async, [&] { return b.digest(bytes); });
    const std::int64_t mine = a.digest(bytes);
    return {mine, other.get()};
}

OpenMode reading() {
    OpenMode mode;
    mode.read = true;
    return mode;
}

// A part is its user's own until it is whole.
OpenMode partial(const FileFacts& source) {
    OpenMode mode;
    mode.read = mode.write = mode.create = true;
    mode.permissions = (source.permissions & 0777) | 0600;
    return mode;
}

FileFacts facts_of_file(Remote& remote, const Place& place) {
    const Looked looked = remote.look(FileLook{place.path});
    expect(looked.status);
    if (looked.facts.kind == FileKind::directory) throw Failure(fmt::format("'{}' is a directory: name one file", place.name));
    if (looked.facts.kind != FileKind::file)
        throw Failure(fmt::format("'{}' is no regular file, but a pipe, a device or the like", place.name));
    return looked.facts;
}

std::string last_part(const std::string& path) {
    return path.substr(path.rfind('/') + 1);
}

struct Target {
    std::string path;
    bool begun;  // there may be a part
};

// Into a directory it goes with its own name.
Target target_of(Remote& to, const Place& place, const std::string& source) {
    const std::string around = place.path.substr(0, std::max<std::size_t>(1, place.path.rfind('/')));
    const FileLook looks[] = {{place.path}, {part_name(place.path)}, {around}};  // a round trip for all
    const std::vector<Looked> looked = to.look(looks);
    const bool directory = looked[0].status.ok() && looked[0].facts.kind == FileKind::directory;
    if (!directory && place.path.ends_with('/')) throw Failure(fmt::format("there is no directory '{}'", place.name));
    if (!directory && looked[2].status.code == Code::no_such_file)
        throw Failure(fmt::format("there is no directory '{}' for '{}'", around, place.name));
    if (!directory) return {place.path, looked[1].status.code != Code::no_such_file};
    return {place.path + (place.path.ends_with('/') ? "" : "/") + last_part(source), true};
}

// How far the part agrees with the source; what does not is dropped.
std::int64_t agreed(OpenFile& source, OpenFile& part, std::int64_t bytes, const Progress& progress) {
    const std::int64_t there = part.size();
    if (there == 0) return 0;
    if (there <= bytes) {
        progress("comparing", 0, there);
        const auto [mine, other] = both(source, part, there);
        if (mine == other) return there;
    }
    part.call(FileFunction::set_size, 0);
    return 0;
}

// False: what is there now is another file.
bool move_and_check(OpenFile& source, Service& to, OpenFile& part, Copied& copied, const Progress& progress) {
    const std::int64_t moved = move(source, to, copied.resumed_at, copied.bytes, progress);
    progress("checking", copied.bytes, copied.bytes);
    auto arrived = std::async(std::launch::async, [&] { return part.make_durable(copied.bytes); });
    copied.digest = copied.resumed_at == 0 ? moved : source.digest(copied.bytes);
    const auto [digest, bytes] = arrived.get();
    return digest == copied.digest && bytes == copied.bytes;
}

bool same_machine(const Place& a, const Place& b) {
    return a.here == b.here && (a.here || (a.machine.address == b.machine.address && a.machine.port == b.machine.port &&
                                           a.machine.user == b.machine.user && a.machine.root == b.machine.root));
}

}  // namespace

Copied copy(const Place& from, const Place& to, const Progress& progress) {
    Service source_service(from), target_service(to);
    const FileFacts facts = facts_of_file(*source_service, from);
    const Target target = target_of(*target_service, to, from.path);
    Copied copied{target.path, facts.bytes, 0, 0};
    if (same_machine(from, to) && copied.to == from.path)
        throw Failure(fmt::format("'{}' cannot be copied to itself", from.name));
    const std::string part_path = part_name(copied.to);
    OpenFile source(source_service, from.path, reading()), part(target_service, part_path, partial(facts));
    if (target.begun) copied.resumed_at = agreed(source, part, facts.bytes, progress);
    if (!move_and_check(source, target_service, part, copied, progress)) {
        (void)target_service->remove({part_path});
        throw Failure(
            "the copy differs from the file: somebody changed one of them meanwhile, or a disk is damaged. Copy again");
    }
    part.rename(copied.to);
    return copied;
}

Digest digest_of(const Place& place) {
    Service service(place);
    const FileFacts facts = facts_of_file(*service, place);
    OpenFile file(service, place.path, reading());
    return {facts.bytes, file.digest(facts.bytes)};
}

}  // namespace kumihimo::iod::errands
