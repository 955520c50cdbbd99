// The rows of the language that differ from LiquidJS on purpose; tests/liquid compares the others.
#include "liquid/render.h"

#include <gtest/gtest.h>

namespace shopbell::liquid {
namespace {

constexpr std::string_view kJson = R"({
  "contact": {"firstName": "<Ada>", "emoji": "😀a", "born": "1990-03-25", "seen": "2026-11-18T23:30:00Z",
              "rating": 4.33333333, "factor": 12.50, "whole": 12.00, "huge": 123456789012345678901234567890},
  "event": {"data": {"currency": "CHF", "total": "1234.5", "lines": [
    {"productId": "p1", "unitPrice": "19.90"}, {"productId": "p2", "unitPrice": "5", "currency": "USD"}]}},
  "store": {"name": "B & C", "price": "7"}
})";

class LiquidRender : public testing::Test {
 protected:
  LiquidRender() {
    document_.root().for_each(
        [&](std::string_view name, json::Value value) { data_.roots.emplace(name, value); });
  }

  std::expected<Rendered, Fault> rendered(std::string source, Part part = Part::html) {
    const auto compiled = compile(std::move(source), {.part = part});
    if (!compiled) return std::unexpected{compiled.error().front()};
    return render(*compiled, data_, context_);
  }

  std::string text(std::string source, Part part = Part::html) {
    const auto result = rendered(std::move(source), part);
    return result ? result->text : "fault: " + result.error().message;
  }

  json::Document document_ = *json::Document::parse(kJson);
  Data data_;
  LocalFormats formats_;
  Context context_{.formats = formats_,
                   .now = *parse_rfc3339("2026-03-29T00:30:00Z"),
                   .zone = std::chrono::locate_zone("Europe/Vienna"),
                   .locale = "en",
                   .currency = "EUR"};
};

TEST_F(LiquidRender, escapes_values_in_html_only) {
  EXPECT_EQ(text("{{ contact.firstName }}"), "&lt;Ada&gt;");
  EXPECT_EQ(text("{{ contact.firstName | raw }}"), "<Ada>");
  EXPECT_EQ(text("{{ contact.firstName }}", Part::text), "<Ada>");
  EXPECT_EQ(text("{{ contact.firstName }}", Part::subject), "<Ada>");
  EXPECT_EQ(text("{{ contact.firstName | escape }}"), "&lt;Ada&gt;");  // not twice
  EXPECT_EQ(text("{{ contact.firstName | escape }}", Part::text), "&lt;Ada&gt;");
}

TEST_F(LiquidRender, writes_a_subject_as_one_line) {
  EXPECT_EQ(text("a\nb\r\nc\rd {{ \"x\\r\\ny\\r\" }}{{ \"\\nz\" }}", Part::subject),
            "a b c d x y z");
}

TEST_F(LiquidRender, computes_with_exact_decimals) {
  EXPECT_EQ(text("{{ 0.1 | plus: 0.2 }}"), "0.3");
  EXPECT_EQ(text("{{ contact.factor }} {{ contact.factor | plus: 0 }}"), "12.50 12.5");
  EXPECT_EQ(text("{{ '17.90' | times: 3 }} {{ '17.90' | plus: 0.1 }}"), "53.7 18");
  EXPECT_EQ(text("{{ contact.rating }} {{ contact.rating | times: 2 }}"), "4.333333 8.666666");
  EXPECT_EQ(text("{% if contact.factor == 12.5 %}same{% endif %}"), "same");
  EXPECT_EQ(text("{{ contact.huge }} {{ contact.huge | plus: 1 }}"),
            "123456789012345678901234567890 1");
  EXPECT_EQ(text("{{ 999999999999999999 | plus: 1 }}"),
            "fault: The result has more than 18 digits before the decimal point.");
}

TEST_F(LiquidRender, divides_whole_numbers_to_whole_numbers) {
  EXPECT_EQ(text("{{ 7 | divided_by: 2 }} {{ -7 | divided_by: 2 }} {{ 7 | divided_by: '2' }}"),
            "3 -4 3");
  EXPECT_EQ(text("{{ 7 | divided_by: 2.0 }} {{ contact.whole | divided_by: 5 }}"), "3.5 2.4");
  EXPECT_EQ(text("{{ 2 | divided_by: 3.0 }} {{ 1 | divided_by: 3.0 | times: 3 }}"),
            "0.666667 0.999999");
  EXPECT_EQ(text("{{ 1 | divided_by: 0 }}"), "fault: `divided_by` divides by zero.");
  EXPECT_EQ(text("{{ 1 | modulo: 'x' }}"), "fault: `modulo` divides by zero.");
  EXPECT_EQ(text("{{ 0.3 | modulo: 0.1 }} {{ -0.5 | modulo: 3 }} {{ 5.5 | modulo: -2 }}"),
            "0 2.5 -0.5");
}

