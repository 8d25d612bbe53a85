#include "bench/measure/output.hpp"

#include <cerrno>

#include "base/error.hpp"
#include "base/family.hpp"
#include "base/format.hpp"

namespace kumihimo::bench {

namespace {

const char* start_name(Start start) {
    return start == Start::window ? "window" : start == Start::barrier ? "barrier" : "loop";
}

std::string times(const std::vector<double>& values) {
    std::string text = "[";
    for (double value : values) fmt::format_to(std::back_inserter(text), "{}{:.3f}", text.size() > 1 ? "," : "", value);
    return text + "]";
}

}  // namespace

Output::Output(const std::string& path, int rank) : path_(path) {
    if (rank != 0) return;
    file_.reset(std::fopen(path.c_str(), "w"));
    if (!file_) throw base::Error(path + " cannot be written: " + base::errno_text(errno));
}

void Output::line(const std::string& text) {
    if (file_) std::fputs((text + "\n").c_str(), file_.get());
}

void Output::launch(const Place& place) {
    line(fmt::format(R"({{"kind":"launch","family":{},"library":{},"ranks":{},"machines":{},"crowded":{},"shape":[{}]}})",
                     base::json_string(base::family_name()), base::json_string(base::family_library()), place.size(),
                     place.machines(), place.crowded(), fmt::join(place.shape(), ",")));
}

void Output::cell(const Operation& operation, std::int64_t bytes, const Measurement& found) {
    std::string text = fmt::format(
        R"({{"kind":"cell","operation":"{}","bytes":{},"start":"{}","late":{},"wrong":{},"fastest_us":{},"mean_us":{},"slowest_us":{})",
        operation.name, bytes, start_name(found.alone.start), found.alone.late, found.wrong, times(found.alone.fastest_us),
        times(found.alone.mean_us), times(found.alone.slowest_us));
    if (operation.overlaps)
        text += fmt::format(R"(,"computation_us":{},"together_us":{})", times(found.computation.slowest_us),
                            times(found.together.slowest_us));
    line(text + "}");
    if (file_) std::fflush(file_.get());  // what was measured is there, whatever happens to the rest
}

void Output::skipped(const Operation& operation, std::int64_t bytes, const std::string& reason) {
    line(fmt::format(R"({{"kind":"skipped","operation":"{}","bytes":{},"reason":{}}})", operation.name, bytes,
                     base::json_string(reason)));
}

void Output::end() {
    line(R"({"kind":"end"})");
    if (file_ && (std::fflush(file_.get()) != 0 || std::ferror(file_.get())))
        throw base::Error(path_ + " cannot be written: " + base::errno_text(errno));
}

}  // namespace kumihimo::bench
