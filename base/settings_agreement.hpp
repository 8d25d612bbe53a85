// Launchers may hand variables to some ranks only. What concerns all ranks of a job is therefore agreed on before anything
// depends on it: rank 0's values count for all ranks of a communicator, and it says so if others had different ones.
//
// Nothing here is ended by KUMIHIMO_TIMEOUT, about which the ranks may not agree yet.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/agreement.hpp"
#include "base/settings_check.hpp"

namespace kumihimo::base {

// Equal where all settings of a library that concern the job are; positive, so that its negation exists.
std::int64_t fingerprint(Library library);

// Collective, where fingerprints differ: all ranks take rank 0's settings. `then`: what that means, for the warning.
// Without `takes`, the difference is told only.
void settle_differences(MPI_Comm comm, Library library, const std::string& then, bool takes = true);

// What is wrong with the settings that count: each rank's own, and on rank 0 those of the job.
std::string complaints(MPI_Comm comm, Library library, std::span<const TextCheck> texts);

// Collective, at a library's start: all of the above. The same failure on all ranks if any has a complaint.
std::optional<Failure> agree_on_settings(MPI_Comm comm, Library library, std::span<const TextCheck> texts, const char* noun);

// As lowest(), with a wait that nothing ends.
void lowest_in_any_time(MPI_Comm comm, const void* mine, void* result, int count, MPI_Datatype type);

}  // namespace kumihimo::base
