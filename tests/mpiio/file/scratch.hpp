// What the tests of MPI-IO calls share: a file of their own, its bytes read without MPI, error classes.
#pragma once

#include <gtest/gtest.h>
#include <mpi.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/support/ranks.hpp"

using Bytes = std::vector<unsigned char>;

using kumihimo::support::rank;
using kumihimo::support::ranks;

inline int error_class(int code) {
    int found = 0;
    MPI_Error_class(code, &found);
    return found;
}
#define EXPECT_CLASS(wanted, call) EXPECT_EQ(wanted, error_class(call))
#define EXPECT_OK(call) EXPECT_EQ(MPI_SUCCESS, (call))

// Whether the tests run with this engine (KUMIHIMO_IO=**=catwalk) instead of the usual one.
inline bool with_engine(const char* name) {
    const char* const rules = std::getenv("KUMIHIMO_IO");
    return rules != nullptr && std::strstr(rules, name) != nullptr;
}

inline const char* machine() {
    return std::getenv("KUMIHIMO_TEST_MACHINE");
}

// A name that all ranks and nobody else use, with the prefix that has it served, or the machine that the file is on
// (KUMIHIMO_TEST_MACHINE=stampi://elsewhere, which is this one behind a connection); the file is gone before and after.
class Scratch {
public:
    explicit Scratch(const char* purpose) {
        int process = getpid();
        MPI_Bcast(&process, 1, MPI_INT, 0, MPI_COMM_WORLD);
        const char* const directory = std::getenv("TMPDIR");
        path_ = std::string(directory != nullptr ? directory : "/tmp") + "/kumihimo-" + purpose + "-" + std::to_string(process);
        name_ = (machine() != nullptr ? machine() : "kumihimo:") + path_;
        if (rank() == 0) unlink(path_.c_str());
        MPI_Barrier(MPI_COMM_WORLD);
    }
    ~Scratch() {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank() == 0) unlink(path_.c_str());
    }
    const std::string& path() const { return path_; }
    const char* name() const { return name_.c_str(); }
    MPI_File open(int amode, MPI_Info info = MPI_INFO_NULL) const {
        MPI_File file = MPI_FILE_NULL;
        EXPECT_OK(MPI_File_open(MPI_COMM_WORLD, name(), amode, info, &file));
        return file;
    }
    Bytes bytes() const {
        std::ifstream stream(path_, std::ios::binary);
        return Bytes(std::istreambuf_iterator<char>(stream), {});
    }

private:
    std::string path_, name_;
};

inline int count_of(const MPI_Status& status, MPI_Datatype type) {
    int count = 0;
    MPI_Get_count(&status, type, &count);
    return count;
}

constexpr int create_and_write = MPI_MODE_CREATE | MPI_MODE_RDWR;
