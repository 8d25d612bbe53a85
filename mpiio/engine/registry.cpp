// The engines that a file can be served by. The first is the usual one.
#include <algorithm>
#include <array>

#include "mpiio/engine/catwalk/engine.hpp"
#include "mpiio/engine/direct/engine.hpp"
#include "mpiio/engine/engine.hpp"
#include "mpiio/engine/faulty/engine.hpp"
#include "mpiio/engine/spread/engine.hpp"
#include "mpiio/engine/stampi/engine.hpp"

namespace kumihimo::mpiio {

std::span<const Engine> engines() {
    static const std::array all = {direct::engine, catwalk::engine, stampi::engine, spread::engine, faulty::engine};
    return all;
}

const Engine* find_engine(const std::string& name) {
    const auto all = engines();
    const auto found = std::find_if(all.begin(), all.end(), [&](const Engine& engine) { return name == engine.name; });
    return found == all.end() ? nullptr : &*found;
}

}  // namespace kumihimo::mpiio
