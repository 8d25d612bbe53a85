#include "iod/errands/speed.hpp"

#include <unistd.h>

#include <algorithm>
#include <random>

#include "base/clock.hpp"
#include "base/format.hpp"
#include "iod/errands/reader.hpp"

namespace kumihimo::iod::errands {

namespace {

constexpr int round_trips = 5;

// Bytes that nobody compresses.
Payload noise() {
    std::mt19937_64 random(std::random_device{}());
    Payload bytes(piece_bytes);
    std::ranges::generate(bytes, [&] { return static_cast<std::byte>(random()); });
    return bytes;
}

Layout piece(std::int64_t number) {
    return {{{number * piece_bytes, piece_bytes, {}}}};
}

double round_trip(Remote& remote) {
    double best = 0;
    for (int i = 0; i < round_trips; ++i) {
        const double start = base::seconds_now();
        expect(remote.about().status);
        const double seconds = base::seconds_now() - start;
        best = i == 0 ? seconds : std::min(best, seconds);
    }
    return best;
}

double write(Remote& remote, OpenFile& file, const Payload& bytes, std::int64_t pieces) {
    const double start = base::seconds_now();
    for (std::int64_t i = 0; i < pieces; ++i) expect(remote.write(piece(i), bytes));
    expect(remote.finish());
    file.call(FileFunction::sync);
    return base::seconds_now() - start;
}

double read(OpenFile& file, const Payload& expected, std::int64_t pieces) {
    const double start = base::seconds_now();
    Reader reader([&](const Piece&, std::span<const std::byte> bytes) {
        if (!std::ranges::equal(bytes, expected)) throw Failure("what was read is not what was written");
    });
    for (std::int64_t i = 0; i < pieces; ++i) reader.ask(file, i * piece_bytes, {i, piece_bytes});
    reader.finish();
    return base::seconds_now() - start;
}

// Removed when it goes, whatever happened.
class Temporary {
public:
    Temporary(Remote& remote, std::string path) : remote_(remote), path_(std::move(path)) {}
    ~Temporary() { (void)remote_.remove({path_}); }
    Temporary(const Temporary&) = delete;

private:
    Remote& remote_;
    std::string path_;
};

}  // namespace

Speed measure(Service& service, const std::string& directory, std::int64_t bytes) {
    const std::int64_t pieces = std::max<std::int64_t>(1, bytes / piece_bytes);
    const std::string path =
        fmt::format("{}{}.kumihimo-doctor-{:08x}", directory, directory.ends_with('/') ? "" : "/", std::random_device{}());
    OpenMode mode;
    mode.read = mode.write = mode.create = mode.exclusive = true;
    mode.permissions = 0600;
    Speed speed{round_trip(*service), 0, 0};
    OpenFile file(service, path, mode);
    const Temporary temporary(*service, path);
    const Payload written = noise();
    speed.write = write(*service, file, written, pieces);
    speed.read = read(file, written, pieces);
    return speed;
}

}  // namespace kumihimo::iod::errands
