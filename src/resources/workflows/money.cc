#include "resources/workflows/money.h"

#include "base/decimal.h"
#include "base/text.h"

namespace shopbell::workflows {

Money money_of(std::string_view amount, std::string currency) {
  const auto exact = Decimal::parse(amount);
  // A sum may have more digits than a single amount can have.
  std::string shown = exact ? exact->to_string(minor_digits(currency)) : std::string{amount};
  return {.amount = std::move(shown), .currency = std::move(currency)};
}

const json::Table<Money>& money_json() {
  static const json::Table<Money> table{
      "Revenue",
      "The net total of the purchases that the workflow led to, after refunds, in the store's "
      "currency.",
      {json::text("amount", &Money::amount), json::text("currency", &Money::currency)}};
  return table;
}

}  // namespace shopbell::workflows
