#include "resources/purchases/purchase.h"

#include "base/text.h"

namespace shopbell::purchases {

namespace {

// Sums up the refunds. Their amounts and number are bounded; a refund that would still overflow the
// sum is left out.
Decimal sum_of_refunds(const Purchase& purchase) {
  Decimal sum;
  for (const auto& refund : purchase.refunds)
    sum = sum.plus(refund.amount.value_or(Decimal{})).value_or(sum);
  return sum;
}

}  // namespace

Decimal refunded_total(const Purchase& purchase) {
  if (purchase.status == "refunded" && purchase.refunds.empty())
    return purchase.total.value_or(Decimal{});
  return sum_of_refunds(purchase);
}

Decimal net_total(const Purchase& purchase) {
  if (purchase.status == "cancelled") return {};
  const Decimal total = purchase.total.value_or(Decimal{});
  return total.minus(refunded_total(purchase)).value_or(Decimal{});
}

Decimal quantity(const Purchase& purchase) {
  Decimal sum;
  for (const auto& line : purchase.lines)
    sum = sum.plus(line.quantity.value_or(Decimal{})).value_or(sum);
  return sum;
}

std::optional<contacts::PurchaseShare> share_of(const Purchase& purchase,
                                                const std::string& store_currency) {
  if (purchase.status == "cancelled") return std::nullopt;
  contacts::PurchaseShare share{.currency = purchase.currency,
                                .net = net_total(purchase),
                                .purchased_at = purchase.purchased_at.value_or(Instant{})};
  if (purchase.currency == store_currency) {
    share.store_amount = share.net;
  } else if (purchase.store_total && purchase.total) {
    // Converts the net amount at the exchange rate that the store used for the total.
    share.store_amount =
        purchase.store_total->scaled(share.net, *purchase.total).value_or(Decimal{});
  }
  return share;
}

void settle_digits(Purchase& purchase) {
  purchase.minor_digits = minor_digits(purchase.currency);
  for (auto& line : purchase.lines) line.minor_digits = purchase.minor_digits;
  for (auto& refund : purchase.refunds) {
    refund.minor_digits = purchase.minor_digits;
    for (auto& line : refund.lines) line.minor_digits = purchase.minor_digits;
  }
}

}  // namespace shopbell::purchases
