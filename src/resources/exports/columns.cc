#include "resources/exports/columns.h"

#include <algorithm>
#include <format>
#include <map>
#include <ranges>
#include <stdexcept>

#include "pg/snapshot.h"
#include "resources/contact_fields/contact_field.h"
#include "resources/exports/statements.h"

namespace shopbell::exports {

namespace {

using Columns = std::vector<Column>;

// Columns whose SQL is the same for CSV and NDJSON.
Column plain(std::string name, const std::string& sql) {
  return {std::move(name), sql, sql, false};
}
Column text(std::string name, const std::string& sql) { return {std::move(name), sql, sql, true}; }
Column time(std::string name, const std::string& sql) {
  return plain(std::move(name), text_of_time(sql));
}

// A column for a member of a JSON document, written as the API writes it.
Column member(std::string name, std::string_view document, std::string_view key,
              bool guarded = false) {
  return {std::move(name), std::format("{}->>'{}'", document, key),
          std::format("{}->'{}'", document, key), guarded};
}
std::string joined(std::string list) {
  return pg::fill(sql::text_of_list, {{"list", std::move(list)}});
}
Column list(std::string name, std::string_view document, std::string_view key) {
  const std::string value = std::format("{}->'{}'", document, key);
  return {std::move(name), joined(value), value, true};
}
Column part(std::string name, std::string_view document, std::string_view key) {
  const std::string value = std::format("{}->'{}'", document, key);
  return {std::move(name), pg::fill(sql::text_of_part, {{"part", value}}), value, false};
}

// A built-in field of contacts, from the column of its name.
Column built_in(const contact_fields::ContactField& field) {
  const std::string sql = "c." + contact_fields::column_of(field);
  if (field.type == "choices")
    return {field.id, std::format("nullif(array_to_string({}, '|'), '')", sql), sql, true};
  const bool free_text = field.type == "text" || field.type == "email";
  return free_text ? text(field.id, sql) : plain(field.id, sql);
}

Columns contacts() {
  Columns columns{plain("id", "c.contact_id")};
  for (const auto& field : contact_fields::built_in_fields({})) columns.push_back(built_in(field));
  std::ranges::move(
      Columns{plain("purchases.count", "coalesce((c.purchases->>'count')::bigint, 0)"),
              member("purchases.totalAmount", "c.purchases", "totalAmount"),
              member("purchases.currency", "c.purchases", "currency"),
              member("purchases.firstAt", "c.purchases", "firstAt"),
              member("purchases.lastAt", "c.purchases", "lastAt"),
              time("sourceUpdatedAt", "c.source_updated_at"), time("createdAt", "c.created_at"),
              time("updatedAt", "c.updated_at")},
      std::back_inserter(columns));
  return columns;
}

Columns products() {
  Columns columns{plain("id", "p.product_id"), text("productId", "p.store_id")};
  for (const auto* name : {"name", "url", "description", "brand", "sku", "gtin"})
    columns.push_back(member(name, "p.data", name, true));
  columns.push_back(list("categories", "p.data", "categories"));
  columns.push_back(list("tags", "p.data", "tags"));
  for (const auto* name :
       {"imageUrl", "thumbnailUrl", "price", "originalPrice", "priceWithoutTax", "currency"})
    columns.push_back(member(name, "p.data", name));
  columns.push_back(part("prices", "p.data", "prices"));
  for (const auto* name : {"availability", "stock", "rating", "ratingCount", "reviewCount",
                           "priority", "hidden", "publishedAt"})
    columns.push_back(member(name, "p.data", name));
  columns.push_back(list("relatedProductIds", "p.data", "relatedProductIds"));
  for (const auto* name : {"attributes", "translations", "variants"})
    columns.push_back(part(name, "p.data", name));
  columns.push_back(time("sourceUpdatedAt", "p.source_updated_at"));
  columns.push_back(time("createdAt", "p.created_at"));
  columns.push_back(time("updatedAt", "p.updated_at"));
  return columns;
}

// A CSV file has one row per line of a purchase, as imports read it.
void add_lines(Columns& columns) {
  const auto add = [&](Column column) {
    column.value.clear();
    columns.push_back(std::move(column));
  };
  const auto name_of = [](std::string_view key) { return std::string{kLines} + std::string{key}; };
  for (const auto* key : {"lineId", "productId", "variantId", "sku", "name"})
    add(member(name_of(key), "l.line", key, true));
  for (const auto* key : {"quantity", "unitPrice", "originalUnitPrice", "discount", "tax", "total"})
    add(member(name_of(key), "l.line", key));
  add(member(name_of("brand"), "l.line", "brand", true));
  add(list(name_of("categories"), "l.line", "categories"));
  add(list(name_of("tags"), "l.line", "tags"));
  add(member(name_of("url"), "l.line", "url"));
  add(member(name_of("imageUrl"), "l.line", "imageUrl"));
  add(part(name_of("attributes"), "l.line", "attributes"));
  columns.push_back({"lines", "", "p.data->'lines'", false});
}

// A CSV file has a column for each member of the attribution.
void add_attribution(Columns& columns) {
  columns.push_back({"attributedTo.workflowId", "a.workflow_id", "", false});
  columns.push_back({"attributedTo.nodeId", "a.node", "", false});
  columns.push_back({"attributedTo.messageId", "a.message_id", "", false});
  columns.push_back({"attributedTo.rule", "a.rule", "", false});
  columns.push_back({"attributedTo", "",
                     "CASE WHEN a.rule IS NOT NULL THEN json_build_object('workflowId', "
                     "a.workflow_id, 'nodeId', a.node, 'messageId', a.message_id, 'rule', a.rule) "
                     "END",
                     false});
}

Columns purchases() {
  Columns columns{plain("id", "p.purchase_id"),
                  text("purchaseId", "p.store_id"),
                  member("orderNumber", "p.data", "orderNumber", true),
                  member("cartId", "p.data", "cartId", true),
                  plain("contactId", "p.contact_id"),
                  text("contact.email", "c.email"),
                  text("contact.externalId", "c.external_id"),
                  time("purchasedAt", "p.purchased_at")};
  for (const auto* name : {"currency", "total", "storeTotal", "subtotal", "shipping", "tax",
                           "taxIncluded", "discount"})
    columns.push_back(member(name, "p.data", name));
  columns.push_back(member("paymentMethod", "p.data", "paymentMethod", true));
  columns.push_back(member("channel", "p.data", "channel", true));
  columns.push_back(list("couponCodes", "p.data", "couponCodes"));
  columns.push_back(plain("status", "p.status"));
  columns.push_back(part("refunds", "p.data", "refunds"));
  columns.push_back(member("shippingCountry", "p.data", "shippingCountry"));
  columns.push_back(list("trackingUrls", "p.data", "trackingUrls"));
  columns.push_back(member("orderUrl", "p.data", "orderUrl"));
  columns.push_back(part("attributes", "p.data", "attributes"));
  add_lines(columns);
  for (const auto* name : {"quantity", "refundedTotal", "netTotal"})
    columns.push_back(member(name, "p.data", name));
  add_attribution(columns);
  columns.push_back(time("sourceUpdatedAt", "p.source_updated_at"));
  columns.push_back(time("createdAt", "p.created_at"));
  columns.push_back(time("updatedAt", "p.updated_at"));
  return columns;
}

Columns coupons() {
  return {text("code", "c.code"),
          plain("couponSet", "s.alias"),
          plain("state", pg::fill(sql::coupon_state, {})),
          plain("contactId", "k.contact_id"),
          time("assignedAt", "k.claimed_at"),
          time("redeemedAt", "r.redeemed_at"),
          {"byOther", "r.by_other::text", "r.by_other", false},
          time("addedAt", "c.added_at")};
}

Columns activities() {
  const std::string payload = pg::fill(sql::shown_payload, {});
  return {plain("id", "e.uid"),
          plain("kind", "e.kind"),
          time("occurredAt", "e.occurred_at"),
          time("receivedAt", "e.received_at"),
          plain("contactId", "e.contact_id"),
          text("subject", "e.subject"),
          {"data", std::format("({})::text", payload), payload, false}};
}

}  // namespace

std::string text_of_time(std::string at) {
  return pg::fill(sql::text_of_time, {{"at", std::move(at)}});
}

const std::vector<Column>& columns_of(std::string_view type) {
  static const std::map<std::string_view, Columns> types{{"contacts", contacts()},
                                                         {"products", products()},
                                                         {"purchases", purchases()},
                                                         {"coupons", coupons()},
                                                         {"activities", activities()}};
  const auto found = types.find(type);
  if (found == types.end()) throw std::logic_error{"unknown type of export"};
  return found->second;
}

Column column_of(const OwnField& field) {
  std::string value = std::format("(c.fields->'{}')", field.number);
  std::string cell = std::format("(c.fields->>'{}')", field.number);
  if (!field.default_value.empty()) {
    // A contact that is older than the field has no value, so the default applies.
    const std::string standard = pg::Snapshot::quote(field.default_value) + "::jsonb";
    value = std::format("coalesce({}, {})", value, standard);
    cell = std::format("({} #>> '{{}}')", value);
  }
  if (field.type == "choices") cell = joined(value);
  const bool guarded = field.type == "text" || field.type == "email" || field.type == "url" ||
                       field.type == "choice" || field.type == "choices";
  return {std::string{kOwnFields} + field.id, cell, value, guarded};
}

}  // namespace shopbell::exports
