// Templates that loop, nest or grow without bound end within a time of the processor, and say why.
#include <ctime>

#include <gtest/gtest.h>

#include "liquid/render.h"

namespace shopbell::liquid {
namespace {

#ifdef NDEBUG
constexpr double kSecondsMax = 0.05;
#else
constexpr double kSecondsMax = 1.5;  // sanitizers check every access
#endif

double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Expects that the template fails with that message, compiled or rendered, in time.
void expect_stopped(std::string source, std::string_view message) {
  SCOPED_TRACE(source.substr(0, 100));
  const std::string long_text(200'000, 'x');
  const auto document =
      json::Document::parse(R"({"text": ")" + long_text + R"(", "list": [1, 2, 3]})");
  LocalFormats formats;
  Data data;
  data.roots.emplace("event", document->root());
  const double start = processor_seconds();
  const auto compiled = compile(std::move(source), {});
  std::vector<Fault> faults;
  if (!compiled) {
    faults = compiled.error();
  } else {
    const auto rendered = render(*compiled, data, {.formats = formats, .now = {}});
    if (!rendered) faults.push_back(rendered.error());
  }
  EXPECT_LT(processor_seconds() - start, kSecondsMax);
  ASSERT_FALSE(faults.empty()) << "was not stopped";
  EXPECT_TRUE(faults[0].message.contains(message)) << faults[0].message;
}

constexpr std::string_view kSteps = "more than 100000 steps";
constexpr std::string_view kMemory = "more than 1024 KiB of memory";

std::string repeated(std::string_view text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

// A loop over 1,000 items around the body.
std::string loop(std::string_view body) {
  return "{% for i in (1..1000) %}" + std::string{body} + "{% endfor %}";
}

TEST(LiquidBudgets, nested_loops_stop) {
  expect_stopped(loop(loop(loop("x"))), kSteps);
  expect_stopped(loop(loop("{% if i == 1 %}{% endif %}")), kSteps);
  expect_stopped(loop(loop("{% assign x = i | times: i | divided_by: 7 %}")), kSteps);
  expect_stopped(loop(loop("{{ 'now' | date: '%A %B %d %Y %H:%M:%S %Z' }}")), kSteps);
  expect_stopped(loop(loop("{{ i | money: 'EUR' }}")), kSteps);
}

TEST(LiquidBudgets, long_ranges_stop) {
  expect_stopped("{% for i in (1..1000000000) %}{% endfor %}", "(1..1000000000) is too long");
  expect_stopped("{% for i in (1..90000) limit: 1 %}{% endfor %}", kMemory);
  expect_stopped("{{ (-999999999999999999..999999999999999999) | size }}", "is too long");
}

TEST(LiquidBudgets, growing_texts_stop) {
  expect_stopped("{% assign s = 'xxxxxxxxxx' %}" + loop("{% assign s = s | append: s %}"), kMemory);
  expect_stopped("{% assign s = event.text %}" + loop("{% assign s = s | replace: 'x', s %}"),
                 kMemory);
  expect_stopped("{{ event.text | replace: 'x', event.text }}", kMemory);
  expect_stopped("{% capture s %}{{ event.text }}{% endcapture %}" +
                     loop("{% capture s %}{{ s }}{{ s }}{% endcapture %}"),
                 "");
  expect_stopped(loop("{{ event.text }}"), "The text is longer than 1024 KiB");
  expect_stopped(loop("{{ event.text | upcase | downcase | size }}"), kSteps);
  expect_stopped(loop("{{ event.text | strip_html | url_encode | size }}"), kSteps);
  expect_stopped(loop("{% if event.text == event.text %}{% endif %}"), kSteps);
  expect_stopped(loop("{{ event.text | size }}"), kSteps);
}

TEST(LiquidBudgets, growing_lists_stop) {
  expect_stopped("{{ event.text | split: '' | size }}", kSteps);
  expect_stopped("{% assign l = event.list %}" + loop("{% assign l = l | concat: l %}"), kMemory);
  expect_stopped("{% assign l = event.text | split: 'y' %}" +
                     repeated("{% assign l = l | concat: l %}", 9) + "{{ l | join | size }}",
                 kMemory);
  expect_stopped("{% assign l = event.text | split: 'y' %}" +
                     repeated("{% assign l = l | concat: l %}", 9) + "{{ l | sort | size }}",
                 kSteps);
  expect_stopped("{% assign l = event.text | split: 'y' %}" +
                     repeated("{% assign l = l | concat: l %}", 9) + "{{ l | uniq | size }}",
                 kMemory);
  expect_stopped("{% assign l = event.text | split: 'y' %}" +
                     repeated("{% assign l = l | concat: l %}", 9) + "{{ l | json | size }}",
                 kMemory);
}

TEST(LiquidBudgets, deep_nesting_stops) {
  expect_stopped(repeated("{% if true %}", 30'000), "Tags are nested more than 32 deep");
  expect_stopped("{{ " + repeated("(1..", 50'000) + " }}", "Brackets are nested too deep");
  expect_stopped("{{ event" + repeated("[event", 50'000) + " }}", "Brackets are nested too deep");
  expect_stopped("{{ " + repeated("not ", 100'000) + " }}", "more than 100 operators");
  expect_stopped("{{ 1" + repeated(" == 1", 80'000) + " }}", "more than 100 operators");
}

TEST(LiquidBudgets, long_sources_are_checked_in_time) {
  expect_stopped(repeated("{{", 250'000), "This output is not closed");
  expect_stopped("{% raw %}" + repeated("{% ", 150'000), "`raw` is not closed");
  expect_stopped("{% raw %}" + repeated("{% endraw ", 50'000), "`raw` is not closed");
  expect_stopped(repeated("{{ 1 }}", 70'000), "at most 20000 outputs and tags");
  expect_stopped(repeated("{{ zzz }}", 20'000), "There is no `zzz`");
  expect_stopped(repeated("{{ 1 | zzz }}", 20'000), "There is no filter `zzz`");
  std::string names;
  for (int i = 0; i < 20'000; ++i) names += "{{ n" + std::to_string(i) + " }}";
  expect_stopped(names, "There is no `n0`");
}

}  // namespace
}  // namespace shopbell::liquid
