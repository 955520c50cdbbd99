#include "resources/products/product_change.h"

#include <algorithm>
#include <format>

#include "base/digest.h"
#include "base/limits.h"
#include "json/difference.h"
#include "resources/products/product_json.h"

namespace shopbell::products {

namespace {

using json::Reading;

// Refuses a new product without `name` and `url`.
void require_for_new(Reading& reading, const json::Changes<Product>& patch) {
  for (const std::string_view member : {"name", "url"}) {
    const bool refused = reading.refused_at("/" + std::string{member});
    if (!patch.names(member) && !refused)
      reading.refuse_at(member, "required", "Is required for a new product.");
  }
}

bool is_on_domain(std::string_view url, const std::vector<std::string>& domains) {
  const auto start = url.find("://") + 3;
  std::string_view host = url.substr(start, url.find_first_of("/?#:", start) - start);
  return std::ranges::any_of(domains, [&](const std::string& domain) {
    return host == domain || host.ends_with("." + domain);
  });
}

void check_domain(const Product& product, const Knowledge& known) {
  if (known.store_domains.empty() || is_on_domain(product.url, known.store_domains)) return;
  throw Problem{Code::url_domain,
                "The product's URL is not on one of the store's domains.",
                {{Fault::Where::pointer, "/url", "conflicts-with",
                  "Must be on one of the store's domains."}}};
}

// Checks the sizes of maps after the patch, because a patch adds entries to the stored ones.
void check_sizes(Reading& reading, const Product& product) {
  const auto check = [&](std::string_view member, std::size_t size, std::size_t most) {
    if (size > most)
      reading.refuse_at(member, "too-long",
                        std::format("Would have {} members; at most {} are allowed.", size, most));
  };
  check("prices", product.prices.size(), limits::kPrices);
  check("attributes", product.attributes.size(), limits::kAttributes);
  check("translations", product.translations.size(), limits::kTranslations);
  check("variants", product.variants.size(), limits::kVariants);
}

class EventAppender {
 public:
  EventAppender(Change& change, const Knowledge& known) : change_{change}, known_{known} {}

  void append(std::string kind, std::string payload) {
    change_.events.push_back({.uid = Uuid::v7(known_.now),
                              .lane = lane_of(known_.account, change_.after.product_id),
                              .subject = change_.after.product_id,
                              .kind = std::move(kind),
                              .occurred_at = known_.now,
                              .trigger = known_.trigger,
                              .payload = std::move(payload)});
  }

  // Appends back-in-stock and price-dropped events of the product or of one variant.
  void append_offer_events(const std::optional<std::string>& variant_id, const Product& before,
                           const std::optional<Decimal>& old_price,
                           const std::optional<Decimal>& price, std::optional<bool> was_orderable,
                           std::optional<bool> orderable) {
    if (was_orderable == false && orderable == true) {
      json::Writer writer = begin(variant_id);
      writer.end();
      append("product.back-in-stock", writer.finish());
    }
    if (before.currency != change_.after.currency || !old_price || !price || *price >= *old_price)
      return;
    const int digits = change_.after.minor_digits;
    const auto drop = old_price->minus(*price);
    const auto percent = drop->scaled(Decimal::from_integer(100), *old_price);
    json::Writer writer = begin(variant_id);
    writer.key("from").text(old_price->to_string(digits));
    writer.key("to").text(price->to_string(digits));
    writer.key("currency").text(change_.after.currency);
    writer.key("percent").text(percent.value_or(Decimal{}).to_string()).end();
    append("product.price-dropped", writer.finish());
  }

 private:
  json::Writer begin(const std::optional<std::string>& variant_id) const {
    json::Writer writer;
    writer.begin_object().key("productId").text(change_.after.product_id).key("variantId");
    variant_id ? writer.text(*variant_id) : writer.null();
    return writer;
  }

  Change& change_;
  const Knowledge& known_;
};

std::string json_text(std::string_view text) {
  json::Writer writer;
  writer.text(text);
  return writer.finish();
}

void append_events(Change& change, const Knowledge& known) {
  const Product& before = change.before;
  const Product& after = change.after;
  const json::Difference difference{
      product_json().members(before),
      product_json().members(after),
      {.silent = {"id", "productId", "discount", "sourceUpdatedAt", "createdAt", "updatedAt"},
       .nested = {"attributes", "translations", "variants", "prices"}}};
  if (difference.empty()) return;
  EventAppender appender{change, known};
  appender.append(before.exists() ? "product.updated" : "product.created",
                  difference.payload({{"productId", json_text(after.product_id)}}));
  if (!before.exists()) return;
  appender.append_offer_events(std::nullopt, before, before.price, after.price,
                               is_orderable(before.availability, before.stock),
                               is_orderable(after.availability, after.stock));
  for (const auto& [id, variant] : after.variants) {
    const auto old = before.variants.find(id);
    if (old == before.variants.end()) continue;
    appender.append_offer_events(id, before, old->second.price, variant.price,
                                 is_orderable(old->second.availability, old->second.stock),
                                 is_orderable(variant.availability, variant.stock));
  }
}

}  // namespace

Change decide_change(Reading& reading, const Product& before, const json::Changes<Product>& patch,
                     const Knowledge& known) {
  Change change{.before = before, .after = before};
  Product& after = change.after;
  if (!before.exists()) {
    after.currency = known.store_currency;
    require_for_new(reading, patch);
  }
  patch.apply_to(after);
  check_sizes(reading, after);
  reading.finish();
  if (after.source_updated_at) after.source_updated_at = to_milliseconds(*after.source_updated_at);
  if (patch.names("sourceUpdatedAt") && before.source_updated_at && after.source_updated_at &&
      *after.source_updated_at < *before.source_updated_at) {
    change.after = before;
    change.stale = true;
    return change;
  }
  if (!after.source_updated_at) after.source_updated_at = before.source_updated_at;
  if (patch.names("url")) check_domain(after, known);
  settle_digits(after);
  append_events(change, known);
  change.is_write = !change.events.empty() || after.source_updated_at != before.source_updated_at;
  if (!change.is_write) return change;
  if (!before.exists()) after.created_at = known.now;
  after.updated_at = known.now;
  after.version = before.version + 1;
  return change;
}

events::Event deletion_event(const Product& product, const Knowledge& known) {
  return {.uid = Uuid::v7(known.now),
          .lane = lane_of(known.account, product.product_id),
          .subject = product.product_id,
          .kind = "product.deleted",
          .occurred_at = known.now,
          .trigger = known.trigger,
          .payload = std::format(R"({{"productId":{}}})", json_text(product.product_id))};
}

std::int16_t lane_of(std::int64_t account, std::string_view product_id) {
  const Sha256 hash = sha256(std::format("{} {}", account, product_id));
  return static_cast<std::int16_t>(hash[0] << 2 | hash[1] >> 6);
}

}  // namespace shopbell::products
