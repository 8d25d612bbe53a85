#include "runtime/localview/failures.hpp"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "base/format.hpp"
#include "base/progress.hpp"
#include "runtime/execution/termination.hpp"
#include "runtime/localview/job_transport.hpp"
#include "runtime/localview/wires.hpp"

namespace kumihimo::localview {

namespace {

using execution::Context;
using Clock = std::chrono::steady_clock;

constexpr auto time_between_looks = std::chrono::milliseconds(5);

// A descriptor of each process of this machine, which can be read from once the process has ended (a number alone may soon be
// another process's).
struct Watch {
    bool on = false;
    Clock::time_point last_look;
    std::vector<pollfd> processes;
    std::vector<int> nodes;     // theirs
    std::vector<bool> opened;   // by number in the entire set
    std::vector<int> cut;       // images of other machines whose connection has ended
    std::vector<Death> deaths;  // that the transport and the others know of, oldest first
    int passed_on = 0;          // absences that the other images were told of
    int told = 0;               // failures that the program was told of
    std::unique_ptr<base::Poller> in_all_waits;
    static Watch& get() {
        static auto& watch = *new Watch;
        return watch;
    }
};

int image_count() {
    return Context::get().world_size();
}

// A process that ended as it should has told so.
void open_descriptors(Watch& watch) {
    watch.opened.resize(static_cast<std::size_t>(image_count()));
    for (int node = 0; node < image_count(); ++node) {
        const int process = node == this_image() || watch.opened[static_cast<std::size_t>(node)] ? 0 : process_of(node);
        if (process == 0) continue;
        watch.opened[static_cast<std::size_t>(node)] = true;
        const auto descriptor = static_cast<int>(syscall(SYS_pidfd_open, process, 0));
        if (descriptor >= 0) {
            watch.processes.push_back({descriptor, POLLIN, 0});
            watch.nodes.push_back(node);
        } else if (errno == ESRCH) {
            note_failure(node, Failure::died);
        }
    }
}

void look_at_processes(Watch& watch) {
    if (poll(watch.processes.data(), watch.processes.size(), 0) <= 0) return;
    for (std::size_t i = watch.processes.size(); i-- > 0;) {
        if (watch.processes[i].revents == 0) continue;
        note_failure(watch.nodes[i], Failure::died);
        close(watch.processes[i].fd);
        watch.processes.erase(watch.processes.begin() + static_cast<std::ptrdiff_t>(i));
        watch.nodes.erase(watch.nodes.begin() + static_cast<std::ptrdiff_t>(i));
    }
}

// What an image has sent before its end may still arrive: that is given the time until the next look.
void look_at_wires(Watch& watch) {
    for (const int node : std::exchange(watch.cut, take_cut_wires())) note_failure(node, Failure::died);
}

std::vector<std::int64_t> completed_with_all() {
    std::vector<std::int64_t> counts;
    for (int node = 0; node < image_count(); ++node) counts.push_back(completed_with(node));
    return counts;
}

// With each death, all that is known of earlier ones is told again, and before it: what one that has died now said of them may
// have reached this image only.
void tell_of_deaths(const Watch& watch) {
    for (int node = 0; node < image_count() && has_far_images(); ++node)
        if (node != this_image() && failure_of(node) != Failure::died)
            for (const Death& death : watch.deaths)
                tell_completed(node, death.image, death.completed[static_cast<std::size_t>(node)]);
}

void give_up(Watch& watch) {
    const std::size_t before = watch.deaths.size();
    for (int died = 0; died < image_count(); ++died) {
        if (failure_of(died) != Failure::died || death_of(died) != nullptr) continue;
        if (transport() != nullptr) transport()->give_up(died);
        watch.deaths.push_back({died, completed_with_all()});
    }
    if (watch.deaths.size() != before) tell_of_deaths(watch);
}

void pass_on(int node) {
    for (int about = 0; about < image_count(); ++about) {
        if (failure_of(about) != Failure::none) tell(node, Counter::failed, about, told(Counter::failed, about));
        if (has_ended(about)) tell_end_of(about, node);
    }
}

// ---- calls of MPI that cannot be left ----

// Looks in place of the image while that is inside MPI. Each call has a number, odd while it lasts.
class Sentinel {
public:
    static Sentinel& get() {
        static auto& sentinel = *new Sentinel;  // its thread lives as long as the process
        return sentinel;
    }
    void begin(const char* what, std::vector<int> others) {
        {
            const std::lock_guard lock(use_);
            others_ = std::move(others);
        }
        what_ = what;
        ++call_;
        if (!running_.exchange(true)) std::thread([this] { run(); }).detach();
    }
    void end() { ++call_; }

private:
    void run() {
        sigset_t all;  // signals are the program's
        sigfillset(&all);
        pthread_sigmask(SIG_BLOCK, &all, nullptr);
        for (unsigned long long before = 0;; std::this_thread::sleep_for(time_between)) {
            const unsigned long long now = call_;
            const bool stays = now % 2 == 1 && now == before;
            before = now;
            if (stays && somebody_died() && now == call_) end_the_job();
        }
    }
    // By process numbers, since the descriptors are the image's; one that has ended remains for a while as its parent's zombie.
    // The image may be looking as well, in a wait of its own, and so have noted it first.
    bool somebody_died() {
        const std::lock_guard lock(use_);
        const std::vector<int> cut = cut_wires();
        return std::any_of(others_.begin(), others_.end(), [&](int node) {
            if (node == this_image()) return false;
            if (failure_of(node) == Failure::died || std::find(cut.begin(), cut.end(), node) != cut.end()) return true;
            const int process = process_of(node);
            return process != 0 && ended(process);
        });
    }
    static bool ended(int process) {
        const auto descriptor = static_cast<int>(syscall(SYS_pidfd_open, process, 0));
        if (descriptor < 0) return errno == ESRCH;
        pollfd one = {descriptor, POLLIN, 0};
        const bool readable = poll(&one, 1, 0) > 0;
        close(descriptor);
        return readable;
    }
    [[noreturn]] void end_the_job() const {
        const base::Error error(fmt::format("an image has failed during {}, which cannot go on without it", what_.load()));
        execution::end_job(base::error_message(error, "", this_image(), image_count()), 1);
    }
    static constexpr auto time_between = std::chrono::milliseconds(300);
    std::mutex use_;
    std::vector<int> others_;
    std::atomic<bool> running_ = false;
    std::atomic<const char*> what_ = nullptr;
    std::atomic<unsigned long long> call_ = 0;
};

// This may be inside of any wait: messages of the mailbox bring what the waits of this room need, but failures end others, too.
void look_now_and_then(void*) {
    constexpr unsigned polls_between_looks = 64;
    static unsigned polls = 0;
    if (++polls % polls_between_looks == 0) look();
}

// Open MPI writes to connections whose other end has died, and does not ask to be spared the signal.
void outlive_writes() {
    struct sigaction now = {};
    if (sigaction(SIGPIPE, nullptr, &now) == 0 && now.sa_handler == SIG_DFL) signal(SIGPIPE, SIG_IGN);
}

}  // namespace

Missing::Missing(Absence reason)
    : base::Error(
          reason == Absence::failed ? "an image that is to take part has failed" : "an image that is to take part has stopped",
          "Give a stat= variable to handle this in the program."),
      absence(reason) {}

InsideMpi::InsideMpi(const char* what, std::vector<int> others) {
    if (Watch::get().on) Sentinel::get().begin(what, std::move(others));
}

InsideMpi::~InsideMpi() {
    if (Watch::get().on) Sentinel::get().end();
}

void watch_processes() {
    if (std::exchange(Watch::get().on, true) || !has_far_images()) return;
    outlive_writes();
    const InsideMpi inside("the start of the program", Context::get().entire()->world_ranks());
    forgive_lost_mail();
    open_wires(far_images());
    Watch::get().in_all_waits = std::make_unique<base::Poller>(look_now_and_then, nullptr);
    execution::ask_before_reports(report_for_all);
}

bool watches_processes() {
    return Watch::get().on;
}

void fail() {
    for (int node = 0; node < image_count(); ++node)
        tell(node, Counter::failed, this_image(), static_cast<std::int64_t>(Failure::by_statement));
}

void note_loss(int node) {
    if (Watch::get().on) note_failure(node, Failure::died);
}

void look_for_failures() {
    Watch& watch = Watch::get();
    if (!watch.on) return;
    const Clock::time_point now = Clock::now();
    if (now - watch.last_look < time_between_looks) return;
    watch.last_look = now;
    open_descriptors(watch);
    look_at_processes(watch);
    look_at_wires(watch);
    if (somebody_failed()) pass_on_absences();
}

void look() {
    receive_mail();
    look_for_failures();
}

// Far images also learn which barriers this image entered, since they cannot look, and which it had completed.
void pass_on_absences() {
    Watch& watch = Watch::get();
    int absences = 0;
    for (int node = 0; node < image_count(); ++node) absences += absence_of(node) != Absence::none;
    const bool more = std::exchange(watch.passed_on, absences) != absences;
    for (int node = 0; more && node < image_count(); ++node) {
        if (node == this_image()) continue;
        pass_on(node);
        tell_entry(node);
    }
    give_up(watch);
}

void forget_failures() {
    Watch& watch = Watch::get();
    for (const pollfd& process : watch.processes) close(process.fd);
    watch = Watch{};
}

Death* death_of(int node) {
    std::vector<Death>& deaths = Watch::get().deaths;
    const auto found = std::find_if(deaths.begin(), deaths.end(), [&](const Death& death) { return death.image == node; });
    return found == deaths.end() ? nullptr : &*found;
}

bool has_told_of_all_deaths(int node) {
    const std::vector<Death>& deaths = Watch::get().deaths;
    return std::all_of(deaths.begin(), deaths.end(),
                       [&](const Death& death) { return completed_by(node, death.image).has_value(); });
}

// Others may tell of a failure between machines sooner than the last messages of that image arrive. If its process lives, its
// end follows them.
bool has_failed(int node) {
    const Failure failure = failure_of(node);
    return failure == Failure::died || (failure == Failure::by_statement && (!is_far(node) || has_ended(node)));
}

Absence absence_of(int node) {
    if (failure_of(node) != Failure::none) return Absence::failed;
    return has_ended(node) ? Absence::stopped : Absence::none;
}

std::vector<int> without_died(std::vector<int> nodes) {
    std::erase_if(nodes, [](int node) { return failure_of(node) == Failure::died; });
    return nodes;
}

Absence absence_in(const std::vector<int>& nodes) {
    Absence worst = Absence::none;
    if (!somebody_ended() && !somebody_failed()) return worst;
    for (const int node : nodes) worst = std::max(worst, absence_of(node));
    return worst;
}

bool all_others_gone() {
    if (!somebody_failed()) return false;
    bool died = false;
    for (int node = 0; node < image_count(); ++node) {
        if (node != this_image() && absence_of(node) == Absence::none) return false;
        died = died || failure_of(node) == Failure::died;
    }
    return died;
}

int failures() {
    int count = 0;
    if (somebody_failed())
        for (int node = 0; node < image_count(); ++node) count += failure_of(node) != Failure::none;
    return count;
}

int failures_told() {
    return Watch::get().told;
}

void note_failures_told() {
    Watch::get().told = failures();
}

}  // namespace kumihimo::localview
