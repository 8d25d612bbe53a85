// The beginning of the program, which whoever comes first asks for.
#pragma once

namespace kumihimo::caf {

void start(int* argc, char*** argv);  // collective; once begun it does nothing

}  // namespace kumihimo::caf
