#include "iod/link/interfaces.hpp"

#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

#include <algorithm>
#include <asio/io_context.hpp>
#include <asio/ip/udp.hpp>

namespace kumihimo::iod {

namespace {

constexpr unsigned short any_port = 9;  // nothing is sent there

// To connect a socket of datagrams says which address it would send from.
asio::ip::address address_towards(asio::io_context& context, const asio::ip::address& other) {
    using asio::ip::udp;
    std::error_code failed;
    udp::socket socket(context);
    socket.open(other.is_v6() ? udp::v6() : udp::v4(), failed);
    if (!failed) socket.connect({other, any_port}, failed);
    const udp::endpoint ours = failed ? udp::endpoint() : socket.local_endpoint(failed);
    return ours.address();
}

}  // namespace

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

std::vector<std::string> own_address_texts() {
    std::vector<std::string> texts;
    for (const asio::ip::address& address : own_addresses()) texts.push_back(address.to_string());
    return texts;
}

std::vector<asio::ip::address> addresses_towards(const std::vector<std::string>& others) {
    asio::io_context context(1);
    std::vector<asio::ip::address> found;
    for (const std::string& text : others) {
        std::error_code no_address;
        const asio::ip::address other = asio::ip::make_address(text, no_address);
        const asio::ip::address ours = no_address ? other : address_towards(context, other);
        const bool usable = !no_address && !ours.is_unspecified() && ours != other;
        if (usable && std::ranges::find(found, ours) == found.end()) found.push_back(ours);
    }
    return found;
}

}  // namespace kumihimo::iod
