#include "bench/measure/options.hpp"

#include <charconv>
#include <functional>
#include <map>

#include "base/error.hpp"

namespace kumihimo::bench {

namespace {

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts;
    for (std::size_t from = 0; from <= text.size();) {
        const std::size_t end = std::min(text.find(separator, from), text.size());
        parts.push_back(text.substr(from, end - from));
        from = end + 1;
    }
    return parts;
}

template <typename Number>
Number number(const std::string& text) {
    Number value{};
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem != std::errc() || end != text.data() + text.size() || value < 0) throw base::Error("not a number: " + text);
    return value;
}

template <typename Number>
std::vector<Number> numbers(const std::string& text, char separator) {
    std::vector<Number> values;
    for (const std::string& part : split(text, separator)) values.push_back(number<Number>(part));
    return values;
}

Start start_of(const std::string& text) {
    if (text == "window") return Start::window;
    if (text == "barrier") return Start::barrier;
    if (text == "loop") return Start::loop;
    throw base::Error("unknown start: " + text, "window, barrier or loop");
}

bool turns(const std::string& text) {
    if (text != "first" && text != "turn") throw base::Error("unknown root: " + text, "first or turn");
    return text == "turn";
}

}  // namespace

Options parse_options(int argc, char** argv) {
    Options options;
    const std::map<std::string, std::function<void(const std::string&)>> actions = {
        {"--operations", [&](const std::string& text) { options.operations = split(text, ','); }},
        {"--sizes", [&](const std::string& text) { options.sizes_bytes = numbers<std::int64_t>(text, ','); }},
        {"--shape", [&](const std::string& text) { options.shape = numbers<int>(text, 'x'); }},
        {"--memory", [&](const std::string& text) { options.memory_bytes = number<std::int64_t>(text); }},
        {"--seconds", [&](const std::string& text) { options.seconds = number<double>(text); }},
        {"--repetitions", [&](const std::string& text) { options.repetitions = number<int>(text); }},
        {"--budget", [&](const std::string& text) { options.budget_seconds = number<double>(text); }},
        {"--start", [&](const std::string& text) { options.start = start_of(text); }},
        {"--root", [&](const std::string& text) { options.roots_in_turn = turns(text); }},
        {"--output", [&](const std::string& text) { options.output = text; }},
    };
    for (int i = 1; i < argc; i += 2) {
        const auto action = actions.find(argv[i]);
        if (action == actions.end() || i + 1 == argc)
            throw base::Error(std::string("unknown option or missing operand: ") + argv[i],
                              "Start it by `kumihimo bench run`.");
        action->second(argv[i + 1]);
    }
    if (options.output.empty() || options.operations.empty() || options.sizes_bytes.empty())
        throw base::Error("--operations, --sizes and --output are needed", "Start it by `kumihimo bench run`.");
    return options;
}

}  // namespace kumihimo::bench
