// Money: an amount in the store's currency, as answers show it.
#pragma once

#include <string>
#include <string_view>

#include "json/fields.h"

namespace shopbell::workflows {

struct Money {
  std::string amount;
  std::string currency;
};

// `amount` is a number as PostgreSQL writes it. It is shown with the digits of the currency.
Money money_of(std::string_view amount, std::string currency);

const json::Table<Money>& money_json();

}  // namespace shopbell::workflows
