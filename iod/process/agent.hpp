// The I/O process of a node: serves the files of the ranks that are connected to it, and ends when nobody is any more
// (docs/explanation/wire-protocol.md). For kumihimo-iod's main, and for a rank that runs it as a thread where processes may not
// be started.
//
// As a process: `kumihimo-iod`, with descriptor 3 connected (a Unix socket pair) to whoever starts it. It leaves its starter at
// once (a session and a parent of its own: the started process ends, wait for it), closes all other descriptors and forgets
// processor bindings. The started process ends with 0, or with the errno for which there could be no other.
#pragma once

namespace kumihimo::iod {

enum class Lifetime {
    of_its_connections,  // ranks keep them for their next files
    of_its_files,        // a thread: it must not hold up the end of its process
};

// Serves until all is gone that it lives for. `connection`: the connected Unix socket of who starts it; taken over. Nothing is
// thrown: what fails is told over connections.
void run_agent(int connection, Lifetime lifetime) noexcept;

}  // namespace kumihimo::iod
