// What became of a request, in words that every machine understands: no errno numbers and no MPI classes on the wire.
#pragma once

#include <cstdint>
#include <exception>
#include <string>

namespace kumihimo::iod {

enum class Code : std::uint32_t {
    ok = 0,
    io_error = 1,        // the device or file system failed
    no_space = 2,        // the file system is full
    quota = 3,           // the user's part of it is
    too_large = 4,       // for the file system or the process's limit
    no_such_file = 5,    //
    file_exists = 6,     //
    no_permission = 7,   //
    read_only = 8,       // file system
    bad_name = 9,        //
    busy = 10,           // text file busy, file in use
    lost_process = 11,   // a rank or an agent died, or its connection broke
    bad_request = 12,    // protocol: the sender is wrong or of another version
    not_supported = 13,  //
    timed_out = 14,      //
    incomplete = 15,     // the file says that a crash left it incomplete
    out_of_memory = 16,  // shared memory or buffers
};

struct Status {
    Code code = Code::ok;
    std::string text;        // for people: what failed, where, why
    std::string errno_name;  // "ENOSPC"; empty where the operating system said nothing

    bool ok() const { return code == Code::ok; }
    static Status of_errno(int number, const std::string& what);
    static Status of_exception(const std::exception& error, const std::string& what);  // no memory, no thread, bad request
    void keep_first(const Status& other) {                                             // of several failures the first is told
        if (ok()) *this = other;
    }
};

}  // namespace kumihimo::iod
