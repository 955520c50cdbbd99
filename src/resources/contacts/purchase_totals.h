// Purchase totals: what the purchases of a contact come to, kept exact by adding and taking away
// one purchase at a time.
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

// What one purchase adds.
struct PurchaseShare {
  std::string currency;
  Decimal net;                          // in its currency
  std::optional<Decimal> store_amount;  // in the store's, where that is known
  Instant purchased_at;
};

struct PurchaseTotals {
  std::int64_t count = 0;  // of those known in the store's currency
  Decimal total;
  std::optional<std::string> currency;  // the store's; none before the first purchase
  std::vector<CurrencyTotal> by_currency;
  std::optional<Instant> first_at;
  std::optional<Instant> last_at;

  // False when the sum would be too large to be kept.
  [[nodiscard]] bool add(const PurchaseShare& share, const std::string& store_currency);
  // `first` and `last` are those of the purchases that stay.
  void take(const PurchaseShare& share, std::optional<Instant> first, std::optional<Instant> last);
  // Those of two contacts that are one from now on.
  void merge(const PurchaseTotals& other);
  bool empty() const { return by_currency.empty(); }
};

const json::Table<PurchaseTotals>& purchase_totals_json();
// "{}" when there are none.
std::string totals_to_json(const PurchaseTotals& totals);
PurchaseTotals totals_from_json(std::string_view text);

}  // namespace shopbell::contacts
