#include "iod/catwalk/rank_port.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "base/error.hpp"

namespace kumihimo::iod::process {

namespace {

base::Mapping map(const Arrival& join) {
    if (join.descriptors.size() != 3) throw ProtocolError("a rank that joins without its three descriptors");
    struct stat status;
    if (fstat(join.descriptors[0].get(), &status) != 0 || status.st_size <= 0) throw ProtocolError("a ring without memory");
    return base::Mapping::shared(join.descriptors[0].get(), static_cast<std::size_t>(status.st_size));
}

// As many bytes as the ring has: memory comes in whole pages.
std::span<std::byte> ring_in(const base::Mapping& memory) {
    std::size_t capacity = RingProducer::smallest_capacity;
    while (RingProducer::memory_bytes(2 * capacity) <= memory.bytes()) capacity *= 2;
    return {memory.data(), std::min(memory.bytes(), RingProducer::memory_bytes(capacity))};
}

void not_blocking(int descriptor) {
    fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK);
}

}  // namespace

RankPort::RankPort(asio::io_context& loop, std::uint32_t rank, std::shared_ptr<Connection> connection, Arrival&& join)
    : rank_(rank),
      connection_(std::move(connection)),
      memory_(map(join)),
      consumer_(ring_in(memory_)),
      rank_event_(std::move(join.descriptors[2])),
      agent_event_(std::make_shared<asio::posix::stream_descriptor>(loop)) {
    not_blocking(join.descriptors[1].get());
    not_blocking(rank_event_.get());
    agent_event_->assign(join.descriptors[1].get());
    join.descriptors[1].release();
    watch();
}

// The event only ends the loop's waiting: work() looks into the ring.
void RankPort::watch() {
    agent_event_->async_wait(asio::posix::stream_descriptor::wait_read,
                             [this, event = std::weak_ptr(agent_event_)](const std::error_code& error) {
                                 if (error || event.expired()) return;
                                 std::uint64_t count;
                                 if (::read(agent_event_->native_handle(), &count, sizeof count) == 0)
                                     return;  // no event, and always ready
                                 watch();
                             });
}

void RankPort::ring_rank() {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(rank_event_.get(), &one, sizeof one);
}

// While there is no room here the rank need not wake anybody.
bool RankPort::sleep(bool asked_for) {
    if (stuck_) return true;
    consumer_.sleep(true);
    return asked_for ? consumer_.empty() : !consumer_.worth_while();
}

void RankPort::wake() {
    consumer_.sleep(false);
}

void RankPort::close() {
    consumer_.close();
    ring_rank();
}

}  // namespace kumihimo::iod::process
