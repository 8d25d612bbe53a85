#include "base/fault_plan.hpp"

#include <charconv>
#include <random>
#include <sstream>
#include <vector>

#include "base/error.hpp"
#include "base/format.hpp"

namespace kumihimo::base {

namespace {

struct Word {
    std::string whole, key, value;
};

class Parser {
public:
    explicit Parser(const FaultWords& words) : words_(words) { plan_.underlying = words.underlying; }
    FaultPlan parse(const std::string& text) {
        const std::vector<Word> words = split(text);
        for (const Word& word : words)
            if (word.key == "seed") plan_.seed = static_cast<std::uint64_t>(number_in(word.value, word.whole));
        for (const Word& word : words) apply(word);
        if (plan_.underlying == "faulty") refuse(plan_.underlying);
        return plan_;
    }

private:
    [[noreturn]] void refuse(const std::string& word) const {
        throw Error(
            fmt::format("{}: '{}' is not understood", words_.setting, word),
            fmt::format(
                "Write the underlying {}, then any of fail=N, {}kill=N, delay=MICROSECONDS, {}=K, seed=S; N: a call, or a "
                "range A-B of which one is drawn.",
                words_.family, words_.cuts ? "short=N, " : "", words_.node));
    }
    std::vector<Word> split(const std::string& text) {
        std::vector<Word> words;
        std::istringstream stream(text);
        for (std::string word; stream >> word;) {
            const auto equals = word.find('=');
            if (equals == std::string::npos)
                plan_.underlying = word;
            else
                words.push_back({word, word.substr(0, equals), word.substr(equals + 1)});
        }
        return words;
    }
    std::int64_t number_in(const std::string& text, const std::string& word) const {
        std::int64_t number = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (error != std::errc{} || end != text.data() + text.size() || number < 0) refuse(word);
        return number;
    }
    std::int64_t drawn(const Word& word) const {
        const auto dash = word.value.find('-');
        if (dash == std::string::npos) return number_in(word.value, word.whole);
        const std::int64_t first = number_in(word.value.substr(0, dash), word.whole);
        const std::int64_t last = number_in(word.value.substr(dash + 1), word.whole);
        if (last < first) refuse(word.whole);
        std::mt19937_64 random(plan_.seed);
        return std::uniform_int_distribution<std::int64_t>(first, last)(random);
    }
    void apply(const Word& word) {
        if (word.key == "fail")
            plan_.fail = drawn(word);
        else if (word.key == "short" && words_.cuts)
            plan_.cut = drawn(word);
        else if (word.key == "kill")
            plan_.kill = drawn(word);
        else if (word.key == "delay")
            plan_.delay_us = number_in(word.value, word.whole);
        else if (word.key == words_.node)
            plan_.node = static_cast<int>(number_in(word.value, word.whole));
        else if (word.key != "seed")
            refuse(word.whole);
    }
    const FaultWords& words_;
    FaultPlan plan_;
};

}  // namespace

FaultPlan fault_plan(const std::string& text, const FaultWords& words) {
    return Parser(words).parse(text);
}

}  // namespace kumihimo::base
