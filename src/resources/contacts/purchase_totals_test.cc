#include "resources/contacts/purchase_totals.h"

#include <gtest/gtest.h>

namespace shopbell::contacts {
namespace {

Instant day(int n) { return Instant{std::chrono::days{20'000 + n}}; }

PurchaseShare share(std::string currency, std::string_view net,
                    std::optional<std::string_view> store, int at) {
  return {.currency = std::move(currency),
          .net = *Decimal::parse(net),
          .store_amount = store ? Decimal::parse(*store) : std::nullopt,
          .purchased_at = day(at)};
}

TEST(PurchaseTotals, return_to_zero_after_all_purchases_are_removed) {
  PurchaseTotals totals;
  const auto euro = share("EUR", "0.000001", "0.000001", 2);
  const auto dollar = share("USD", "10", "9.5", 1);
  const auto yen = share("JPY", "1000", std::nullopt, 3);
  for (const auto& one : {euro, dollar, yen}) EXPECT_TRUE(totals.add(one, "EUR"));
  EXPECT_EQ(totals.count, 2);
  EXPECT_EQ(totals.total.to_string(), "9.500001");
  EXPECT_EQ(totals.by_currency.size(), 3U);
  EXPECT_EQ(totals.first_at, day(1));
  EXPECT_EQ(totals.last_at, day(3));
  totals.take(dollar, day(2), day(3));
  EXPECT_EQ(totals.total.to_string(), "0.000001");
  EXPECT_EQ(totals.first_at, day(2));
  totals.take(yen, day(2), day(2));
  totals.take(euro, std::nullopt, std::nullopt);
  EXPECT_TRUE(totals.empty());
  EXPECT_EQ(totals_to_json(totals), "{}");
}

TEST(PurchaseTotals, round_trip_through_json) {
  PurchaseTotals totals;
  ASSERT_TRUE(totals.add(share("EUR", "12.345678", "12.345678", 5), "EUR"));
  const PurchaseTotals again = totals_from_json(totals_to_json(totals));
  EXPECT_EQ(totals_to_json(again), totals_to_json(totals));
  EXPECT_EQ(again.total, totals.total);
  EXPECT_EQ(again.first_at, day(5));
}

TEST(PurchaseTotals, of_merged_contacts_are_added) {
  PurchaseTotals one;
  PurchaseTotals other;
  ASSERT_TRUE(one.add(share("EUR", "1", "1", 4), "EUR"));
  ASSERT_TRUE(other.add(share("EUR", "2", "2", 1), "EUR"));
  ASSERT_TRUE(other.add(share("USD", "3", "2.5", 9), "EUR"));
  one.merge(other);
  EXPECT_EQ(one.count, 3);
  EXPECT_EQ(one.total.to_string(), "5.5");
  EXPECT_EQ(one.by_currency.size(), 2U);
  EXPECT_EQ(one.first_at, day(1));
  EXPECT_EQ(one.last_at, day(9));
}

TEST(PurchaseTotals, report_overflow) {
  PurchaseTotals totals;
  ASSERT_TRUE(totals.add(share("EUR", "999999999999999999", "999999999999999999", 1), "EUR"));
  EXPECT_FALSE(totals.add(share("EUR", "1", "1", 1), "EUR"));
}

}  // namespace
}  // namespace shopbell::contacts
