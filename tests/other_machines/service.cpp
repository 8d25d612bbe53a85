// The file service alone, for a machine of another kind: `kumihimo-iod --stdio --root DIRECTORY` without Catwalk, and so
// without libraries that this machine has not for that one.
#include "iod/files/service.hpp"

#include <memory>

#include "iod/files/stored_file.hpp"
#include "iod/link/agent.hpp"
#include "iod/process/stdio.hpp"

int main(int, char** words) {
    using namespace kumihimo::iod;
    const auto root = std::make_shared<const process::Root>(words[1]);
    process::Agent agent(Lifetime::of_its_connections, process::file_openers(root, process::store_of(root)));
    agent.serve(standard_streams(), true);
    agent.run();
}
