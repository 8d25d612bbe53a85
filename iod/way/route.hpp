// Where a file is, and which command leads there: the name, hosts.toml and the settings KUMIHIMO_STAMPI_* together.
#pragma once

#include <map>

#include "iod/protocol/messages.hpp"
#include "iod/way/hosts.hpp"
#include "iod/way/name.hpp"

namespace kumihimo::iod::way {

// The machine of a name. What the name says goes before what hosts.toml says.
struct Machine {
    std::string user, address, port, root, program, mpi_program, router;
    std::vector<Gateways> ways;  // at least one

    bool is_this() const;  // no host, localhost, or this machine's name, of the same user and without a port
};
Machine machine_of(const Name& name);  // throws base::Error: hosts.toml

// The path where the machine is this one.
std::string path_here(const Machine& machine, const Name& name);

// Of a job nobody can answer a question, so ssh must not ask; of a command at a terminal it may.
enum class Questions { never, at_the_terminal };

// How the other machine stores files: by calls of its operating system, or as an MPI program by its MPI-IO, or by Catwalk.
struct Storing {
    enum By { posix, mpi, catwalk } by = posix;
    std::map<std::string, std::string> hints = {};  // for its MPI-IO; those that a shell would take apart are left out
    bool shared = false;                            // several I/O processes will have the same files
};
// As `kumihimo-iod` there knows the file: below its root, which MPI-IO has none of.
std::string path_there(const Machine& machine, const Name& name, Storing::By by);

// Without what is run there. `way`: one of the machine's.
std::vector<std::string> ssh_to(const Machine& machine, Questions questions, const Gateways& way);
// ssh with the other side's kumihimo-iod or kumihimo-iod-mpi, or KUMIHIMO_STAMPI_COMMAND: one for each way, of which all lead
// to the same files.
std::vector<Route> routes_to(const Machine& machine, Questions questions = Questions::never, const Storing& storing = {});
Route route_to(const Machine& machine, Questions questions = Questions::never, const Storing& storing = {});  // the first

}  // namespace kumihimo::iod::way
