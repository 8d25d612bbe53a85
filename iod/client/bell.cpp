#include "iod/client/bell.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "base/error.hpp"

namespace kumihimo::iod {

base::Descriptor make_bell() {
    const int number = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (number < 0) throw base::Error("no event could be made to wake an I/O process: " + base::errno_text(errno));
    return base::Descriptor(number);
}

// A full counter wakes as well, and an empty one has nothing to be taken: results do not matter.
void ring_bell(const base::Descriptor& event) {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(event.get(), &one, sizeof one);
}

void silence_bell(const base::Descriptor& event) {
    std::uint64_t count = 0;
    [[maybe_unused]] const auto taken = ::read(event.get(), &count, sizeof count);
}

}  // namespace kumihimo::iod
