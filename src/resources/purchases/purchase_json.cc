#include "resources/purchases/purchase_json.h"

#include "base/limits.h"
#include "base/text.h"
#include "json/maps.h"
#include "json/shop_fields.h"
#include "resources/contacts/named_contact_field.h"

namespace shopbell::purchases {

namespace {

using json::Field;
using json::money;
using json::web_url;

template <class Resource, class Member>
Field<Resource> store_id(std::string name, Member Resource::* member) {
  return json::text(std::move(name), member).length_min(1).length_max(limits::kStoreIdCharacters);
}

// Returns a read-only field, whose value is computed from the others.
Field<Purchase> shown_only(std::string name, json::Schema schema, Field<Purchase>::Write write) {
  schema.read_only = true;
  return {std::move(name), std::move(schema), std::move(write),
          [](json::Reading&, const json::Value&, const Field<Purchase>&) -> Field<Purchase>::Set {
            return {};
          }};
}

Field<Purchase> amount_of(std::string name, Decimal (*computed)(const Purchase&)) {
  return shown_only(std::move(name), json::decimal_schema(),
                    [computed](json::Writer& writer, const Purchase& purchase) {
                      writer.text(computed(purchase).to_string(purchase.minor_digits));
                    });
}

const json::Table<Line>& line_json() {
  const auto named = [](json::Schema& element) { element.length_min = 1; };
  static const json::Table<Line> table{
      "PurchaseLine",
      "One item of a purchase, as it was at the time.",
      {store_id("lineId", &Line::line_id),
       store_id("productId", &Line::product_id).example(R"("bell-1")"),
       store_id("variantId", &Line::variant_id), json::text("sku", &Line::sku),
       json::text("name", &Line::name).example(R"("Bell, brass")"),
       json::decimal("quantity", &Line::quantity).example(R"("2")"),
       money("unitPrice", &Line::unit_price).example(R"("19.90")"),
       money("originalUnitPrice", &Line::original_unit_price), money("discount", &Line::discount),
       money("tax", &Line::tax), money("total", &Line::total).example(R"("39.80")"),
       json::text("brand", &Line::brand),
       json::texts("categories", &Line::categories).items_max(limits::kCategories).element(named),
       json::texts("tags", &Line::tags).items_max(limits::kProductTags).element(named),
       web_url("url", &Line::url), web_url("imageUrl", &Line::image_url),
       json::scalars("attributes", &Line::attributes)}};
  return table;
}

const json::Table<RefundLine>& refund_line_json() {
  static const json::Table<RefundLine> table{
      "RefundLine",
      "The refunded part of a line.",
      {store_id("lineId", &RefundLine::line_id), json::decimal("quantity", &RefundLine::quantity),
       money("amount", &RefundLine::amount)}};
  return table;
}

const json::Table<Refund>& refund_json() {
  static const json::Table<Refund> table{
      "Refund",
      "A refund of a purchase.",
      {store_id("refundId", &Refund::refund_id).required(), json::instant("at", &Refund::at),
       money("amount", &Refund::amount).minimum(0), json::text("reason", &Refund::reason),
       json::objects("lines", &Refund::lines, refund_line_json(), limits::kPurchaseLines)}};
  return table;
}

Field<Purchase> contact() {
  return contacts::named_contact_field(&Purchase::contact, &Purchase::names_contact)
      .doc(
          "The buyer, identified by email, externalId or both. Other members apply to a new "
          "contact, or to an existing one with `updateContact=true`. Null: a sale without a "
          "contact.");
}

Field<Purchase> attributed_to() {
  using json::Schema;
  const Schema id{.type = "string", .format = "uuid"};
  const Schema maybe_id{.type = "string", .format = "uuid", .nullable = true};
  const Schema schema{
      .type = "object",
      .description =
          "The workflow that led to the purchase; null: none. It is set shortly after "
          "the purchase was sent.",
      .nullable = true,
      .members = {
          {"workflowId", id},
          {"nodeId", {.type = "string", .nullable = true}},
          {"messageId", maybe_id},
          {"rule",
           {.type = "string",
            .description = "`coupon`: the purchase redeems a code that the workflow gave; `goal`: "
                           "the purchase is the goal of a run.",
            .options = {"coupon", "goal"}}}}};
  return shown_only("attributedTo", schema, [](json::Writer& writer, const Purchase& purchase) {
    if (!purchase.attributed_to) {
      writer.null();
      return;
    }
    const Attribution& to = *purchase.attributed_to;
    writer.begin_object();
    writer.key("workflowId").text(to.workflow_id.to_string());
    writer.key("nodeId");
    to.node_id ? writer.text(*to.node_id) : writer.null();
    writer.key("messageId");
    to.message_id ? writer.text(to.message_id->to_string()) : writer.null();
    writer.key("rule").text(to.rule).end();
  });
}

std::vector<Field<Purchase>> amounts() {
  return {money("total", &Purchase::total)
              .required()
              .minimum(0)
              .doc("The total amount of the purchase.")
              .example(R"("39.80")"),
          money("storeTotal", &Purchase::store_total)
              .minimum(0)
              .doc("The total in the store's currency, as the store converted it."),
          money("subtotal", &Purchase::subtotal),
          money("shipping", &Purchase::shipping),
          money("tax", &Purchase::tax),
          json::boolean("taxIncluded", &Purchase::tax_included).default_value("false"),
          money("discount", &Purchase::discount)};
}

std::vector<Field<Purchase>> members() {
  std::vector<Field<Purchase>> all{
      json::uuid("id", &Purchase::id),
      store_id("purchaseId", &Purchase::purchase_id)
          .required()
          .doc("The store's own id; unique.")
          .example(R"("order-1042")"),
      json::text("orderNumber", &Purchase::order_number),
      json::text("cartId", &Purchase::cart_id),
      contact(),
      shown_only("contactId", {.type = "string", .format = "uuid", .nullable = true},
                 [](json::Writer& writer, const Purchase& purchase) {
                   purchase.contact_id ? writer.text(purchase.contact_id->to_string())
                                       : writer.null();
                 }),
      json::instant("purchasedAt", &Purchase::purchased_at).doc("Default: now."),
      json::text("currency", &Purchase::currency)
          .required()
          .length_max(3)
          .rule(is_currency, "Is not an ISO 4217 currency such as EUR.")
          .example(R"("EUR")")};
  std::ranges::move(amounts(), std::back_inserter(all));
  std::ranges::move(
      std::vector<Field<Purchase>>{
          json::text("paymentMethod", &Purchase::payment_method),
          json::text("channel", &Purchase::channel),
          json::texts("couponCodes", &Purchase::coupon_codes)
              .items_max(limits::kCouponCodes)
              .element([](json::Schema& element) { element.length_min = 1; }),
          json::text("status", &Purchase::status)
              .options({"placed", "paid", "fulfilled", "delivered", "cancelled",
                        "partiallyRefunded", "refunded"})
              .default_value(R"("placed")"),
          json::objects("refunds", &Purchase::refunds, refund_json(), limits::kRefunds),
          json::text("shippingCountry", &Purchase::shipping_country)
              .length_max(2)
              .rule(is_country, "Is not an ISO 3166-1 country such as AT."),
          json::texts("trackingUrls", &Purchase::tracking_urls)
              .items_max(limits::kTrackingUrls)
              .element([](json::Schema& element) { element.length_max = 2048; })
              .rule(is_web_url, "Is not an http or https URL."),
          web_url("orderUrl", &Purchase::order_url),
          json::scalars("attributes", &Purchase::attributes),
          json::objects("lines", &Purchase::lines, line_json(), limits::kPurchaseLines).required(),
          shown_only("quantity", json::decimal_schema(),
                     [](json::Writer& writer, const Purchase& purchase) {
                       writer.text(quantity(purchase).to_string());
                     }),
          amount_of("refundedTotal", refunded_total), amount_of("netTotal", net_total),
          attributed_to(),
          json::instant("sourceUpdatedAt", &Purchase::source_updated_at)
              .doc("When the store last changed the purchase. A write with an earlier time than "
                   "the stored one changes nothing."),
          json::instant("createdAt", &Purchase::created_at).read_only(),
          json::instant("updatedAt", &Purchase::updated_at).read_only()},
      std::back_inserter(all));
  return all;
}

}  // namespace

const json::Table<Purchase>& purchase_json() {
  static const json::Table<Purchase> table{"Purchase", "A purchase of a contact.", members()};
  return table;
}

}  // namespace shopbell::purchases
