// Rules: parsing, counting, deciding, and the log line that says how to replay. Deterministic: the same rules, rank and call
// number give the same fault.
#include "plan.hpp"

#include <fnmatch.h>
#include <signal.h>
#include <time.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <list>
#include <string>
#include <string_view>

namespace kumihimo::faults {
namespace {

constexpr int kinds = static_cast<int>(Call::kinds);
constexpr std::array<const char*, kinds + 1> kind_names = {"open",     "read", "write",  "sync",   "close", "truncate",
                                                           "allocate", "lock", "rename", "unlink", "size",  "any"};

struct Named {
    const char* name;
    int value;
};
constexpr Named errors[] = {
    {"EIO", EIO},     {"ENOSPC", ENOSPC}, {"EINTR", EINTR},   {"EAGAIN", EAGAIN}, {"EDQUOT", EDQUOT},        {"EFBIG", EFBIG},
    {"EROFS", EROFS}, {"ESTALE", ESTALE}, {"ENOMEM", ENOMEM}, {"EACCES", EACCES}, {"ENOENT", ENOENT},        {"EMFILE", EMFILE},
    {"EBADF", EBADF}, {"ENOLCK", ENOLCK}, {"EINVAL", EINVAL}, {"EPERM", EPERM},   {"EOPNOTSUPP", EOPNOTSUPP}};

enum class Action { none, error, byte, half, all_but_one, zero, kill, stop, delay };

struct Rule {
    std::string path = "*", text;
    int rank = -1;          // -1: all
    int kind = kinds;       // kinds: any
    long k = 1, times = 1;  // calls k .. k + times - 1; times=0: from k on
    uint64_t seed = 0;      // with `probability`: instead of k
    double probability = 0;
    Action action = Action::none;
    int value = 0;  // errno, or milliseconds
    std::array<std::atomic<long>, kinds + 1> counts = {};
};

struct Plan {
    std::list<Rule> rules;
    std::atomic<long> injected = 0;
};

int rank_of_process() {
    for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"})
        if (const char* value = getenv(name)) return atoi(value);
    return 0;
}

const int rank = rank_of_process();

template <typename Table>
int position(const Table& table, std::string_view name) {
    int found = 0;
    for (const char* entry : table) {
        if (name == entry) return found;
        found++;
    }
    return -1;
}

int error_number(std::string_view name) {
    for (const Named& error : errors)
        if (name == error.name) return error.value;
    return 0;
}

bool set_short(Rule& rule, std::string_view amount) {
    constexpr std::array<const char*, 4> amounts = {"1", "half", "n-1", "0"};
    const int found = position(amounts, amount);
    if (found >= 0) rule.action = static_cast<Action>(static_cast<int>(Action::byte) + found);
    return found >= 0;
}

bool set(Rule& rule, std::string_view key, const std::string& value) {
    if (key == "path") return rule.path = value, true;
    if (key == "rank") return rule.rank = atoi(value.c_str()), true;
    if (key == "call") return rule.kind = position(kind_names, value), rule.kind >= 0;
    if (key == "k") return rule.k = atol(value.c_str()), rule.k > 0;
    if (key == "times") return rule.times = atol(value.c_str()), rule.times >= 0;
    if (key == "seed") return rule.seed = strtoull(value.c_str(), nullptr, 0), true;
    if (key == "probability") return rule.probability = atof(value.c_str()), rule.probability > 0;
    if (key == "short") return set_short(rule, value);
    if (key == "error") return rule.action = Action::error, rule.value = error_number(value), rule.value != 0;
    if (key == "delay_ms") return rule.action = Action::delay, rule.value = atoi(value.c_str()), rule.value > 0;
    if (key == "action" && value == "kill") return rule.action = Action::kill, true;
    if (key == "action" && value == "stop") return rule.action = Action::stop, true;
    return false;
}

// Calls visit(part) for the parts of `text` between separators; ends where visit returns false.
template <typename Visit>
bool for_each_part(std::string_view text, char separator, Visit visit) {
    while (!text.empty()) {
        const size_t end = text.find(separator);
        if (!visit(text.substr(0, end))) return false;
        text.remove_prefix(end == text.npos ? text.size() : end + 1);
    }
    return true;
}

bool parse_rule(Rule& rule, std::string_view text) {
    rule.text = text;
    return for_each_part(text, ',', [&](std::string_view setting) {
        const size_t equals = setting.find('=');
        if (equals != setting.npos && set(rule, setting.substr(0, equals), std::string(setting.substr(equals + 1))))
            return true;
        fprintf(stderr, "kumihimo-faults: cannot read '%.*s' in '%s'\n", int(setting.size()), setting.data(),
                rule.text.c_str());
        return false;
    });
}

Plan* parse(std::string_view text) {
    auto* plan = new Plan;
    if (for_each_part(text, ';', [&](std::string_view rule) { return parse_rule(plan->rules.emplace_back(), rule); }))
        return plan;
    delete plan;
    return nullptr;
}

// Rules of the past are never freed: a thread of the program may be in the middle of them.
std::atomic<Plan*>& current() {
    static std::atomic<Plan*> plan = [] {
        const char* text = getenv("KUMIHIMO_FAULTS");
        Plan* const parsed = parse(text ? text : "");
        if (!parsed) _Exit(2);
        return parsed;
    }();
    return plan;
}

// A number in [0, 1) that depends on nothing but its arguments (splitmix64).
double lot(uint64_t seed, uint64_t rank_number, uint64_t call_number) {
    uint64_t x = seed + 0x9E3779B97F4A7C15u * (rank_number * 1000003u + call_number + 1);
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return static_cast<double>((x ^ (x >> 31)) >> 11) / 9007199254740992.0;
}

bool chosen(const Rule& rule, long number) {
    if (rule.action == Action::none || (rule.rank >= 0 && rule.rank != rank)) return false;
    if (rule.probability > 0) return lot(rule.seed, rank, number) < rule.probability;
    return number >= rule.k && (rule.times == 0 || number < rule.k + rule.times);
}

void sleep_ms(int milliseconds) {
    timespec left = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
    while (nanosleep(&left, &left) != 0 && errno == EINTR) continue;
}

Effect carry_out(const Rule& rule, size_t bytes) {
    Effect effect;
    switch (rule.action) {
        case Action::none:
            break;
        case Action::error:
            effect.error = rule.value;
            break;
        case Action::byte:
            effect.limit = 1;
            break;
        case Action::half:
            effect.limit = (bytes + 1) / 2;
            break;
        case Action::all_but_one:
            effect.limit = bytes > 1 ? bytes - 1 : bytes;
            break;
        case Action::zero:
            effect.limit = 0;
            break;
        case Action::kill:
            raise(SIGKILL);
            break;
        case Action::stop:
            raise(SIGSTOP);
            break;
        case Action::delay:
            sleep_ms(rule.value);
            break;
    }
    return effect;
}

void log(const Rule& rule, const char* function, const char* path, size_t bytes, int kind, long number) {
    fprintf(stderr, "kumihimo-faults: rank %d: %s of %zu bytes of %s (%s %ld); replay with KUMIHIMO_FAULTS='%s'\n", rank,
            function, bytes, path, kind_names[kind], number, rule.text.c_str());
}

// KUMIHIMO_FAULTS_COUNT=1: how many calls of each kind the run made, so that a sweep knows every k.
struct CountAtExit {
    ~CountAtExit() {
        const char* wanted = getenv("KUMIHIMO_FAULTS_COUNT");
        if (!wanted || *wanted == '0') return;
        std::string line = "kumihimo-faults: rank " + std::to_string(rank) + ":";
        for (int kind = 0; kind < kinds; kind++)
            line += std::string(" ") + kind_names[kind] + "=" + std::to_string(kumihimo_faults_count(kind_names[kind]));
        fprintf(stderr, "%s\n", line.c_str());
    }
} count_at_exit;

}  // namespace

Effect decide(Call call, const char* function, const char* path, size_t bytes) {
    const int kind = static_cast<int>(call);
    Plan& plan = *current();
    Effect effect;
    for (Rule& rule : plan.rules) {
        if (!path || fnmatch(rule.path.c_str(), path, 0) != 0) continue;
        const long of_kind = ++rule.counts[kind], of_any = ++rule.counts[kinds];
        const long number = rule.kind == kinds ? of_any : of_kind;
        if ((rule.kind != kinds && rule.kind != kind) || !chosen(rule, number)) continue;
        plan.injected++;
        log(rule, function, path, bytes, rule.kind, number);
        effect = carry_out(rule, bytes);
    }
    return effect;
}

}  // namespace kumihimo::faults

using namespace kumihimo::faults;

extern "C" {

__attribute__((visibility("default"))) int kumihimo_faults_arm(const char* specification) {
    Plan* const plan = parse(specification);
    if (plan) current() = plan;
    return plan ? 0 : -1;
}

__attribute__((visibility("default"))) long kumihimo_faults_injected() {
    return current().load()->injected;
}

__attribute__((visibility("default"))) long kumihimo_faults_count(const char* kind) {
    const int found = position(kind_names, kind);
    const Plan& plan = *current();
    if (found < 0) return -1;
    return plan.rules.empty() ? 0 : plan.rules.front().counts[found].load();
}
}
