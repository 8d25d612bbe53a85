// What the user says of other machines: ~/.config/kumihimo/hosts.toml (docs/how-to/remote-files.md, "Machines that you use
// often"). Read here and nowhere else; the engine stampi and the commands ask here.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace kumihimo::iod::way {

// Machines between, as [user@]host[:port], the first one first; none: straight there.
using Gateways = std::vector<std::string>;

struct HostEntry {
    std::string address, user, port;  // empty: as the name of the file says, else as ssh finds
    std::string root;                 // where paths of names begin there
    std::string program;              // kumihimo-iod there
    std::string mpi_program;          // what starts kumihimo-iod-mpi there, with its arguments
    std::vector<Gateways> ways;       // that may be used side by side; none: straight there
    std::string router;               // kumihimo-iod on the gateways; empty: ssh's own forwarding goes through them
};

bool is_gateway(const std::string& text);
std::string hosts_file();  // where it is, or would be
// An entry that says nothing where the file or the host is not there. Throws base::Error with place and reason if it cannot be
// read, or says what makes no sense.
HostEntry entry_of(const std::string& host);
std::vector<std::string> known_hosts();  // as they stand in the file
// The same of a file's text; `path`: for messages.
HostEntry entry_in(const std::string& text, const std::string& path, const std::string& host);
std::vector<std::string> hosts_named_in(const std::string& text, const std::string& path);

}  // namespace kumihimo::iod::way
