// What one launch tells: lines of JSON, written by rank 0, the last of which says that the launch is complete.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "bench/measure/measurement.hpp"

namespace kumihimo::bench {

class Output {
public:
    // Throws base::Error where the file cannot be written. On other ranks than 0 nothing is written.
    Output(const std::string& path, int rank);

    void launch(const Place& place);
    void cell(const Operation& operation, std::int64_t bytes, const Measurement& measurement);
    void skipped(const Operation& operation, std::int64_t bytes, const std::string& reason);
    void end();  // throws base::Error if anything could not be written

private:
    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    void line(const std::string& text);

    std::string path_;
    std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace kumihimo::bench
