// Purchase: an order, identified by the store's own id. Its lines are snapshots: the products need
// not exist and may change later.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/decimal.h"
#include "base/digest.h"
#include "base/time.h"
#include "base/uuid.h"
#include "json/field_kinds.h"
#include "resources/contacts/named_contact.h"

namespace shopbell::purchases {

struct Line {
  std::optional<std::string> line_id;
  std::optional<std::string> product_id;
  std::optional<std::string> variant_id;
  std::optional<std::string> sku;
  std::optional<std::string> name;
  std::optional<Decimal> quantity;
  std::optional<Decimal> unit_price;
  std::optional<Decimal> original_unit_price;
  std::optional<Decimal> discount;
  std::optional<Decimal> tax;
  std::optional<Decimal> total;
  std::optional<std::string> brand;
  std::vector<std::string> categories;
  std::vector<std::string> tags;
  std::optional<std::string> url;
  std::optional<std::string> image_url;
  std::map<std::string, json::Raw> attributes;
  int minor_digits = 2;
};

struct RefundLine {
  std::optional<std::string> line_id;
  std::optional<Decimal> quantity;
  std::optional<Decimal> amount;
  int minor_digits = 2;
};

struct Refund {
  std::string refund_id;
  std::optional<Instant> at;
  std::optional<Decimal> amount;
  std::optional<std::string> reason;
  std::vector<RefundLine> lines;
  int minor_digits = 2;
};

// The workflow that led to a purchase. The lanes of workflows write it, in its own table.
struct Attribution {
  Uuid workflow_id;
  std::optional<std::string> node_id;
  std::optional<Uuid> message_id;
  std::string rule;  // "coupon": a code of a run; "goal": the purchase converted a run
};

struct Purchase {
  Uuid id;
  std::string purchase_id;  // the store's own id of the purchase
  std::optional<std::string> order_number;
  std::optional<std::string> cart_id;
  std::optional<Uuid> contact_id;
  std::optional<Instant> purchased_at;
  std::string currency;
  std::optional<Decimal> total;
  std::optional<Decimal> store_total;
  std::optional<Decimal> subtotal;
  std::optional<Decimal> shipping;
  std::optional<Decimal> tax;
  bool tax_included = false;
  std::optional<Decimal> discount;
  std::optional<std::string> payment_method;
  std::optional<std::string> channel;
  std::vector<std::string> coupon_codes;
  std::string status = "placed";
  std::vector<Refund> refunds;
  std::optional<std::string> shipping_country;
  std::vector<std::string> tracking_urls;
  std::optional<std::string> order_url;
  std::map<std::string, json::Raw> attributes;
  std::vector<Line> lines;
  std::optional<Attribution> attributed_to;
  std::optional<Instant> source_updated_at;
  Instant created_at;
  Instant updated_at;

  // True if the request has `contact{}`, even as null: then the sale has no contact, and `contact`
  // is empty.
  bool names_contact = false;
  std::optional<contacts::Patch> contact;

  // Internal members, which no API response contains.
  std::int16_t lane = 0;
  Sha256 content_hash{};
  std::vector<std::string> reported_milestones;  // "paid" or "refund r-1"; each had its event
  std::int64_t version = 0;                      // 0: the purchase is not stored yet
  int minor_digits = 2;                          // fraction digits of `currency`

  bool exists() const { return version > 0; }
};

// Return the sum of refunds, and the total minus refunds; the net total is 0 if cancelled.
Decimal refunded_total(const Purchase& purchase);
Decimal net_total(const Purchase& purchase);
// Returns the sum of the lines' quantities.
Decimal quantity(const Purchase& purchase);
// Returns the share of the purchase in its contact's totals; nullopt when it was cancelled.
std::optional<contacts::PurchaseShare> share_of(const Purchase& purchase,
                                                const std::string& store_currency);

// Sets the number of fraction digits of all amounts to that of the purchase's currency.
void settle_digits(Purchase& purchase);

}  // namespace shopbell::purchases
