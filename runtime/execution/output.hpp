// The end of a process, whatever it is in the middle of: an I/O statement that failed holds the lock of its unit, a thread that
// waits for input holds that of its stream, a signal handler may have interrupted anything.
#pragma once

namespace kumihimo::execution {

// What the program has written to its outputs, and to all of Fortran's units, leaves its buffers; a lock that nobody gives back
// is waited for a moment only.
void flush_output();
// The same of all that stdio has open. Only where the process is about to be ended: who waits for a stream's lock here keeps
// others from opening and closing any.
void flush_everything();

}  // namespace kumihimo::execution
