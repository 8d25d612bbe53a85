#include "iod/link/connection.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <asio/steady_timer.hpp>
#include <cerrno>
#include <cstring>

#include "base/clock.hpp"

namespace kumihimo::iod::process {

namespace {

constexpr int most_descriptors = 3;  // with one message: join
constexpr int most_reads = 64;       // of one connection before others get their turn
constexpr std::size_t most_pieces = 48;
constexpr std::size_t most_at_once = 1 << 20;      // bytes, before one frame more: no way takes more in one call
constexpr std::size_t least_compressed = 4 << 10;  // bytes of a frame

int family_of(int socket) {
    sockaddr_storage address{};
    socklen_t length = sizeof address;
    return getsockname(socket, reinterpret_cast<sockaddr*>(&address), &length) == 0 ? address.ss_family : AF_UNIX;
}

void take(asio::posix::stream_descriptor& end, base::Descriptor& descriptor) {
    end.assign(descriptor.get());
    descriptor.release();
    end.native_non_blocking(true);
}

}  // namespace

Connection::Connection(asio::io_context& loop, Ends ends, Role its_role, Peer& peer)
    : role(its_role), in_(loop), out_(loop), peer_(peer), pipes_(ends.out) {
    local_ = !pipes_ && family_of(ends.in.get()) == AF_UNIX;
    const int now = 1;
    if (!pipes_ && !local_)  // answers are small, and waited for
        setsockopt(ends.in.get(), IPPROTO_TCP, TCP_NODELAY, &now, sizeof now);
    take(in_, ends.in);
    if (pipes_) take(out_, ends.out);
}

void Connection::begin() {
    wait_to_read();
}

void Connection::resume() {
    if (!paused_) return;
    paused_ = false;
    wait_to_read();
}

// ---- in ----

void Connection::wait_to_read() {
    if (reading_ || !is_open()) return;
    if (!may_read()) return watch_end();
    reading_ = true;
    in_.async_wait(asio::posix::descriptor_base::wait_read, [self = shared_from_this()](const std::error_code& error) {
        self->reading_ = false;
        if (!error) self->read_some();
    });
}

// Whoever asks and goes without the answers is not waited for. (Of others what they sent before they went still counts.)
void Connection::watch_end() {
    if (!only_answers_ || watching_) return;
    pollfd end{in_.native_handle(), 0, 0};
    if (::poll(&end, 1, 0) > 0) return lose({Code::lost_process, name + " closed its connection or died", ""});
    watching_ = true;
    in_.async_wait(asio::posix::descriptor_base::wait_error, [self = shared_from_this()](const std::error_code& error) {
        self->watching_ = false;
        if (!error) self->wait_to_read();
    });
}

void Connection::read_some() {
    const auto self = shared_from_this();  // the peer may drop this connection
    try {
        for (int i = 0; i < most_reads && may_read(); ++i)
            if (!read_once()) break;
        wait_to_read();
    } catch (const std::exception& error) {
        give_up(error);
    }
}

// Where there is no memory to say why, the end of the connection says enough.
void Connection::give_up(const std::exception& error) {
    Status why{Code::out_of_memory, "no memory", "ENOMEM"};
    try {
        why = Status::of_exception(error, name);
        refuse(why);
    } catch (const std::exception&) {
        close();
    }
    peer_.ended(*this, why);
}

std::span<std::byte> Connection::wanted() {
    if (header_got_ < header_bytes) return std::span(header_).subspan(header_got_);
    return std::span(incoming_.payload).subspan(payload_got_);
}

ssize_t Connection::read_into(std::span<std::byte> place) {
    if (pipes_) return ::read(in_.native_handle(), place.data(), place.size());
    iovec piece{place.data(), place.size()};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(most_descriptors * sizeof(int))> control;
    msghdr message{};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    message.msg_control = local_ ? control.data() : nullptr;
    message.msg_controllen = local_ ? control.size() : 0;
    const ssize_t got = recvmsg(in_.native_handle(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (got > 0 && local_) collect_descriptors(message);
    return got;
}

bool Connection::read_once() {
    const ssize_t got = read_into(wanted());
    if (got < 0 && errno == EINTR) return true;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return false;
    if (got < 0) return lose(Status::of_errno(errno, "the connection with " + name + " broke")), false;
    if (got == 0) return lose({Code::lost_process, name + " closed its connection or died", ""}), false;
    carried(static_cast<std::size_t>(got));
    for (const auto& budget : budgets_) budget->check();
    if (header_got_ < header_bytes) {
        header_got_ += static_cast<std::size_t>(got);
        if (header_got_ < header_bytes) return true;
        incoming_.header = decode_header(header_, largest_payload, compressing_ != nullptr);
        incoming_.payload.resize(incoming_.header.length);
        payload_got_ = 0;
    } else {
        payload_got_ += static_cast<std::size_t>(got);
    }
    if (payload_got_ == incoming_.payload.size()) deliver();
    return true;
}

void Connection::collect_descriptors(const msghdr& message) {
    for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr; part = CMSG_NXTHDR(const_cast<msghdr*>(&message), part)) {
        if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
        const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (std::size_t i = 0; i < count; ++i) {
            int number;
            std::memcpy(&number, CMSG_DATA(part) + i * sizeof(int), sizeof number);
            incoming_.descriptors.emplace_back(number);
        }
    }
    if (incoming_.descriptors.size() > most_descriptors) throw ProtocolError("more descriptors than any message has");
}

void Connection::deliver() {
    check_payload(header_, incoming_.payload);
    if (incoming_.header.compressed()) {
        incoming_.payload = compressing_->compressor.expand(incoming_.payload, largest_payload);
        incoming_.header.length = static_cast<std::uint32_t>(incoming_.payload.size());
    }
    header_got_ = 0;
    Arrival arrival = std::move(incoming_);
    incoming_ = {};
    peer_.arrived(*this, std::move(arrival));
}

// ---- out ----

void Connection::send(FrameHeader header, Payload head, Payload body) {
    send(header, std::move(head), std::make_shared<const Payload>(std::move(body)));
}

void Connection::send(FrameHeader header, std::shared_ptr<const Payload> body) {
    send(header, Payload{}, std::move(body));
}

void Connection::send(FrameHeader header, Payload head, std::shared_ptr<const Payload> body) {
    if (!is_open() || finishing_ || deaf_) return;
    if (!local_) header.flags |= flag_checksum;
    Outgoing out{header, std::move(head), std::move(body)};
    queued_bytes_ += out.bytes();
    outgoing_.push_back(std::move(out));
    if (!writing_) write_some();
}

bool Connection::may_become_shorter(const Outgoing& out) const {
    const bool wanted = compressing_ && compressing_->choice.looks() && !out.header;
    return wanted && !out.as_short_as_it_gets && out.head.size() + out.body->size() >= least_compressed;
}

// Only what goes next, by what is known then.
void Connection::shorten_next() {
    for (std::size_t i = 0; i < std::min<std::size_t>(outgoing_.size(), 2); ++i)
        if (may_become_shorter(outgoing_[i])) return shorten(outgoing_[i]);
}

void Connection::shorten(Outgoing& out) {
    const std::size_t whole = out.head.size() + out.body->size();
    out.as_short_as_it_gets = true;
    if (!compressing_->choice.pays()) return;
    const double start = base::seconds_now();
    Payload shorter = compressing_->compressor.compress(out.head, *out.body, compressing_->choice.level());
    compressing_->choice.compressed(whole, shorter.size(), base::seconds_now() - start);
    if (shorter.size() >= whole) return;
    queued_bytes_ -= whole - shorter.size();
    out.says.flags |= flag_compressed;
    out.head = std::move(shorter);
    out.body = std::make_shared<const Payload>();
}

void Connection::answer(const FrameHeader& request, Payload head, Payload body) {
    if (request.request != 0)
        send({request.type, flag_answer, request.session, 0, request.request, 0}, std::move(head), std::move(body));
}

void Connection::refuse(const Status& why) {
    send({Type::refuse, 0, 0, 0, 0, 0}, encode(why));
    finish();
}

ssize_t Connection::write_from(std::span<iovec> pieces) {
    if (pipes_) return ::writev(out_.native_handle(), pieces.data(), static_cast<int>(pieces.size()));
    msghdr message{};
    message.msg_iov = pieces.data();
    message.msg_iovlen = pieces.size();
    return sendmsg(in_.native_handle(), &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

// As many queued frames as one call takes. Frames' pieces that are sent already are left out. Headers are made now, not when
// frames come: what waits may still become shorter, and has another checksum then.
void Connection::write_some() {
    while (!outgoing_.empty()) {
        std::array<iovec, most_pieces> pieces;
        std::size_t count = 0, bytes = 0;
        if (may_become_shorter(outgoing_.front())) shorten(outgoing_.front());
        for (Outgoing& out : outgoing_) {
            if (count + 3 > most_pieces || bytes > most_at_once || (count > 0 && may_become_shorter(out))) break;
            if (!out.header) out.header = encode_header(out.says, out.head, *out.body);
            bytes += out.bytes() - out.sent;
            std::size_t skip = out.sent;
            for (const std::span<const std::byte> part : {std::span<const std::byte>(*out.header), {out.head}, {*out.body}}) {
                const std::size_t left = std::min(skip, part.size());
                skip -= left;
                if (left < part.size()) pieces[count++] = {const_cast<std::byte*>(part.data()) + left, part.size() - left};
            }
        }
        const ssize_t sent = write_from(std::span(pieces).first(count));
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return wait_to_write();
        if (sent < 0) return drop_all();
        drop_sent(static_cast<std::size_t>(sent));
    }
    if (compressing_) compressing_->choice.empty();
    if (finishing_) close();
}

void Connection::drop_sent(std::size_t bytes) {
    queued_bytes_ -= bytes;
    carried(bytes);
    if (compressing_) compressing_->choice.sent(bytes);
    while (bytes > 0) {
        Outgoing& first = outgoing_.front();
        const std::size_t part = std::min(bytes, first.bytes() - first.sent);
        first.sent += part;
        bytes -= part;
        if (first.sent == first.bytes()) outgoing_.pop_front();
    }
}

// Nobody takes it any more. The reader will find that out, too, and tell it once.
void Connection::drop_all() {
    deaf_ = true;
    outgoing_.clear();
    queued_bytes_ = 0;
    if (finishing_) close();
}

void Connection::wait_to_write() {
    writing_ = true;
    if (compressing_) {
        compressing_->choice.full(base::seconds_now());
        shorten_next();
    }
    out().async_wait(asio::posix::descriptor_base::wait_write, [self = shared_from_this()](const std::error_code& error) {
        self->writing_ = false;
        if (error || !self->is_open()) return;
        self->write_some();
        self->wait_to_read();
    });
}

// ---- the end ----

void Connection::finish() {
    finishing_ = true;
    if (outgoing_.empty()) close();
}

void Connection::finish_unless_stuck(std::chrono::milliseconds patience) {
    finish();
    if (!is_open()) return;
    const auto timer = std::make_shared<asio::steady_timer>(in_.get_executor(), patience);
    timer->async_wait([timer, patience, before = queued_bytes_, weak = weak_from_this()](const std::error_code&) {
        const auto left = weak.lock();
        if (!left || !left->is_open()) return;
        if (left->queued_bytes_ == before) return left->close();
        left->finish_unless_stuck(patience);
    });
}

void Connection::close() {
    std::error_code ignored;
    in_.close(ignored);
    out_.close(ignored);
    outgoing_.clear();
    queued_bytes_ = 0;
}

void Connection::lose(const Status& why) {
    close();
    peer_.ended(*this, why);
}

}  // namespace kumihimo::iod::process
