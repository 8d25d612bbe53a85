// kumihimo-collectives: the algorithms of this build, `operation <tab> name <tab> explanation` in a line, for `kumihimo info`.
#include <cstdio>

#include "collectives/algorithms.hpp"

int main() {
    using namespace kumihimo::collectives;
    for (const Algorithm& algorithm : algorithms())
        std::printf("%s\t%s\t%s\n", name_of(algorithm.operation), algorithm.name, algorithm.explanation);
    return 0;
}
