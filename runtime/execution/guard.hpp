// The border between exceptions and C: every C entry point runs its body inside guarded().
#pragma once

#include <cstdint>
#include <exception>

#include "base/error.hpp"
#include "kumihimo/generated.h"
#include "runtime/execution/site.hpp"
#include "runtime/execution/watchdog.hpp"
#include "runtime/execution/world.hpp"

namespace kumihimo::execution {

// Prints one message for the whole job (whatever number of nodes fail alike) and ends it.
[[noreturn]] void fail(const XMP_Site* site, const std::exception& error) noexcept;

extern bool checking;                  // part of the program was compiled with --check
void new_stamp(std::uint32_t& stamp);  // one of XMP_stamps: what was noted before is to be noted again
base::Error not_running();             // what every call but those that start it meets outside of that

// Runs a C entry point's body; turns exceptions into one message, which names the site, and the end of the job.
template <typename Body>
auto guarded(const XMP_Site* site, Body&& body) noexcept -> decltype(body()) {
    const Visit visit(site);
    try {
        if (!started && site != nullptr && site->file != nullptr) throw not_running();
        return body();
    } catch (const std::exception& error) {
        fail(site, error);
    }
}

}  // namespace kumihimo::execution
