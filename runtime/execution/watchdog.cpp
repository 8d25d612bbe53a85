#include "runtime/execution/watchdog.hpp"

#include <mpi.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/communicator.hpp"
#include "base/completion.hpp"
#include "base/error.hpp"
#include "base/finalize.hpp"
#include "base/format.hpp"
#include "base/node_number.hpp"
#include "runtime/execution/site.hpp"
#include "runtime/execution/termination.hpp"
#include "runtime/execution/world.hpp"
#include "runtime/memory/segment.hpp"

namespace kumihimo::execution {

bool watched = false;

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
constexpr auto tick = 50ms;
constexpr auto time_to_answer = 2s;  // of nodes of other machines, when one is asked
constexpr auto longest_tick = 1s;    // what lasts longer is a stop of this process itself, which is no waiting

// ---- what this node notes of itself ----

struct Whereabouts {
    XMP_Site here = {};  // the call it is in; no directive: in none
    Visiting visiting = Visiting::waits;
    XMP_Site last = {}, last_in_file = {};  // the last call that ended; the last of known file and line
    bool ended = false;
    unsigned long long changes = 0;
};

std::mutex noting;
Whereabouts whereabouts;

template <typename Change>
void note(Change&& change) {
    const std::lock_guard lock(noting);
    ++whereabouts.changes;
    change(whereabouts);
}

Whereabouts whereabouts_now() {
    const std::lock_guard lock(noting);
    return whereabouts;
}

// ---- what it shows to others ----

enum class Doing : int { nothing_known, own_work, waits, works_at_length, ended };

constexpr std::size_t most_text = 240;
struct Report {
    Doing doing = Doing::nothing_known;
    char text[most_text] = {};  // the call it is in, or its last one
};

// Of a function no place is known: the last directive before it says where it may be.
std::string text_of(const XMP_Site& call, const XMP_Site& last_in_file) {
    if (call.directive == nullptr) return "";
    std::string text = place_text(call);
    if (call.file == nullptr && last_in_file.directive != nullptr) text += ", after " + place_text(last_in_file);
    return text;
}

Report report_of(const Whereabouts& now) {
    const bool inside = now.here.directive != nullptr;
    Report report;
    report.doing = now.ended                             ? Doing::ended
                   : !inside                             ? Doing::own_work
                   : now.visiting == Visiting::at_length ? Doing::works_at_length
                                                         : Doing::waits;
    text_of(inside && !now.ended ? now.here : now.last, now.last_in_file).copy(report.text, most_text - 1);
    return report;
}

// A report in memory that the nodes of a machine share. Its owner writes while others read: an odd version is half a report.
class Board {
public:
    void show(const Report& report) {
        const unsigned before = version_.load(std::memory_order_relaxed);
        version_.store(before + 1, std::memory_order_relaxed);
        std::atomic_thread_fence(std::memory_order_release);  // odd before any of the report, on every processor
        report_ = report;
        version_.store(before + 2, std::memory_order_release);
    }
    // A node that was stopped in the middle of show() gives its half.
    Report read() const {
        Report copy;
        for (int attempts = 0; attempts < 1000; ++attempts) {
            const unsigned before = version_.load(std::memory_order_acquire);
            copy = report_;
            std::atomic_thread_fence(std::memory_order_acquire);
            if (before % 2 == 0 && version_.load(std::memory_order_relaxed) == before) break;
        }
        copy.text[most_text - 1] = '\0';
        return copy;
    }

private:
    std::atomic<unsigned> version_;
    Report report_;
};

// ---- the table of all nodes ----

std::string doing_text(const Report& report, bool several) {
    const bool calls = report.text[0] != '\0';
    switch (report.doing) {
        case Doing::waits:
        case Doing::works_at_length:
            return fmt::format("{} at {}", several ? "wait" : "waits", report.text);
        case Doing::own_work:
            return calls ? fmt::format("{} not come; the last directive was {}", several ? "have" : "has", report.text)
                         : fmt::format("{} not come to any directive", several ? "have" : "has");
        case Doing::ended:
            return fmt::format("{} ended; {}", several ? "have" : "has",
                               calls ? fmt::format("the last directive was {}", report.text) : "there was no directive");
        case Doing::nothing_known:
            break;
    }
    return fmt::format("{} no answer from another machine: stopped, or MPI runs without MPI_THREAD_MULTIPLE",
                       several ? "give" : "gives");
}

bool same(const Report& a, const Report& b) {
    return a.doing == b.doing && std::strcmp(a.text, b.text) == 0;
}

// One line for all nodes that do the same.
std::string table(const std::vector<Report>& reports) {
    std::string text;
    std::vector<bool> told(reports.size(), false);
    for (std::size_t first = 0; first < reports.size(); ++first) {
        if (told[first]) continue;
        std::vector<int> nodes;
        for (std::size_t node = first; node < reports.size(); ++node)
            if (same(reports[node], reports[first])) {
                told[node] = true;
                nodes.push_back(static_cast<int>(node));
            }
        text += fmt::format("{}{} {}", text.empty() ? "" : "\n  ", base::nodes_text(nodes),
                            doing_text(reports[first], nodes.size() > 1));
    }
    return text;
}

// ---- the thread ----

class Watchdog {
public:
    explicit Watchdog(long long patience) : patience_(patience) {
        const World& world = World::get();
        communicator_ = base::copy_of(world.communicator);
        segment_ = memory::Segment::allocate(communicator_, sizeof(Board), "watchdog");
        for (int node = 0; node < world.size; ++node) {
            boards_.push_back(reinterpret_cast<Board*>(segment_->direct(node)));
            if (boards_.back() == nullptr) far_.push_back(node);
        }
        me_ = static_cast<std::size_t>(world.rank);
        int level = MPI_THREAD_SINGLE;
        MPI_Query_thread(&level);
        may_send_ = level == MPI_THREAD_MULTIPLE;
        show();
        thread_ = std::thread([this] { run(); });
    }
    ~Watchdog() {
        end_thread();
        segment_.reset();
        MPI_Comm_free(&communicator_);
    }
    void end_thread() {
        if (!thread_.joinable()) return;
        {
            const std::lock_guard lock(stopping_);
            stop_ = true;
        }
        stopped_.notify_all();
        thread_.join();
    }

private:
    enum Tag { question = 1, answer = 2 };

