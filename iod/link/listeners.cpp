#include "iod/link/listeners.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <asio/connect.hpp>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

#include "base/format.hpp"
#include "iod/link/interfaces.hpp"
#include "iod/link/random_bytes.hpp"
#include "iod/protocol/digits.hpp"
#include "iod/protocol/limits.hpp"

namespace kumihimo::iod::process {

namespace {

using asio::ip::tcp;
constexpr std::chrono::seconds patience{5};      // with one address
constexpr std::chrono::milliseconds pause{100};  // until there may be descriptors again

// Nobody else can have the name, nor guess it.
std::string unique_name() {
    const Token token = random_token();
    return fmt::format("kumihimo-{}-{}", ::getpid(), digits_of(std::span(token).first(8)));
}

// Only this user's processes: ranks of a job.
bool same_user(int socket) {
    ucred peer{};
    socklen_t length = sizeof peer;
    return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 && (peer.uid == geteuid() || peer.uid == 0);
}

std::string text_of(const asio::ip::address& address, unsigned short port) {
    return address.is_v6() ? fmt::format("[{}]:{}", address.to_string(), port)
                           : fmt::format("{}:{}", address.to_string(), port);
}

// Descriptors or memory are missing, which may pass.
bool is_shortage(const std::error_code& error) {
    const int number = error.value();
    return number == EMFILE || number == ENFILE || number == ENOBUFS || number == ENOMEM;
}

// "host:port", the host in brackets if it has colons.
std::optional<tcp::endpoint> endpoint_of(const std::string& text) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string::npos) return std::nullopt;
    std::string host = text.substr(0, colon);
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    std::error_code bad;
    const asio::ip::address address = asio::ip::make_address(host, bad);
    const int port = std::atoi(text.c_str() + colon + 1);
    if (bad || port <= 0 || port > 65535) return std::nullopt;
    return tcp::endpoint(address, static_cast<unsigned short>(port));
}

// One attempt after the other; keeps itself alive until it has told the result.
class Attempt : public std::enable_shared_from_this<Attempt> {
public:
    Attempt(asio::io_context& loop, std::vector<std::string> addresses,
            std::function<void(base::Descriptor, const Status&)> connected)
        : socket_(loop), timer_(loop), addresses_(std::move(addresses)), connected_(std::move(connected)) {}

    void next() {
        std::optional<tcp::endpoint> endpoint;
        for (; !endpoint && number_ < addresses_.size(); ++number_) {
            endpoint = endpoint_of(addresses_[number_]);
            if (!endpoint) why_ = {Code::lost_process, fmt::format("'{}' is no address of an agent", addresses_[number_]), ""};
        }
        if (!endpoint) return connected_({}, why_);
        const std::string& address = addresses_[number_ - 1];
        timer_.expires_after(patience);
        timer_.async_wait([self = shared_from_this(), attempt = number_](const std::error_code& error) {
            std::error_code ignored;
            if (!error && attempt == self->number_) self->socket_.close(ignored);  // ends the attempt
        });
        socket_.async_connect(
            *endpoint, [self = shared_from_this(), address](const std::error_code& error) { self->ended(address, error); });
    }

private:
    void ended(const std::string& address, const std::error_code& error) {
        timer_.cancel();
        if (!error) return connected_(base::Descriptor(socket_.release()), {});
        std::error_code ignored;
        socket_.close(ignored);
        why_ = {Code::lost_process, fmt::format("cannot connect to the agent at {}: {}", address, error.message()), ""};
        next();
    }
    tcp::socket socket_;
    asio::steady_timer timer_;
    std::vector<std::string> addresses_;
    std::function<void(base::Descriptor, const Status&)> connected_;
    std::size_t number_ = 0;
    Status why_{Code::lost_process, "an agent without an address", ""};
};

}  // namespace

Listeners::Listeners(asio::io_context& loop, Accepted accepted, std::function<bool()> make_room)
    : loop_(loop),
      accepted_(std::move(accepted)),
      make_room_(std::move(make_room)),
      local_address_(unique_name()),
      local_(loop, asio::local::stream_protocol::endpoint(std::string(1, '\0') + local_address_)) {
    accept(local_);
}

template <typename Acceptor>
void Listeners::accept(Acceptor& acceptor) {
    acceptor.async_accept([this, &acceptor](const std::error_code& error, auto socket) {
        if (error == asio::error::operation_aborted) return;
        if (is_shortage(error) && !make_room_()) return accept_later(acceptor);
        if (!error) accepted(base::Descriptor(socket.release()), std::is_same_v<Acceptor, decltype(local_)>);
        accept(acceptor);
    });
}

// Who waits is not gone: to try again at once would be all that this process does.
template <typename Acceptor>
void Listeners::accept_later(Acceptor& acceptor) {
    const auto timer = std::make_shared<asio::steady_timer>(loop_, pause);
    timer->async_wait([this, &acceptor, timer](const std::error_code& error) {
        if (!error) accept(acceptor);
    });
}

// One that cannot be served is no reason to take no other.
void Listeners::accepted(base::Descriptor socket, bool local) try {
    if (!local || same_user(socket.get())) accepted_(std::move(socket));
} catch (const std::exception& error) {
    std::fprintf(stderr, "kumihimo-iod: %s\n", error.what());
}

tcp::endpoint Listeners::listen_at(const asio::ip::address& address) {
    for (const auto& known : tcp_)
        if (known->local_endpoint().address() == address) return known->local_endpoint();
    tcp_.push_back(std::make_unique<tcp::acceptor>(loop_, tcp::endpoint(address, 0), false));
    accept(*tcp_.back());
    return tcp_.back()->local_endpoint();
}

// An address that cannot be had (it is being tried, or taken away) is left out, unless it is the only one.
std::vector<std::string> Listeners::addresses(const std::vector<std::string>& neighbours, bool loopback_only) {
    std::vector<asio::ip::address> wanted;
    if (!loopback_only) wanted = addresses_towards(neighbours);
    if (!loopback_only && wanted.empty()) wanted = own_addresses();
    if (wanted.empty()) wanted = {asio::ip::address_v4::loopback()};
    if (wanted.size() > limit::addresses) wanted.resize(limit::addresses);
    std::vector<std::string> texts;
    for (const asio::ip::address& address : wanted) try {
            texts.push_back(text_of(address, listen_at(address).port()));
        } catch (const std::system_error&) {
            if (texts.empty() && address == wanted.back()) throw;
        }
    return texts;
}

void connect_to(asio::io_context& loop, const std::vector<std::string>& addresses,
                std::function<void(base::Descriptor, const Status&)> connected) {
    std::make_shared<Attempt>(loop, addresses, std::move(connected))->next();
}

}  // namespace kumihimo::iod::process
