#include "base/local_formats.h"

#include <gtest/gtest.h>

namespace shopbell {
namespace {

TEST(LocalFormats, writes_amounts_as_the_locale_does) {
  LocalFormats formats;
  const auto amount = [](std::string_view text) { return *Decimal::parse(text); };
  EXPECT_EQ(formats.money(amount("1234.5"), "EUR", "en"), "€1,234.50");
  EXPECT_EQ(formats.money(amount("1234.5"), "EUR", "de"), "1.234,50\u00a0€");
  EXPECT_EQ(formats.money(amount("-1234.5"), "CHF", "de-CH"), "CHF-1’234.50");
  EXPECT_EQ(formats.money(amount("1234.5"), "JPY", "ja"), "￥1,234");
  EXPECT_EQ(formats.money(amount("123456789012345678.25"), "USD", "en"),
            "$123,456,789,012,345,678.25");
  EXPECT_EQ(formats.money(amount("1"), "EUR", "no such locale"), "€\u00a01.00");
}

TEST(LocalFormats, names_months_and_weekdays_as_in_a_date) {
  using Width = LocalFormats::Width;
  LocalFormats formats;
  EXPECT_EQ(formats.month(std::chrono::March, Width::full, "de"), "März");
  EXPECT_EQ(formats.month(std::chrono::March, Width::abbreviated, "en"), "Mar");
  EXPECT_EQ(formats.month(std::chrono::March, Width::full, "pl"), "marca");  // "of March"
  EXPECT_EQ(formats.weekday(std::chrono::Sunday, Width::full, "fr"), "dimanche");
  EXPECT_EQ(formats.weekday(std::chrono::Saturday, Width::abbreviated, "en"), "Sat");
}

}  // namespace
}  // namespace shopbell
