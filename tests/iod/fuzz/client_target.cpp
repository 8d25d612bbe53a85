// A rank's side of a file on another machine that answers anything.
#include "tests/iod/client/foe.hpp"
#include "tests/iod/fuzz/frames.hpp"
#include "tests/iod/fuzz/target.hpp"

namespace kumihimo::iod::test {
namespace {

void run_client(std::span<const std::byte> input) {
    converse(wire_of(input));
}

std::vector<Payload> valid_client() {
    return {input_of(honest_answers())};
}

}  // namespace

const Target client_target{"client", run_client, valid_client};

}  // namespace kumihimo::iod::test
