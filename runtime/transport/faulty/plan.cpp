#include "runtime/transport/faulty/plan.hpp"

#include <charconv>
#include <random>
#include <sstream>
#include <vector>

#include "base/error.hpp"
#include "base/format.hpp"

namespace kumihimo::transport::faulty {

namespace {

[[noreturn]] void refuse(const std::string& word) {
    throw base::Error(fmt::format("KUMIHIMO_FAULTY_TRANSPORT: '{}' is not understood", word),
                      "Write the underlying transport, then any of fail=N, kill=N, delay=MICROSECONDS, node=K, seed=S; N: a "
                      "call, or a range A-B of which one is drawn.");
}

std::int64_t number_in(const std::string& text, const std::string& word) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size() || number < 0) refuse(word);
    return number;
}

std::int64_t drawn(const std::string& text, const std::string& word, std::uint64_t seed) {
    const auto dash = text.find('-');
    if (dash == std::string::npos) return number_in(text, word);
    const std::int64_t first = number_in(text.substr(0, dash), word), last = number_in(text.substr(dash + 1), word);
    if (last < first) refuse(word);
    std::mt19937_64 random(seed);
    return std::uniform_int_distribution<std::int64_t>(first, last)(random);
}

}  // namespace

Plan plan_of(const std::string& text) {
    struct Word {
        std::string whole, key, value;
    };
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
    for (const Word& word : words) {
        if (word.key == "fail")
            plan.fail = drawn(word.value, word.whole, plan.seed);
        else if (word.key == "kill")
            plan.kill = drawn(word.value, word.whole, plan.seed);
        else if (word.key == "delay")
            plan.delay_us = number_in(word.value, word.whole);
        else if (word.key == "node")
            plan.node = static_cast<int>(number_in(word.value, word.whole));
        else if (word.key != "seed")
            refuse(word.whole);
    }
    if (plan.underlying == "faulty") refuse(plan.underlying);
    return plan;
}

}  // namespace kumihimo::transport::faulty