    void run() {
        sigset_t all;  // signals are the program's
        sigfillset(&all);
        pthread_sigmask(SIG_BLOCK, &all, nullptr);
        Clock::time_point before = Clock::now();
        std::unique_lock lock(stopping_);
        while (!stopped_.wait_for(lock, tick, [this] { return stop_; })) {
            const Clock::time_point now = Clock::now();
            unchanged_for_ += std::min<Clock::duration>(now - before, longest_tick);
            before = now;
            show();
            answer_questions();
            if (waits_too_long()) report();
        }
    }

    void show() {
        const Whereabouts now = whereabouts_now();
        if (now.changes == shown_ && unchanged_for_ > 0s) return;
        shown_ = now.changes;
        unchanged_for_ = 0s;
        boards_[me_]->show(report_of(now));
    }

    bool waits_too_long() const { return unchanged_for_ > patience_ && boards_[me_]->read().doing > Doing::own_work; }

    // All nodes work at what they are in, or this wait has ended meanwhile.
    void report() {
        const std::vector<Report> reports = gather();
        const bool together =
            std::all_of(reports.begin(), reports.end(), [&](const Report& one) { return same(one, reports[me_]); });
        const bool works = together && reports[me_].doing == Doing::works_at_length;
        if (works || whereabouts_now().changes != shown_) return;
        const base::Error error(
            fmt::format("waited for other nodes for {} s (KUMIHIMO_TIMEOUT); the job ends", patience_.count()), table(reports));
        end_job(base::error_message(error, "", -1, 0), 1);
    }

