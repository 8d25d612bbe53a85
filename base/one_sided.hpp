// Open MPI's components for one-sided communication. Debian's parameter file excludes osc/pt2pt, and what is left needs RDMA
// hardware between machines: there no window can be made (MPI_ERR_WIN; open-mpi/ompi issues 9871 and 11466). So it is allowed
// again, before MPI reads its parameters. Components that are better, as osc/rdma with its hardware, still go before it.
#pragma once

#include <istream>
#include <optional>
#include <string>

namespace kumihimo::base {

// Before MPI starts. What the user says of `osc`, in the environment, by mpiexec or in a file of his own, is left as it is.
void allow_one_sided();

// What was done and why, for the log; nothing if all was well.
std::string one_sided_choice();

// Where an error says that no window can be made: what the user can do.
std::string one_sided_advice();

// Of a file of Open MPI's parameters: the last value of one.
std::optional<std::string> parameter_of(std::istream&& file, const std::string& name);

// A list of excluded components without one of them; nothing if it does not exclude it.
std::optional<std::string> without(const std::string& exclusion, const std::string& component);

}  // namespace kumihimo::base