TEST_F(LiquidRender, counts_characters) {
  EXPECT_EQ(text("{{ contact.emoji | size }} {{ contact.emoji.size }} {{ contact.emoji | first }}"),
            "2 2 😀");
  EXPECT_EQ(text("{{ contact.emoji | truncate: 1, '' }} {{ contact.emoji | slice: 0 }}"), "😀 😀");
  EXPECT_EQ(text("{{ contact.emoji | split: '' | join: '-' }} {{ 'a😀' | last }}"), "😀-a 😀");
  EXPECT_EQ(text("{{ 'äöü' | replace: '', '-' }}"), "ä-ö-ü");
}

TEST_F(LiquidRender, prints_nothing_for_objects) {
  EXPECT_EQ(text("[{{ contact }}{{ event.data.lines }}{{ event.data.lines | join: ',' }}]"), "[,]");
  EXPECT_EQ(text("{% for x in (1..1) %}[{{ forloop }}]{% endfor %}"), "[]");
}

TEST_F(LiquidRender, writes_dates_in_the_zone_and_language_of_the_person) {
  EXPECT_EQ(text("{{ contact.seen | date: '%a %-d.%-m. %H:%M %z %Z' }}"),
            "Thu 19.11. 00:30 +0100 CET");
  EXPECT_EQ(text("{{ 'now' | date: '%H:%M' }}"), "01:30");
  EXPECT_EQ(text("{{ contact.born | date: '%A %e %B %Y %z' }}"), "Sunday 25 March 1990 +0100");
  context_.locale = "de";
  EXPECT_EQ(text("{{ contact.born | date: '%A, %-d. %B %Y (%a %b)' }}"),
            "Sonntag, 25. März 1990 (So. März)");
  context_.zone = std::chrono::locate_zone("America/Los_Angeles");
  EXPECT_EQ(text("{{ contact.born | date: '%d' }} {{ contact.seen | date: '%d %l %p' }}"),
            "25 18  3 PM");
  context_.zone = nullptr;
  EXPECT_EQ(text("{{ contact.seen | date: '%H %Z' }} {{ 99999999999999 | date: '%Y' }}"),
            "23 UTC 99999999999999");
}

TEST_F(LiquidRender, writes_money_in_the_currency_beside_the_amount) {
  EXPECT_EQ(text("{{ event.data.total | money }}"), "CHF\u00a01,234.50");
  EXPECT_EQ(
      text("{% for l in event.data.lines %}{{ l.unitPrice | times: 2 | money }};{% endfor %}"),
      "CHF\u00a039.80;$10.00;");
  EXPECT_EQ(text("{{ store.price | money }} {{ store.price | money: 'JPY' }}"), "€7.00 ¥7");
  EXPECT_EQ(text("{{ nil | money }}[{{ 'x' | money }}] {{ 3 | money: 'zzz' }}"), "[x] 3.00 zzz");
  EXPECT_EQ(text("{% assign d = event.data %}{{ d.total | money }}"), "CHF\u00a01,234.50");
  context_.locale = "de";
  EXPECT_EQ(text("{{ event.data.total | money: store.currency }}"), "1.234,50\u00a0CHF");
  context_.currency = "";
  EXPECT_EQ(text("{{ 3 | money }}"), "3.00");
}

TEST_F(LiquidRender, asks_for_products_and_reads_them_when_rendered_again) {
  const std::string source =
      "{{ products['x'].name }}{% for l in event.data.lines %}{{ l.product.name }};{% endfor %}"
      "{{ event.data.lines | map: 'product.name' | join }}{{ products.x.name }}{{ contact.product "
      "}}";
  auto first = rendered(source);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->products_asked, (std::vector<std::string>{"x", "p1", "p2"}));
  const auto product = json::Document::parse(R"({"name": "Bell"})");
  data_.products.emplace("p1", product->root());
  data_.products.emplace("x", product->root());
  first = rendered(source);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->text, "BellBell;;Bell Bell");
  EXPECT_EQ(first->products_asked, std::vector<std::string>{"p2"});
}

TEST_F(LiquidRender, asks_for_a_limited_number_of_products) {
  const auto result = rendered("{% for n in (1..90) %}{{ products[n] }}{% endfor %}");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->products_asked.size(), 50U);
}

TEST_F(LiquidRender, never_orders_values_of_different_types) {
  EXPECT_EQ(
      text(
          "{% if '5' > 3 %}a{% endif %}{% if '5' < 3 %}b{% endif %}{% if nil >= 0 %}c{% endif %}."),
      ".");
  EXPECT_EQ(text("{% assign n = '5' | plus: 0 %}{% if n > 3 %}more{% endif %}"), "more");
}

TEST_F(LiquidRender, names_the_place_of_a_fault) {
  const auto result = rendered("a\n{% if true %}\n  {{ 1 | plus: 1 | divided_by: 0 }}{% endif %}");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().line, 3U);
  EXPECT_EQ(result.error().column, 20U);
}

}  // namespace
}  // namespace shopbell::liquid
