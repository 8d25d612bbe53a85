// What the contract tests share: the engine under test (KUMIHIMO_TEST_ENGINE), files in a directory of their own, and plain
// ways to look at a file past every engine.
#pragma once

#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/family.hpp"
#include "base/hosts.hpp"
#include "base/wait.hpp"
#include "mpiio/engine/engine.hpp"
#include "tests/support/long_form.hpp"
#include "tests/support/ranks.hpp"

namespace kumihimo::mpiio {

using Bytes = std::vector<std::byte>;

using support::long_form;
using support::rank;
using support::ranks;

constexpr int fresh = MPI_MODE_CREATE | MPI_MODE_RDWR;

// Ranks that wait give their processors away. Collective at first use.
inline void wait_politely() {
    static const bool once = [] {
        const auto crowd = base::crowd_of(MPI_COMM_WORLD);
        base::set_waiting(crowd.nodes, crowd.processors);
        return true;
    }();
    (void)once;
}
inline const Engine& engine() {
    const char* const name = std::getenv("KUMIHIMO_TEST_ENGINE");
    const Engine* const found = find_engine(name != nullptr ? name : "direct");
    if (found == nullptr) throw std::runtime_error("KUMIHIMO_TEST_ENGINE names no engine");
    return *found;
}
// Tests of how an engine goes about it are its own.
inline bool engine_is(const char* name) {
    return std::string(engine().name) == name;
}
// What the engine under test calls a file of this machine. One that lies in several has its first stripe at `path`, and gets a
// metafile in a directory beside that of `path`.
std::string named(const std::string& path);
std::string parts_beside(const std::string& directory);
// A file as it is, past every engine. put: by one rank.
Bytes contents(const std::string& path);
void put(const std::string& path, const Bytes& bytes);
// The ways in which the engine under test can write.
std::vector<Hints> ways();
std::string name_of(const testing::TestParamInfo<Hints>& info);

inline void barrier() {
    MPI_Barrier(MPI_COMM_WORLD);
}

// The same on all ranks: made by rank 0, removed with all that is in it.
class Directory {
public:
    Directory() {
        char name[] = "kumihimo-engine-XXXXXX";
        if (rank() == 0 && mkdtemp(name) == nullptr) std::abort();
        MPI_Bcast(name, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
        path_ = std::filesystem::absolute(name);
    }
    ~Directory() {
        barrier();
        if (rank() == 0) std::filesystem::remove_all(path_), std::filesystem::remove_all(parts_beside(path_));
    }
    std::string file(const std::string& name) const { return path_ / name; }
    std::size_t entries() const {
        return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
    }

private:
    std::filesystem::path path_;
};

inline Memory row(Bytes& bytes) {
    const auto length = std::max<Index>(1, static_cast<Index>(bytes.size()));
    return {bytes.data(), sets::Extents::contiguous(length), length};
}
inline Memory row(const Bytes& bytes) {
    return row(const_cast<Bytes&>(bytes));
}

// A file that is open on all ranks.
class Opened {
public:
    Opened(const std::string& path, int amode, Hints hints = {}, MPI_Comm comm = MPI_COMM_WORLD) {
        wait_politely();
        MPI_Comm_dup(comm, &comm_);
        file_ = engine().open({comm_, named(path), amode, std::move(hints)}, failure_);
    }
    ~Opened() {
        if (file_) {
            const auto failed = close();
            EXPECT_FALSE(failed) << failed->text;
        }
        MPI_Comm_free(&comm_);
    }
    Opened(const Opened&) = delete;
    Opened& operator=(const Opened&) = delete;

    const std::optional<Failure>& failure() const { return failure_; }
    EngineFile* operator->() const { return file_.get(); }
    bool is_open() const { return file_ != nullptr; }
    std::string why() const { return failure_ ? failure_->text : std::string(); }  // it is not open
    std::optional<Failure> close() {
        auto failed = file_->close();
        file_.reset();
        return failed;
    }
    // As the caller of a collective function does: agreed afterwards, unless the engine has done so.
    Outcome agreed(Outcome outcome) const {
        if (!outcome.agreed) outcome.failure = base::agree(comm_, outcome.failure, "rank");
        return outcome;
    }
    Outcome write(Index offset, const Bytes& bytes) { return file_->write({plain_, offset, size_of(bytes), row(bytes)}); }
    Outcome read(Index offset, Bytes& bytes) { return file_->read({plain_, offset, size_of(bytes), row(bytes)}); }
    Outcome write_all(Index offset, const Bytes& bytes) {
        return agreed(file_->write_all({plain_, offset, size_of(bytes), row(bytes)}));
    }
    Outcome read_all(Index offset, Bytes& bytes) {
        return agreed(file_->read_all({plain_, offset, size_of(bytes), row(bytes)}));
    }

private:
    static Index size_of(const Bytes& bytes) { return static_cast<Index>(bytes.size()); }
    MPI_Comm comm_ = MPI_COMM_NULL;
    View plain_;
    std::optional<Failure> failure_;
    std::unique_ptr<EngineFile> file_;
};

inline void expect_moved(const Outcome& outcome, Index bytes) {
    EXPECT_FALSE(outcome.failure) << outcome.failure->text;
    EXPECT_EQ(outcome.moved, bytes);
}
inline void expect_well(const std::optional<Failure>& failure) {
    EXPECT_FALSE(failure) << failure->text;
}

// A setting for as long as it lives; the same on all ranks.
class Setting {
public:
    Setting(const char* name, const std::string& value) : name_(name) {
        if (const char* const before = std::getenv(name)) before_ = before;
        setenv(name, value.c_str(), 1);
    }
    ~Setting() {
        if (before_)
            setenv(name_, before_->c_str(), 1);
        else
            unsetenv(name_);
    }
    Setting(const Setting&) = delete;
    Setting& operator=(const Setting&) = delete;

private:
    const char* name_;
    std::optional<std::string> before_;
};

// Whether all ranks have the same value.
inline bool same_everywhere(int value) {
    int least = 0, most = 0;
    MPI_Allreduce(&value, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(&value, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return least == most;
}
inline int code_of(const std::optional<Failure>& failure) {
    return failure ? failure->code : MPI_SUCCESS;
}

inline Bytes filled(Index bytes, int with) {
    Bytes result(static_cast<std::size_t>(bytes));
    for (std::size_t i = 0; i < result.size(); ++i)
        result[i] = static_cast<std::byte>(i * 7 + static_cast<unsigned>(with) * 31 + 1);
    return result;
}

}  // namespace kumihimo::mpiio
