// A file of a test whose name all nodes know, removed by the first when all are done with it.
#pragma once

#include <gtest/gtest.h>
#include <mpi.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "base/completion.hpp"

namespace kumihimo::support {

class SharedFile {
public:
    explicit SharedFile(const std::string& stem) {
        char text[256] = {};
        if (first())
            std::snprintf(text, sizeof text, "%skumihimo-%s-%d", testing::TempDir().c_str(), stem.c_str(),
                          static_cast<int>(getpid()));
        base::meet(MPI_COMM_WORLD);
        MPI_Bcast(text, sizeof text, MPI_CHAR, 0, MPI_COMM_WORLD);
        path = text;
    }
    ~SharedFile() {
        base::barrier(MPI_COMM_WORLD);
        if (first()) std::remove(path.c_str());
    }
    SharedFile(const SharedFile&) = delete;
    SharedFile& operator=(const SharedFile&) = delete;
    static bool first() {
        int rank = 0;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        return rank == 0;
    }
    std::string path;
};

}  // namespace kumihimo::support
