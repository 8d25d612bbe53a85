// What the starts of processes have in common: sockets, descriptors, environment.
#pragma once

#include <spawn.h>

#include <string>
#include <vector>

#include "base/descriptor.hpp"

namespace kumihimo::iod::link {

// Throws base::Error.
[[noreturn]] void cannot(const std::string& what, int error, const std::string& advice = {});

struct Pair {
    base::Descriptor ours, theirs;
};
Pair socket_pair();  // of connected Unix sockets; throws base::Error

// The variables of this process, but for those of the MPI job: a process that serves it is no part of it. Null at the end.
std::vector<char*> environment();

// Of a spawn: which descriptors the process gets.
class Actions {
public:
    Actions() { posix_spawn_file_actions_init(&actions_); }
    Actions(const Actions&) = delete;
    ~Actions() { posix_spawn_file_actions_destroy(&actions_); }
    void open(int descriptor, const char* path, int flags) {
        check(posix_spawn_file_actions_addopen(&actions_, descriptor, path, flags, 0600));
    }
    void duplicate(int from, int to) { check(posix_spawn_file_actions_adddup2(&actions_, from, to)); }
    const posix_spawn_file_actions_t* get() const { return &actions_; }

private:
    static void check(int error) {
        if (error != 0) cannot("cannot prepare the start of the I/O process", error);
    }
    posix_spawn_file_actions_t actions_;
};

}  // namespace kumihimo::iod::link
