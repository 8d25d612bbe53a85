#include "iod/errands/spreading.hpp"

#include "base/error.hpp"
#include "base/format.hpp"
#include "iod/errands/reader.hpp"
#include "iod/files/digest.hpp"
#include "iod/way/metafile.hpp"

namespace kumihimo::iod::errands {

namespace {

way::Spread spread_of(const std::string& metafile) try {
    return way::parse_metafile(metafile, way::read_text(metafile));
} catch (const base::Error& error) {
    throw Failure(error.what());
}

// A file that is read; or one that is made under the name of a part, and renamed when it is right.
class End {
public:
    End(const std::string& name, bool makes) : place_(place_of(name)), service_(place_) {
        OpenMode mode;
        mode.read = true;
        mode.write = mode.create = makes;
        file_ = std::make_unique<OpenFile>(service_, makes ? part_name(place_.path) : place_.path, mode);
        if (makes) file_->call(FileFunction::set_size, 0);
    }
    OpenFile& file() { return *file_; }
    const Place& place() const { return place_; }

    void write(std::int64_t offset, std::span<const std::byte> bytes) {
        digest_.add(bytes);
        written_ += static_cast<std::int64_t>(bytes.size());
        expect(service_->write({{{offset, static_cast<std::int64_t>(bytes.size()), {}}}}, bytes));
        service_.digest_meanwhile(written_);
    }
    std::int64_t check() {
        expect(service_->finish());
        const std::int64_t digest = digest_.value();
        const auto [found, bytes] = file_->make_durable(written_);
        if (bytes != written_ || found != digest)
            throw Failure(fmt::format("'{}' is not what was written: do it again", place_.name));
        return digest;
    }
    void name() { file_->rename(place_.path); }

private:
    Place place_;
    Service service_;
    std::unique_ptr<OpenFile> file_;
    RunningDigest digest_;
    std::int64_t written_ = 0;
};
using Ends = std::vector<std::unique_ptr<End>>;

Ends ends_of(const way::Spread& spread, bool makes) {
    Ends ends;
    for (const std::string& name : spread.files) ends.push_back(std::make_unique<End>(name, makes));
    return ends;
}

// What a file does not have, while the whole goes on, is 0.
std::span<const std::byte> whole_of(const Piece& piece, std::span<const std::byte> bytes, Payload& padded) {
    if (bytes.size() == static_cast<std::size_t>(piece.length)) return bytes;
    padded = Payload(bytes);
    padded.resize(static_cast<std::size_t>(piece.length), std::byte{0});
    return padded;
}

template <typename Visit>  // visit(place, at, length)
void for_each_piece(const way::Spread& spread, std::int64_t bytes, Visit&& visit) {
    for (std::int64_t at = 0, length = 0; at < bytes; at += length) {
        const way::Spread::Place place = spread.place_of(at);
        length = std::min({place.left, bytes - at, piece_bytes});
        visit(place, at, length);
    }
}

std::int64_t bytes_of_whole(const way::Spread& spread, const Ends& ends) {
    std::int64_t bytes = 0;
    for (std::size_t i = 0; i < ends.size(); ++i) bytes = std::max(bytes, spread.end_of_whole(i, ends[i]->file().size()));
    return bytes;
}

template <typename Take>  // take(at, bytes), in order
void read_whole(const way::Spread& spread, const Ends& from, std::int64_t bytes, Take&& take) {
    Payload padded;
    Reader reader([&](const Piece& piece, std::span<const std::byte> read) { take(piece.at, whole_of(piece, read, padded)); });
    for_each_piece(spread, bytes, [&](const way::Spread::Place& place, std::int64_t at, std::int64_t length) {
        reader.ask(from[place.file]->file(), place.offset, {at, length});
    });
    reader.finish();
}

}  // namespace

std::optional<std::string> metafile_in(const std::string& name) {
    constexpr std::string_view scheme = "stampi+meta:";
    if (!name.starts_with(scheme)) return std::nullopt;
    return name.substr(scheme.size());
}

Copied gather(const std::string& metafile, const Place& to, const Progress& progress) {
    const way::Spread spread = spread_of(metafile);
    const Ends from = ends_of(spread, false);
    End target(to.name, true);
    Copied copied{target.place().path, bytes_of_whole(spread, from), 0, 0};
    read_whole(spread, from, copied.bytes, [&](std::int64_t at, std::span<const std::byte> bytes) {
        target.write(at, bytes);
        progress("copying", at + static_cast<std::int64_t>(bytes.size()), copied.bytes);
    });
    progress("checking", copied.bytes, copied.bytes);
    copied.digest = target.check();
    target.name();
    return copied;
}

Copied scatter(const Place& from, const std::string& metafile, const Progress& progress) {
    const way::Spread spread = spread_of(metafile);
    End source(from.name, false);
    const Ends to = ends_of(spread, true);
    Copied copied{metafile, source.file().size(), 0, 0};
    RunningDigest whole;
    Payload padded;
    Reader reader([&](const Piece& piece, std::span<const std::byte> bytes) {
        const way::Spread::Place place = spread.place_of(piece.at);
        bytes = whole_of(piece, bytes, padded);
        whole.add(bytes);
        to[place.file]->write(place.offset, bytes);
        progress("copying", piece.at + piece.length, copied.bytes);
    });
    for_each_piece(spread, copied.bytes, [&](const way::Spread::Place&, std::int64_t at, std::int64_t length) {
        reader.ask(source.file(), at, {at, length});
    });
    reader.finish();
    progress("checking", copied.bytes, copied.bytes);
    for (const auto& end : to) (void)end->check();
    for (const auto& end : to) end->name();
    copied.digest = whole.value();
    return copied;
}

Looked look_at_whole(const std::string& metafile) {
    const way::Spread spread = spread_of(metafile);
    Looked whole;
    for (std::size_t i = 0; i < spread.files.size(); ++i) {
        const Place place = place_of(spread.files[i]);
        const Looked part = Service(place)->look({place.path});
        expect(part.status);
        const std::int64_t bytes = std::max(whole.facts.bytes, spread.end_of_whole(i, part.facts.bytes));
        const std::int64_t modified = std::max(whole.facts.modified, part.facts.modified);
        const std::uint64_t free_bytes = i == 0 ? part.free_bytes : std::min(whole.free_bytes, part.free_bytes);
        if (i == 0) whole.facts = part.facts;
        whole.facts.bytes = bytes;
        whole.facts.modified = modified;
        whole.free_bytes = free_bytes;
    }
    whole.facts.name = metafile;
    return whole;
}

Digest digest_of_whole(const std::string& metafile) {
    const way::Spread spread = spread_of(metafile);
    const Ends from = ends_of(spread, false);
    RunningDigest whole;
    const std::int64_t bytes = bytes_of_whole(spread, from);
    read_whole(spread, from, bytes, [&](std::int64_t, std::span<const std::byte> read) { whole.add(read); });
    return {bytes, whole.value()};
}

void remove_whole(const std::string& metafile) {
    for (const std::string& name : spread_of(metafile).files) {
        const Place place = place_of(name);
        expect(Service(place)->remove({place.path}));
    }
}

}  // namespace kumihimo::iod::errands
