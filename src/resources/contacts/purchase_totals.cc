#include "resources/contacts/purchase_totals.h"

#include <algorithm>
#include <stdexcept>

#include "base/text.h"

namespace shopbell::contacts {

namespace {

CurrencyTotal& entry_of(std::vector<CurrencyTotal>& totals, const std::string& currency) {
  const auto place = std::ranges::lower_bound(totals, currency, {}, &CurrencyTotal::currency);
  if (place != totals.end() && place->currency == currency) return *place;
  return *totals.insert(place, {.currency = currency});
}

template <class Resource>
json::Field<Resource> amount(std::string name, Decimal Resource::* member, auto currency_of) {
  return json::decimal(std::move(name), member)
      .shown_by([member, currency_of](json::Writer& writer, const Resource& resource) {
        writer.text((resource.*member).to_string(minor_digits(currency_of(resource))));
      });
}

const json::Table<CurrencyTotal>& currency_total_json() {
  static const json::Table<CurrencyTotal> table{
      "CurrencyTotal",
      "The total of the purchases in one currency.",
      {json::text("currency", &CurrencyTotal::currency).length_max(3),
       json::integer("count", &CurrencyTotal::count),
       amount("total", &CurrencyTotal::total,
              [](const CurrencyTotal& total) { return total.currency; })}};
  return table;
}

json::Field<PurchaseTotals> average() {
  json::Schema shown = json::decimal_schema();
  shown.nullable = true;
  shown.read_only = true;
  return {
      "averageAmount", std::move(shown),
      [](json::Writer& writer, const PurchaseTotals& totals) {
        const auto average =
            totals.total.scaled(Decimal::from_integer(1), Decimal::from_integer(totals.count));
        average ? writer.text(average->to_string(minor_digits(totals.currency.value_or(""))))
                : writer.null();
      },
      [](json::Reading&, const json::Value&,
         const json::Field<PurchaseTotals>&) -> json::Field<PurchaseTotals>::Set { return {}; }};
}

std::optional<Instant> earlier(std::optional<Instant> a, std::optional<Instant> b) {
  return a && b ? std::min(*a, *b) : a ? a : b;
}
std::optional<Instant> later(std::optional<Instant> a, std::optional<Instant> b) {
  return a && b ? std::max(*a, *b) : a ? a : b;
}

}  // namespace

bool PurchaseTotals::add(const PurchaseShare& share, const std::string& store_currency) {
  CurrencyTotal& entry = entry_of(by_currency, share.currency);
  const auto sum = entry.total.plus(share.net);
  const auto all = total.plus(share.store_amount.value_or(Decimal{}));
  if (!sum || !all) return false;
  entry.total = *sum;
  ++entry.count;
  total = *all;
  count += share.store_amount ? 1 : 0;
  currency = store_currency;
  first_at = earlier(first_at, share.purchased_at);
  last_at = later(last_at, share.purchased_at);
  return true;
}

void PurchaseTotals::take(const PurchaseShare& share, std::optional<Instant> first,
                          std::optional<Instant> last) {
  CurrencyTotal& entry = entry_of(by_currency, share.currency);
  entry.total = entry.total.minus(share.net).value_or(entry.total);
  if (--entry.count <= 0) std::erase_if(by_currency, [](const auto& e) { return e.count <= 0; });
  total = total.minus(share.store_amount.value_or(Decimal{})).value_or(total);
  count -= share.store_amount ? 1 : 0;
  if (by_currency.empty()) currency.reset();
  first_at = first;
  last_at = last;
}

void PurchaseTotals::merge(const PurchaseTotals& other) {
  for (const auto& theirs : other.by_currency) {
    CurrencyTotal& entry = entry_of(by_currency, theirs.currency);
    entry.count += theirs.count;
    entry.total = entry.total.plus(theirs.total).value_or(std::max(entry.total, theirs.total));
  }
  count += other.count;
  total = total.plus(other.total).value_or(std::max(total, other.total));
  if (!currency) currency = other.currency;
  first_at = earlier(first_at, other.first_at);
  last_at = later(last_at, other.last_at);
}

const json::Table<PurchaseTotals>& purchase_totals_json() {
  static const json::Table<PurchaseTotals> table{
      "PurchaseTotals",
      "Totals of the contact's purchases, without cancelled ones.",
      {json::integer("count", &PurchaseTotals::count)
           .doc("The number of purchases whose amount in the store's currency is known."),
       amount("totalAmount", &PurchaseTotals::total,
              [](const PurchaseTotals& totals) { return totals.currency.value_or(""); })
           .doc("In the store's currency, after refunds."),
       average(),
       json::text("currency", &PurchaseTotals::currency)
           .doc("The store's currency; null before the first purchase.")
           .length_max(3),
       json::objects("byCurrency", &PurchaseTotals::by_currency, currency_total_json(),
                     limits::kPrices),
       json::instant("firstAt", &PurchaseTotals::first_at),
       json::instant("lastAt", &PurchaseTotals::last_at)}};
  return table;
}

std::string totals_to_json(const PurchaseTotals& totals) {
  return totals.empty() ? "{}" : purchase_totals_json().to_json(totals);
}

PurchaseTotals totals_from_json(std::string_view text) {
  PurchaseTotals totals;
  if (text == "{}") return totals;
  const auto document = json::Document::parse(text);
  if (!document) throw std::logic_error{"stored purchase totals are not JSON"};
  json::Reading reading;
  purchase_totals_json().read_patch(document->root(), reading).apply_to(totals);
  return totals;
}

}  // namespace shopbell::contacts
