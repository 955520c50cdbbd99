// Purchase totals of a contact. They stay exact: each write adds or removes one purchase.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/decimal.h"
#include "base/time.h"
#include "json/fields.h"

namespace shopbell::contacts {

struct CurrencyTotal {
  std::string currency;
  std::int64_t count = 0;
  Decimal total;
};

// The amounts that one purchase contributes to the totals.
struct PurchaseShare {
  std::string currency;
  Decimal net;                          // net amount in the purchase's currency
  std::optional<Decimal> store_amount;  // amount in the store's currency, if known
  Instant purchased_at;
};

struct PurchaseTotals {
  std::int64_t count = 0;  // purchases whose amount in the store's currency is known
  Decimal total;
  std::optional<std::string> currency;  // the store's currency; empty before the first purchase
  std::vector<CurrencyTotal> by_currency;
  std::optional<Instant> first_at;
  std::optional<Instant> last_at;

  // Adds a purchase. Returns false when a sum would overflow.
  [[nodiscard]] bool add(const PurchaseShare& share, const std::string& store_currency);
  // Removes a purchase. `first` and `last` are the times of the remaining purchases.
  void take(const PurchaseShare& share, std::optional<Instant> first, std::optional<Instant> last);
  // Adds the totals of a contact that is merged into this one.
  void merge(const PurchaseTotals& other);
  bool empty() const { return by_currency.empty(); }
};

const json::Table<PurchaseTotals>& purchase_totals_json();
// Returns the totals as JSON; "{}" when there are no purchases.
std::string totals_to_json(const PurchaseTotals& totals);
PurchaseTotals totals_from_json(std::string_view text);

}  // namespace shopbell::contacts
