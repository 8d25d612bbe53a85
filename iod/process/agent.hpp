// The I/O process of a host: serves the files of the ranks that are connected to it, and ends when nobody is any more
// (docs/explanation/wire-protocol.md). For kumihimo-iod's main, and for a rank that runs it as a thread where processes may not
// be started.
//
// As a process: `kumihimo-iod`, with descriptor 3 connected (a Unix socket pair) to whoever starts it. It leaves its starter at
// once (a session and a parent of its own: the started process ends, wait for it), closes all other descriptors and forgets
// processor bindings. The started process ends with 0, or with the errno for which there could be no other.
#pragma once

#include <memory>

#include "iod/files/root.hpp"
#include "iod/files/storage.hpp"
#include "iod/link/connection.hpp"
#include "iod/link/lifetime.hpp"
#include "iod/link/starter.hpp"

namespace kumihimo::iod {

// Serves until all is gone that it lives for. `connection`: the connected Unix socket of who starts it; taken over. Nothing is
// thrown: what fails is told over connections.
void run_agent(int connection, Lifetime lifetime) noexcept;

// The same for another machine: only the file service, of the files under `root`, by calls of the operating system or as
// `store` keeps them. Nothing listens.
void run_file_agent(process::Ends starter, std::shared_ptr<const process::Root> root) noexcept;
void run_file_agent(process::Ends starter, std::shared_ptr<const process::Root> root, process::Store store) noexcept;

// Of this machine's own files, for another thread of this process.
void run_file_agent_here(int connection) noexcept;

// Starts the agent of a host, for the rank that opens a file first there: as a process of its own, or as a thread of the rank
// where no process may be started (or KUMIHIMO_IOD=thread). Throws base::Error with what failed and what to do. `program`: of
// kumihimo-iod; empty: KUMIHIMO_IOD, else beside the library that calls, else in PATH.
StartedAgent start_agent(const std::string& program = {});

}  // namespace kumihimo::iod