    std::vector<Report> gather() {
        std::vector<Report> reports(boards_.size());
        for (std::size_t node = 0; node < boards_.size(); ++node)
            if (boards_[node] != nullptr) reports[node] = boards_[node]->read();
        if (may_send_) ask_other_machines(reports);
        return reports;
    }

    // Nodes of other machines, which answer even if they wait: their threads do. Others may ask at the same time.
    void ask_other_machines(std::vector<Report>& reports) {
        for (const int node : far_) send(node, question);
        const Clock::time_point start = Clock::now();
        for (std::size_t missing = far_.size(); missing > 0 && Clock::now() - start < time_to_answer;) {
            answer_questions();
            while (const auto from = arrived(answer)) {
                Report& report = reports[static_cast<std::size_t>(*from)];
                missing -= report.doing == Doing::nothing_known;
                MPI_Recv(&report, sizeof report, MPI_BYTE, *from, answer, communicator_, MPI_STATUS_IGNORE);
            }
            std::this_thread::sleep_for(1ms);
        }
    }

    void answer_questions() {
        if (!may_send_ || far_.empty()) return;
        while (const auto from = arrived(question)) {
            MPI_Recv(nullptr, 0, MPI_BYTE, *from, question, communicator_, MPI_STATUS_IGNORE);
            answer_ = boards_[me_]->read();
            send(*from, answer);
        }
    }

    std::optional<int> arrived(Tag tag) const {
        int found = 0;
        MPI_Status status;
        MPI_Iprobe(MPI_ANY_SOURCE, tag, communicator_, &found, &status);
        return found ? std::optional(status.MPI_SOURCE) : std::nullopt;
    }

    // Waits for nobody: what this node says is the same until its wait ends.
    void send(int node, Tag tag) {
        MPI_Request request;
        MPI_Isend(&answer_, tag == answer ? sizeof answer_ : 0, MPI_BYTE, node, tag, communicator_, &request);
        MPI_Request_free(&request);
    }

    std::chrono::seconds patience_;
    MPI_Comm communicator_ = MPI_COMM_NULL;
    std::unique_ptr<memory::Segment> segment_;
    std::vector<Board*> boards_;  // null: of another machine
    std::vector<int> far_;        // those nodes
    std::size_t me_ = 0;
    bool may_send_ = false;
    unsigned long long shown_ = 0;
    Clock::duration unchanged_for_ = 0s;
    Report answer_;
    std::mutex stopping_;
    std::condition_variable stopped_;
    bool stop_ = false;
    std::thread thread_;
};

Watchdog* watchdog = nullptr;  // no static object: the process may end, and run destructors, from inside its thread

}  // namespace

void start_watchdog() {
    if (base::patience_seconds() == 0) return;
    whereabouts = {};
    watched = true;
    base::at_finalize([] {  // a program that ends MPI itself may do so before this runtime has ended
        if (watchdog != nullptr) watchdog->end_thread();
    });
    watchdog = new Watchdog(base::patience_seconds());
}

void stop_watchdog() {
    watched = false;
    delete watchdog;
    watchdog = nullptr;
}

void note_end() {
    if (watched) note([](Whereabouts& now) { now.ended = true; });
}

void Visit::enter(const XMP_Site& site, Visiting visiting) {
    note([&](Whereabouts& now) {
        around_ = now.here;
        visiting_around_ = now.visiting;
        now.here = site;
        now.visiting = visiting;
        entered_ = now.changes;
    });
}

void Visit::leave() {
    note([&](Whereabouts& now) {
        if (now.changes == entered_ + 1) now.last = now.here;  // else a call inside this one was the last
        if (now.here.file != nullptr) now.last_in_file = now.here;
        now.here = around_;
        now.visiting = visiting_around_;
    });
}

}  // namespace kumihimo::execution
