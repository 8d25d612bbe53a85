// Which calls on which files fail, and how: the part of the fault injector that knows no libc call. A plan is a list of rules
// `path=*.dat,rank=1,call=write,k=3,error=ENOSPC,times=1`, separated by `;` (KUMIHIMO_FAULTS, or kumihimo_faults_arm).
#pragma once

#include <cstddef>

namespace kumihimo::faults {

// Kinds of calls, counted apart: "the third write" is the third of write, pwrite, pwritev, aio_write...
enum class Call { open, read, write, sync, close, truncate, allocate, lock, rename, unlink, size, kinds };

// What the call does instead: fails with `error`, or transfers at most `limit` bytes.
struct Effect {
    int error = 0;
    size_t limit = static_cast<size_t>(-1);
};

// Counts one call on `path` and carries out what the rules say of it: delays, stops and kills happen in here. `function` and
// `bytes` are for the log.
Effect decide(Call call, const char* function, const char* path, size_t bytes);

}  // namespace kumihimo::faults

// For programs that run many faults in one launch; found with dlsym, none where the injector is not loaded.
extern "C" {
// Forgets the rules and counts so far and takes these. Returns 0, or -1 after a message about what is wrong with them.
int kumihimo_faults_arm(const char* specification);
long kumihimo_faults_injected();               // since armed
long kumihimo_faults_count(const char* kind);  // calls on files of the first rule; -1: no such kind
}
