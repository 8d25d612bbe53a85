#include "iod/process/listeners.hpp"

#include <ifaddrs.h>
#include <net/if.h>
#include <sys/socket.h>
#include <unistd.h>

#include <asio/connect.hpp>
#include <memory>

#include "base/format.hpp"
#include "iod/process/tokens.hpp"

namespace kumihimo::iod::process {

namespace {

using asio::ip::tcp;
constexpr std::chrono::seconds patience{5};  // with one address

// Nobody else can have the name, nor guess it.
std::string unique_name() {
    const Token token = random_token();
    std::string name = fmt::format("kumihimo-{}-", ::getpid());
    for (int i = 0; i < 8; ++i) name += fmt::format("{:02x}", static_cast<int>(token[static_cast<std::size_t>(i)]));
    return name;
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

// The addresses of this machine that others may know it by; those of IPv4 first, link-local ones not at all.
std::vector<asio::ip::address> own_addresses() {
    std::vector<asio::ip::address> v4, v6;
    ifaddrs* list = nullptr;
    if (getifaddrs(&list) != 0) return v4;
    for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
        if (entry->ifa_addr == nullptr || (entry->ifa_flags & IFF_LOOPBACK) != 0 || (entry->ifa_flags & IFF_UP) == 0) continue;
        if (entry->ifa_addr->sa_family == AF_INET) {
            const auto* const address = reinterpret_cast<const sockaddr_in*>(entry->ifa_addr);
            v4.push_back(asio::ip::address_v4(ntohl(address->sin_addr.s_addr)));
        } else if (entry->ifa_addr->sa_family == AF_INET6) {
            asio::ip::address_v6::bytes_type bytes;
            const auto* const address = reinterpret_cast<const sockaddr_in6*>(entry->ifa_addr);
            std::copy_n(address->sin6_addr.s6_addr, bytes.size(), bytes.begin());
            if (const asio::ip::address_v6 found(bytes); !found.is_link_local()) v6.push_back(found);
        }
    }
    freeifaddrs(list);
    v4.insert(v4.end(), v6.begin(), v6.end());
    return v4;
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
        if (number_ == addresses_.size()) return connected_({}, why_);
        const std::string& address = addresses_[number_++];
        const auto endpoint = endpoint_of(address);
        why_ = {Code::lost_process, fmt::format("'{}' is no address of an agent", address), ""};
        if (!endpoint) return next();
        timer_.expires_after(patience);
        timer_.async_wait([self = shared_from_this()](const std::error_code& error) {
            std::error_code ignored;
            if (!error) self->socket_.close(ignored);  // ends the attempt
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

Listeners::Listeners(asio::io_context& loop, Accepted accepted)
    : loop_(loop),
      accepted_(std::move(accepted)),
      local_address_(unique_name()),
      local_(loop, asio::local::stream_protocol::endpoint(std::string(1, '\0') + local_address_)) {
    accept(local_);
}

template <typename Acceptor>
void Listeners::accept(Acceptor& acceptor) {
    acceptor.async_accept([this, &acceptor](const std::error_code& error, auto socket) {
        if (error == asio::error::operation_aborted) return;
        if (!error) {
            base::Descriptor descriptor(socket.release());
            constexpr bool local = std::is_same_v<Acceptor, asio::local::stream_protocol::acceptor>;
            if (!local || same_user(descriptor.get())) accepted_(std::move(descriptor));
        }
        accept(acceptor);
    });
}

Listeners::Tcp& Listeners::tcp(bool loopback_only) {
    for (const auto& known : tcp_)
        if (known->loopback == loopback_only) return *known;
    const asio::ip::address where =
        loopback_only ? asio::ip::address(asio::ip::address_v4::loopback()) : asio::ip::address_v6::any();
    tcp_.push_back(std::make_unique<Tcp>(Tcp{tcp::acceptor(loop_), loopback_only}));
    tcp::acceptor& acceptor = tcp_.back()->acceptor;
    std::error_code no_v6;
    acceptor.open(loopback_only ? tcp::v4() : tcp::v6(), no_v6);
    if (no_v6) acceptor.open(tcp::v4());
    if (!loopback_only && !no_v6) acceptor.set_option(asio::ip::v6_only(false));  // both families through one socket
    acceptor.bind(no_v6 ? tcp::endpoint(tcp::v4(), 0) : tcp::endpoint(where, 0));
    acceptor.listen();
    accept(acceptor);
    return *tcp_.back();
}

std::vector<std::string> Listeners::addresses(bool loopback_only) {
    const unsigned short port = tcp(loopback_only).acceptor.local_endpoint().port();
    if (loopback_only) return {text_of(asio::ip::address_v4::loopback(), port)};
    std::vector<std::string> texts;
    for (const auto& address : own_addresses()) texts.push_back(text_of(address, port));
    return texts;
}

void connect_to(asio::io_context& loop, const std::vector<std::string>& addresses,
                std::function<void(base::Descriptor, const Status&)> connected) {
    std::make_shared<Attempt>(loop, addresses, std::move(connected))->next();
}

}  // namespace kumihimo::iod::process
