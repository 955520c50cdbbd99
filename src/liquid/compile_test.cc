#include <format>

#include <gtest/gtest.h>

#include "liquid/template.h"

namespace shopbell::liquid {
namespace {

// The faults as "line:column: message", one a line.
std::string faults_of(std::string source) {
  const auto compiled = compile(std::move(source), {});
  if (compiled) return "none";
  std::string text;
  for (const auto& fault : compiled.error())
    text += std::format("{}{}:{}: {}", text.empty() ? "" : "\n", fault.line, fault.column,
                        fault.message);
  return text;
}

void expect_fault(std::string source, std::string_view start) {
  const std::string seen = faults_of(source);
  EXPECT_TRUE(seen.starts_with(start)) << source << "\n  " << seen;
}

TEST(LiquidCompile, names_line_and_column_of_each_fault) {
  EXPECT_EQ(faults_of("a\n  {{ contact.firstName | upcsae }}\n{% zzz %}\n{{ contcat.x }}"),
            "2:26: There is no filter `upcsae`. Did you mean `upcase`?\n"
            "3:1: There is no tag `zzz`. There are: `assign`, `break`, `capture`, `case`, "
            "`comment`, `continue`, `cycle`, `for`, `if`, `raw`, `unless`.\n"
            "4:4: There is no `contcat`. Did you mean `contact`?");
}

TEST(LiquidCompile, counts_columns_in_characters) {
  expect_fault("ä😀 {{ x }}", "1:7: There is no `x`.");
}

TEST(LiquidCompile, says_what_is_missing_or_too_much) {
  expect_fault("{{ contact.firstName", "1:1: This output is not closed");
  expect_fault("{% if contact", "1:1: This tag is not closed");
  expect_fault("x{% if contact %}y", "1:2: `if` is not closed: `{% endif %}` is missing.");
  expect_fault("{% raw %}{{", "1:1: `raw` is not closed");
  expect_fault("{% comment %}", "1:1: `comment` is not closed");
  expect_fault("{% endif %}", "1:1: `endif` has no tag that it belongs to.");
  expect_fault("{% if run %}\n{% endfor %}{% endif %}",
               "2:1: `endfor` does not belong to `if` of line 1");
  expect_fault("{% if run %}{% else if vars %}{% endif %}", "1:13: Use `elsif`");
  expect_fault("{% if run %}{% else %}{% elsif vars %}{% endif %}", "1:23: `elsif` after `else`.");
  expect_fault("{% if run = 1 %}{% endif %}", "1:11: `=` is not an operator. Use `==` to compare.");
  expect_fault("{% if run && vars %}{% endif %}", "1:11: Use `and`");
  expect_fault("{% if (run) %}{% endif %}", "1:11: `..` is missing.");
  expect_fault("{{ run vars }}", "1:8: `vars` is not expected here.");
  expect_fault("{{ }}", "1:");
  expect_fault("{% for x run %}{% endfor %}", "1:1: `in` is missing.");
  expect_fault("{% for x in run limit: %}{% endfor %}", "1:23: A value is missing");
  expect_fault("{% for x in run zzz: 1 %}{% endfor %}", "1:17: A loop has the parameters");
  expect_fault("{% assign 5 %}", "1:12: `=` is missing");
  expect_fault("{% break %}", "1:1: `break` is possible only inside");
  expect_fault("{{ 'a }}", "1:");
  expect_fault("{{ 'a\\0b' }}", "1:4: This text has an escape that is no character.");
  expect_fault("{{ 1234567890123456789 }}", "1:4: This number is too large");
}

TEST(LiquidCompile, checks_the_arguments_of_filters) {
  expect_fault("{{ run | append }}", "1:10: The filter `append` takes 1 argument, not 0.");
  expect_fault("{{ run | upcase: 1 }}", "1:10: The filter `upcase` takes no arguments, not 1.");
  expect_fault("{{ run | replace: 1, 2, 3 }}", "1:10: The filter `replace` takes 1 to 2 arguments");
  expect_fault("{{ run | join: 1, 2 }}",
               "1:10: The filter `join` takes at most 1 argument, not 2.");
  expect_fault("{{ run | default: 1, allow: true }}", "1:22: The filter `default` has no argument");
  expect_fault("{{ run | date: '%Y %Q' }}", "1:10: The filter `date` does not know `%Q`.");
  EXPECT_EQ(faults_of("{{ run | default: 1, allow_false: true | date: '%-d %%' }}"), "none");
}

TEST(LiquidCompile, knows_variables_of_the_template) {
  EXPECT_EQ(faults_of("{{ later }}{% assign later = 1 %}{% capture b %}{% endcapture %}{{ b }}"),
            "none");
  EXPECT_EQ(faults_of("{% for x in run %}{{ x }}{{ forloop.index }}{% endfor %}"), "none");
  expect_fault("{% for x in run %}{% else %}{{ x }}{% endfor %}", "1:32: There is no `x`.");
  expect_fault("{% for x in x %}{% endfor %}", "1:13: There is no `x`.");
  expect_fault("{{ forloop.index }}", "1:4: `forloop` exists only inside a `for` loop.");
}

TEST(LiquidCompile, goes_on_after_a_fault_inside_a_tag) {
  EXPECT_EQ(faults_of("{% if %}{{ a }}{% endif %}{% for %}{{ b }}{% endfor %}"),
            "1:6: A value is missing here.\n1:12: There is no `a`. There are: `contact`, `store`, "
            "`trigger`, `event`, `vars`, `run`, `products`, `unsubscribe_url`, `preferences_url`.\n"
            "1:33: The name of the variable is missing.\n1:39: There is no `b`. There are: "
            "`contact`, `store`, `trigger`, `event`, `vars`, `run`, `products`, `unsubscribe_url`, "
            "`preferences_url`.");
}

TEST(LiquidCompile, limits_size_nesting_operators_and_listed_faults) {
  expect_fault(std::string(kSourceBytesMax + 1, 'x'), "1:1: A template has at most 512 KiB.");
  expect_fault("\xff", "1:1: The template is not UTF-8.");
  expect_fault(std::string{'a', '\0'}, "1:1: The template has a character U+0000.");
  const auto repeated = [](std::string_view text, std::size_t times) {
    std::string all;
    for (std::size_t i = 0; i < times; ++i) all += text;
    return all;
  };
  EXPECT_EQ(faults_of(repeated("{% if run %}", 32) + repeated("{% endif %}", 32)), "none");
  expect_fault(repeated("{% if run %}", 33) + repeated("{% endif %}", 33),
               "1:385: Tags are nested more than 32 deep.");
  expect_fault("{{ run" + repeated("[run", 40) + repeated("]", 40) + " }}", "1:");
  expect_fault("{% if run" + repeated(" or run", 200) + " %}{% endif %}", "1:");
  expect_fault("{{ " + repeated("not ", 200) + " run }}", "1:");
  expect_fault(repeated("x{{ 1 }}", 20'001), "1:160002: A template has at most 20000 outputs");
  const auto compiled = compile(repeated("{% zzz %}", 100), {});
  ASSERT_FALSE(compiled);
  EXPECT_EQ(compiled.error().size(), kFaultsMax);
}

TEST(LiquidCompile, tells_which_roots_a_template_reads) {
  const auto compiled = compile("<a href=\"{{ unsubscribe_url }}\">", {});
  ASSERT_TRUE(compiled);
  EXPECT_TRUE(compiled->reads("unsubscribe_url"));
  EXPECT_FALSE(compiled->reads("contact"));
}

}  // namespace
}  // namespace shopbell::liquid
