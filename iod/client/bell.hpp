// The events by which a rank and its agent wake each other.
#pragma once

#include "base/descriptor.hpp"

namespace kumihimo::iod {

base::Descriptor make_bell();  // an eventfd; throws base::Error if there is none
// Wakes who waits for it, and takes what has woken this process.
void ring_bell(const base::Descriptor& event);
void silence_bell(const base::Descriptor& event);

}  // namespace kumihimo::iod
