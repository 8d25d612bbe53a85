// The network interfaces of this machine, as far as agents reach each other by them.
#pragma once

#include <asio/ip/address.hpp>
#include <string>
#include <vector>

namespace kumihimo::iod {

// Addresses of this machine that others may know it by; those of IPv4 first, link-local ones and the loopback's not at all.
std::vector<asio::ip::address> own_addresses();
std::vector<std::string> own_address_texts();

// Those of them by which this machine sends to these, as its routes say; no name is looked up, nothing is sent. None of the
// others is this machine's own.
std::vector<asio::ip::address> addresses_towards(const std::vector<std::string>& others);

}  // namespace kumihimo::iod
