// Which files are served: prefix before hint before rules.
#include "mpiio/engine/selection.hpp"

#include <gtest/gtest.h>

#include <filesystem>

namespace kumihimo::mpiio {
namespace {

const std::vector<std::string> engines = {"direct", "catwalk"};

Selection selection(const std::string& rules) {
    return {engines, parse_rules(rules, engines)};
}

// "engine path", "untouched", or "refused".
std::string result(const std::string& rules, const std::string& name, const std::optional<std::string>& hint = {}) {
    const Verdict verdict = selection(rules).of(name, hint);
    if (auto* const choice = std::get_if<Choice>(&verdict)) return choice->engine + " " + choice->path;
    return std::holds_alternative<Refusal>(verdict) ? "refused" : "untouched";
}

TEST(Selection, nothing_is_served_unasked) {
    for (const char* name : {"a.nc", "/a/b.nc", "", ":", ":a", "ufs:a", "nosuch:a", "off:a", "/a:b"})
        EXPECT_EQ(result("", name), "untouched") << name;
}

TEST(Selection, prefixes) {
    EXPECT_EQ(result("", "kumihimo:a"), "direct a");
    EXPECT_EQ(result("", "direct:/a/b"), "direct /a/b");
    EXPECT_EQ(result("", "catwalk:a:b"), "catwalk a:b");
    EXPECT_EQ(result("", "kumihimo:"), "direct ");
    EXPECT_EQ(result("a=catwalk", "kumihimo:a"), "catwalk a") << "the rules say by which engine";
    EXPECT_EQ(result("a=off", "kumihimo:a"), "direct a") << "the prefix beats the rule";
    EXPECT_EQ(result("a=catwalk", "direct:a"), "direct a");
    EXPECT_EQ(result("a=off", "direct:a", "off"), "direct a");
    EXPECT_EQ(result("", "kumihimo:a", "catwalk"), "catwalk a");
    EXPECT_EQ(result("", "kumihimo:a", "off"), "direct a");
    EXPECT_EQ(result("", "kumihimo:catwalk:a"), "catwalk a") << "the last one says by which engine";
    EXPECT_EQ(result("", "kumihimo:nosuch:a"), "direct nosuch:a");
}

TEST(Selection, hints_beat_rules) {
    EXPECT_EQ(result("*=catwalk", "a", "direct"), "direct a");
    EXPECT_EQ(result("*=catwalk", "a", "off"), "untouched");
    EXPECT_EQ(result("*=off", "a", "kumihimo"), "direct a");
    EXPECT_EQ(result("", "a", "nosuch"), "refused");
    EXPECT_EQ(result("", "a", ""), "refused");
    EXPECT_EQ(result("[", "a", "direct"), "direct a") << "rules that nobody needs";
}

TEST(Selection, first_rule_that_matches) {
    const std::string rules = "secret.nc=off, *.nc = catwalk ,**=direct,";
    EXPECT_EQ(result(rules, "secret.nc"), "untouched");
    EXPECT_EQ(result(rules, "/x/secret.nc"), "untouched");
    EXPECT_EQ(result(rules, "/x/a.nc"), "catwalk /x/a.nc");
    EXPECT_EQ(result(rules, "x"), "direct x");
}

TEST(Selection, a_pattern_with_a_slash_is_for_the_absolute_path) {
    const std::string here = std::filesystem::current_path().native();
    EXPECT_EQ(result(here + "/*=catwalk", "a"), "catwalk a");
    EXPECT_EQ(result(here + "/*=catwalk", "./b/../a"), "catwalk ./b/../a");
    EXPECT_EQ(result(here + "/*=catwalk", "b/a"), "untouched");
    EXPECT_EQ(result(here + "/**=catwalk", "b/a"), "catwalk b/a");
    EXPECT_EQ(result("run/*.nc=catwalk", "/x/y/run/a.nc"), "catwalk /x/y/run/a.nc");
    EXPECT_EQ(result("run/*.nc=catwalk", "/run/a.nc"), "catwalk /run/a.nc");
    EXPECT_EQ(result("run/*.nc=catwalk", "/prerun/a.nc"), "untouched");
    EXPECT_EQ(result("/scratch/**=catwalk", "/scratch/a/b"), "catwalk /scratch/a/b");
    EXPECT_EQ(result("/scratch/**=catwalk", "/scratch/../home/a"), "untouched");
}

TEST(Selection, prefixes_of_other_libraries) {
    EXPECT_EQ(result("/s/*=catwalk", "ufs:/s/a"), "catwalk /s/a");
    EXPECT_EQ(result("a=catwalk", "nfs:a"), "catwalk a");
    EXPECT_EQ(result("a=catwalk", "nfs:b"), "untouched");
    EXPECT_EQ(result("a=catwalk", "nosuch:a"), "untouched") << "part of the file's name";
    EXPECT_EQ(result("*:a=catwalk", "nosuch:a"), "catwalk nosuch:a");
}

TEST(Selection, an_equals_sign_in_a_pattern) {
    EXPECT_EQ(result("a=b*=catwalk", "a=b.nc"), "catwalk a=b.nc");
}

TEST(Selection, bad_rules_say_what_is_known) {
    for (const char* rules : {"a", "a=", "=direct", "a=nosuch", "a=direct,b", "[a=direct", "=", "a=Direct"}) {
        const auto parsed = parse_rules(rules, engines);
        ASSERT_TRUE(std::holds_alternative<Refusal>(parsed)) << rules;
        EXPECT_NE(std::get<Refusal>(parsed).text.find("direct, catwalk, kumihimo"), std::string::npos);
        EXPECT_EQ(result(rules, "a"), "refused") << rules;
    }
    for (const char* rules : {"", ",", " , ,", "a=off"}) EXPECT_EQ(result(rules, "a"), "untouched") << rules;
}

}  // namespace
}  // namespace kumihimo::mpiio
