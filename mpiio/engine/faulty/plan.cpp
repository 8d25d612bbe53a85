#include "mpiio/engine/faulty/plan.hpp"

#include <charconv>
#include <random>
#include <sstream>
#include <vector>

#include "base/error.hpp"
#include "base/format.hpp"

namespace kumihimo::mpiio::faulty {

namespace {

struct Word {
    std::string whole, key, value;
};

[[noreturn]] void refuse(const std::string& word) {
    throw base::Error(fmt::format("KUMIHIMO_FAULTY_IO: '{}' is not understood", word),
                      "Write the underlying engine, then any of fail=N, short=N, kill=N, delay=MICROSECONDS, rank=R, seed=S; "
                      "N: a call, or a range A-B of which one is drawn.");
}

std::int64_t number_in(const std::string& text, const std::string& word) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size() || number < 0) refuse(word);
    return number;
}

std::int64_t drawn(const Word& word, std::uint64_t seed) {
    const auto dash = word.value.find('-');
    if (dash == std::string::npos) return number_in(word.value, word.whole);
    const std::int64_t first = number_in(word.value.substr(0, dash), word.whole);
    const std::int64_t last = number_in(word.value.substr(dash + 1), word.whole);
    if (last < first) refuse(word.whole);
    std::mt19937_64 random(seed);
    return std::uniform_int_distribution<std::int64_t>(first, last)(random);
}

void apply(const Word& word, Plan& plan) {
    if (word.key == "fail")
        plan.fail = drawn(word, plan.seed);
    else if (word.key == "short")
        plan.cut = drawn(word, plan.seed);
    else if (word.key == "kill")
        plan.kill = drawn(word, plan.seed);
    else if (word.key == "delay")
        plan.delay_us = number_in(word.value, word.whole);
    else if (word.key == "rank")
        plan.rank = static_cast<int>(number_in(word.value, word.whole));
    else if (word.key != "seed")
        refuse(word.whole);
}

}  // namespace

Plan plan_of(const std::string& text) {
    Plan plan;
    std::vector<Word> words;
    std::istringstream stream(text);
    for (std::string word; stream >> word;) {
        const auto equals = word.find('=');
        if (equals == std::string::npos)
            plan.underlying = word;
        else
            words.push_back({word, word.substr(0, equals), word.substr(equals + 1)});
    }
    for (const Word& word : words)
        if (word.key == "seed") plan.seed = static_cast<std::uint64_t>(number_in(word.value, word.whole));
    for (const Word& word : words) apply(word, plan);
    if (plan.underlying == "faulty") refuse(plan.underlying);
    return plan;
}

}  // namespace kumihimo::mpiio::faulty
