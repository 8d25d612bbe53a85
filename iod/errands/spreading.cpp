#include "iod/errands/spreading.hpp"

#include <deque>

#include "base/error.hpp"
#include "base/format.hpp"
#include "base/settings.hpp"
#include "iod/errands/digest.hpp"
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
        file_ = std::make_unique<OpenFile>(*service_, makes ? part_name(place_.path) : place_.path, mode);
        if (makes) file_->call(FileFunction::set_size, 0);
    }
    Remote& remote() { return *service_; }
    OpenFile& file() { return *file_; }
    const Place& place() const { return place_; }

    void write(std::int64_t offset, std::span<const std::byte> bytes) {
        digest_.add(bytes);
        written_ += static_cast<std::int64_t>(bytes.size());
        expect(service_->write({{{offset, static_cast<std::int64_t>(bytes.size()), {}}}}, bytes));
    }
    std::int64_t check() {
        expect(service_->finish());
        file_->call(FileFunction::sync);
        const std::int64_t digest = digest_.value();
        if (file_->size() != written_ || file_->digest(written_) != digest)
            throw Failure(fmt::format("'{}' is not what was written: do it again", place_.name));
        return digest;
    }
    void name() {
        file_->close();
        expect(service_->rename({part_name(place_.path), place_.path}));
    }

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

// Reads ahead in order of the whole: each piece is of one file.
class Reader {
public:
    explicit Reader(std::function<void(std::int64_t at, std::span<const std::byte>)> take) : take_(std::move(take)) {}

    void ask(Remote& from, std::int64_t offset, std::int64_t length, std::int64_t at) {
        while (!asked_.empty() && under_way_ + length > most_) take_oldest();
        Asked asked{&from, {}, length, at};
        expect(from.begin_read({{{offset, length, {}}}}, asked.reading));
        asked_.push_back(asked);
        under_way_ += length;
    }
    void finish() {
        while (!asked_.empty()) take_oldest();
    }

private:
    struct Asked {
        Remote* from;
        Remote::Reading reading;
        std::int64_t length, at;
    };
    // What a file does not have, while the whole goes on, is 0.
    void take_oldest() {
        const Asked asked = asked_.front();
        asked_.pop_front();
        under_way_ -= asked.length;
        std::span<const std::byte> bytes;
        expect(asked.from->end_read(asked.reading, holder_, bytes));
        Payload whole(bytes.begin(), bytes.end());
        whole.resize(static_cast<std::size_t>(asked.length));
        take_(asked.at, whole);
    }

    std::function<void(std::int64_t, std::span<const std::byte>)> take_;
    const std::int64_t most_ = base::setting_number("KUMIHIMO_STAMPI_WINDOW");
    std::int64_t under_way_ = 0;
    std::deque<Asked> asked_;
    Payload holder_;
};

template <typename Visit>  // visit(place, at, length)
void for_each_piece(const way::Spread& spread, std::int64_t bytes, Visit&& visit) {
    for (std::int64_t at = 0, length = 0; at < bytes; at += length) {
        const way::Spread::Place place = spread.place_of(at);
        length = std::min({place.left, bytes - at, piece_bytes});
        visit(place, at, length);
    }
}

}  // namespace

Copied gather(const std::string& metafile, const Place& to, const Progress& progress) {
    const way::Spread spread = spread_of(metafile);
    const Ends from = ends_of(spread, false);
    End target(to.name, true);
    Copied copied{target.place().path, 0, 0, 0};
    for (std::size_t i = 0; i < from.size(); ++i)
        copied.bytes = std::max(copied.bytes, spread.end_of_whole(i, from[i]->file().size()));
    Reader reader([&](std::int64_t at, std::span<const std::byte> bytes) {
        target.write(at, bytes);
        progress("copying", at + static_cast<std::int64_t>(bytes.size()), copied.bytes);
    });
    for_each_piece(spread, copied.bytes, [&](const way::Spread::Place& place, std::int64_t at, std::int64_t length) {
        reader.ask(from[place.file]->remote(), place.offset, length, at);
    });
    reader.finish();
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
    Reader reader([&](std::int64_t at, std::span<const std::byte> bytes) {
        const way::Spread::Place place = spread.place_of(at);
        whole.add(bytes);
        to[place.file]->write(place.offset, bytes);
        progress("copying", at + static_cast<std::int64_t>(bytes.size()), copied.bytes);
    });
    for_each_piece(spread, copied.bytes, [&](const way::Spread::Place&, std::int64_t at, std::int64_t length) {
        reader.ask(source.remote(), at, length, at);
    });
    reader.finish();
    progress("checking", copied.bytes, copied.bytes);
    for (const auto& end : to) (void)end->check();
    for (const auto& end : to) end->name();
    copied.digest = whole.value();
    return copied;
}

}  // namespace kumihimo::iod::errands
