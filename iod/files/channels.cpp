#include "iod/files/channels.hpp"

#include <asio/ip/address.hpp>
#include <cstdlib>
#include <sstream>
#include <system_error>

namespace kumihimo::iod::process {

namespace {

// As sshd says it: address and port of the other side, address and port of this one. Empty: sshd did not start this process.
std::string address_of_asker() {
    const char* const said = std::getenv("SSH_CONNECTION");
    std::istringstream words(said != nullptr ? said : "");
    std::string address;
    words >> address;
    return address;
}

Status refused(const std::string& why) {
    return {Code::not_supported, "no data channel: " + why, ""};
}

}  // namespace

Channel offer_channel(Host& host, const Root& root, const FileChannel& asked) try {
    const std::string asker = address_of_asker();
    if (!root.rights().channels) return {refused("kumihimo-iod was started with --no-channels"), {}, {}};
    if (asker.empty()) return {refused("the other machine was not reached by ssh"), {}, {}};
    const bool same_machine = asio::ip::make_address(asker).is_loopback();
    return {{}, host.addresses({asker}, same_machine), host.token({Role::channel, 0, 0, asked.budget})};
} catch (const std::system_error& error) {
    return {refused(error.what()), {}, {}};
}

}  // namespace kumihimo::iod::process
