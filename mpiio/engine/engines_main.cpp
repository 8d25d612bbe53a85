// kumihimo-engines: the engines of this build, one `name <tab> help` in a line, for `kumihimo info`.
#include <cstdio>

#include "mpiio/engine/engine.hpp"

int main() {
    for (const auto& engine : kumihimo::mpiio::engines()) std::printf("%s\t%s\n", engine.name, engine.help);
    return 0;
}
