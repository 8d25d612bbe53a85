// What this copy of the library may do in this process.
#pragma once

namespace kumihimo::mpiio {

// Whether it serves files: not if another copy comes behind it in the link order (preloaded, before one that is linked or
// before libkumihimo), nor in a program of another MPI family. So a process has one engine, whoever started it. Found out once.
bool serving();

// Whether the program's MPI is the one that the library was built for. If not, says so once: handles of one MPI are no handles
// of the other, so no call can be passed on.
bool right_family();

// Lets this process's waits give their processor away where the launcher started more ranks on this machine than it has
// processors. Called before the first file is opened; what it needs to know costs no message.
void prepare_waiting();

}  // namespace kumihimo::mpiio
