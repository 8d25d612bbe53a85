#include "mpiio/engine/stampi/reading.hpp"

#include <algorithm>
#include <deque>

#include "copying/streams.hpp"
#include "mpiio/engine/stampi/layouts.hpp"

namespace kumihimo::mpiio::stampi {

namespace {

// Answers are taken in order. Bytes behind the first that is not there do not count, but all answers are taken.
class Window {
public:
    Window(iod::Remote& remote, const Access& access) : remote_(remote), access_(access) {}
    bool ask(const Part& part) {
        while (!under_way_.empty() && bytes_under_way_ + part.bytes > static_cast<Index>(remote_.window())) take_oldest();
        if (ended_ || !moved_.status.ok()) return false;
        iod::Remote::Reading reading;
        moved_.status = remote_.begin_read(part.layout, reading);
        if (!moved_.status.ok()) return false;
        under_way_.push_back({reading, part.begin, part.bytes});
        bytes_under_way_ += part.bytes;
        return true;
    }
    Moved finish() {
        while (!under_way_.empty()) take_oldest();
        return std::move(moved_);
    }

private:
    struct Asked {
        iod::Remote::Reading reading;
        Index begin, bytes;
    };
    void take_oldest() {
        const Asked asked = under_way_.front();
        under_way_.pop_front();
        bytes_under_way_ -= asked.bytes;
        std::span<const std::byte> bytes;
        moved_.status.keep_first(remote_.end_read(asked.reading, answer_, bytes));
        if (!moved_.status.ok() || ended_) return;
        put(access_, asked.begin, bytes);
        moved_.bytes += static_cast<Index>(bytes.size());
        ended_ = static_cast<Index>(bytes.size()) < asked.bytes;
    }

    iod::Remote& remote_;
    const Access& access_;
    Index bytes_under_way_ = 0;
    std::deque<Asked> under_way_;
    iod::Payload answer_;
    bool ended_ = false;
    Moved moved_;
};

}  // namespace

void put(const Access& access, Index begin, std::span<const std::byte> bytes) {
    if (access.memory.contiguous())
        std::copy(bytes.begin(), bytes.end(), access.memory.data() + begin);  // ranges::copy is a loop over bytes in gcc 12
    else if (!bytes.empty())
        scatter(bytes.data(), access.memory, begin, begin + static_cast<Index>(bytes.size()));
}

Moved read(iod::Remote& remote, const Access& access) {
    Window requests(remote, access);
    for_each_part(access, [&](const Part& part) { return requests.ask(part); });
    return requests.finish();
}

}  // namespace kumihimo::mpiio::stampi
