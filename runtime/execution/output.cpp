#include "runtime/execution/output.hpp"

#include <chrono>
#include <cstdio>
#include <future>
#include <memory>
#include <system_error>
#include <thread>

#include "kumihimo/generated.h"

namespace kumihimo::execution {

namespace {

constexpr auto time_to_flush = std::chrono::seconds(1);  // a lock that is free is had at once, and buffers are small

// Flushes in a thread of its own: what holds that up once does not hold it up again.
class Flush {
public:
    explicit constexpr Flush(void (*flush)()) : flush_(flush) {}
    void operator()() try {
        if (flush_ == nullptr) return;
        const auto done = std::make_shared<std::promise<void>>();
        const std::future<void> end = done->get_future();
        std::thread([done, flush = flush_] {
            flush();
            done->set_value();
        }).detach();
        if (end.wait_for(time_to_flush) != std::future_status::ready) flush_ = nullptr;
    } catch (const std::system_error&) {  // no thread is to be had
    }

private:
    void (*flush_)();
};

constinit Flush flush_language(nullptr), flush_stdout([] { std::fflush(stdout); }), flush_stderr([] { std::fflush(stderr); }),
    flush_streams([] { std::fflush(nullptr); });

}  // namespace

void flush_output() {
    flush_language();
    flush_stdout();
    flush_stderr();
}

void flush_everything() {
    flush_output();
    flush_streams();
}

}  // namespace kumihimo::execution

extern "C" void XMP_Flush_at_end(void (*flush)(void)) {
    kumihimo::execution::flush_language = kumihimo::execution::Flush(flush);
}
