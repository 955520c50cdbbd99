#include "resources/purchases/purchases_api.h"

#include <algorithm>
#include <format>

#include "base/limits.h"
#include "base/text.h"
#include "http/answer.h"
#include "http/conditions.h"
#include "http/page.h"
#include "http/write.h"
#include "resources/contacts/contact_answer.h"
#include "resources/contacts/named_contact.h"
#include "resources/coupons/redemption.h"
#include "resources/purchases/purchase_json.h"
#include "resources/purchases/purchase_store.h"
#include "resources/triggers/trigger.h"

namespace shopbell::purchases {

namespace {

using Answer = boost::asio::awaitable<http::Response>;
using contact_fields::FieldSet;
using contacts::Memory;

Problem missing() { return Problem{Code::not_found, "There is no such purchase."}; }

Key key_of(const http::Call& call, bool by_store_id) {
  auto key = store_keys::key_of(call, by_store_id);
  if (!key) throw missing();
  return std::move(*key);
}

std::string tag_of(const Purchase& purchase) {
  static const std::string shape = http::shape_of(purchase_json().schema());
  return http::version_tag(purchase.created_at, purchase.version, shape);
}

http::Response answer_of(const Purchase& purchase, const json::Reading& reading = json::Reading{}) {
  return http::resource_answer(purchase_json(), purchase, tag_of(purchase), reading);
}

Answer get(http::Call call, bool by_store_id) {
  const auto purchase =
      co_await find_purchase(call.database(), call.scope(), key_of(call, by_store_id));
  if (!purchase) throw missing();
  co_return answer_of(*purchase);
}

// Whose the stored purchase is, among the people that were read; the others are whom the request
// names.
std::optional<contacts::Contact> owner_among(const std::vector<contacts::Contact>& people,
                                             const std::optional<Stored>& stored) {
  if (!stored || !stored->purchase.contact_id) return std::nullopt;
  const auto owner =
      std::ranges::find(people, *stored->purchase.contact_id, &contacts::Contact::id);
  return owner == people.end() ? std::nullopt : std::optional{*owner};
}

std::vector<contacts::Contact> named_among(std::vector<contacts::Contact> people,
                                           const contacts::Keys& keys) {
  std::erase_if(people, [&](const contacts::Contact& person) {
    return !(person.email_key && std::ranges::contains(keys.emails, *person.email_key)) &&
           !(person.external_id && std::ranges::contains(keys.external_ids, *person.external_id));
  });
  return people;
}

bool is_stale(const Purchase& sent, const Purchase& stored) {
  return sent.source_updated_at && stored.source_updated_at &&
         *sent.source_updated_at < *stored.source_updated_at;
}

struct Wish {
  contacts::NamingWish naming;
  bool replaces = false;
};

// Thrown while deciding: the purchase came to be, or went, after its coupons were looked for.
struct PurchaseMoved {};

// The coupons of a purchase: nothing to look for when it has none and replaces none.
struct Coupons {
  bool concerned = false;
  Uuid purchase;  // whose coupons were looked for; none: a new one
  std::vector<std::string> codes;

  void read(pg::Group& reads, std::int64_t account) const {
    if (concerned) coupons::read_redeemable(reads, account, purchase, codes);
  }

  // `results` are those of its reads.
  void redeem(pg::Group& effect, const Change& change, const contacts::Knowledge& known,
              std::span<const pg::Result> results, bool is_gone = false) const {
    if (!concerned) return;
    if (change.before.id != purchase) throw PurchaseMoved{};
    auto found = coupons::found_redeemable(results, codes);
    const Purchase& after = change.after;
    if (is_gone || after.status == "cancelled") found.codes.clear();
    coupons::redeem(effect,
                    {.account = known.account,
                     .purchase = after.id,
                     .contact = after.contact_id,
                     .lane = after.lane,
                     .at = after.purchased_at.value_or(known.now),
                     .now = known.now,
                     .trigger = known.trigger},
                    found);
  }
};

boost::asio::awaitable<Coupons> coupons_of(http::Call call, Key key, bool concerned,
                                           std::vector<std::string> codes) {
  Coupons sought{.concerned = concerned, .codes = std::move(codes)};
  if (!concerned) co_return sought;
  const auto purchase = co_await find_purchase(call.database(), call.scope(), std::move(key));
  if (purchase) sought.purchase = purchase->id;
  co_return sought;
}

http::Response decide_creation(const http::Call& call, const Purchase& sent, json::Reading reading,
                               const Wish& wish, const contacts::Names& names,
                               const Coupons& coupons, const http::Premises& premises,
                               contacts::Knowledge contacts, pg::Group& effect) {
  const auto stored = found_purchase(premises.results[0]);
  http::check_conditions(call, stored ? std::optional{tag_of(stored->purchase)} : std::nullopt);
  if (stored) {
    if (is_stale(sent, stored->purchase)) {
      http::Response response = answer_of(stored->purchase);
      response.headers.emplace_back("Shopbell-Applied", "stale");
      return response;
    }
    if (sent.content_hash == stored->purchase.content_hash) return answer_of(stored->purchase);
    if (!wish.replaces)
      throw Problem{Code::purchase_exists,
                    "There is a purchase of this purchaseId with other content."};
  }
  const auto people = contacts::found_contacts(premises.results[1]);
  const Knowledge known{.contacts = std::move(contacts),
                        .stored = stored,
                        .found = named_among(people, names.keys),
                        .owner = owner_among(people, stored),
                        .wish = wish.naming};
  const Change change = decide_write(reading, sent, known);
  write_change(effect, change, known.contacts);
  coupons.redeem(effect, change, known.contacts, premises.results.subspan(4));
  http::Response response = answer_of(change.after, reading);
  if (!stored) {
    response.status = 201;
    response.headers.emplace_back(
        "Location", std::format("{}/purchases/{}", call.base_path(), change.after.id.to_string()));
  }
  return response;
}

Answer create(http::Call call, Memory memory) {
  const Wish wish{contacts::naming_wish_of(call), call.parameter("ifExists") == "replace"};
  json::Reading reading = call.reading();
  Purchase sent;
  purchase_json().read_new(call.body(), reading).apply_to(sent);
  settle(reading, sent);
  sent.content_hash =
      content_hash(call.body(), sent, contacts::AddressHasher{call.keyring(), call.account()});
  contacts::Contact named;
  if (sent.contact) sent.contact->apply_to(named);
  const std::string country = co_await contacts::country_for(call, named);
  const contacts::Names names = contacts::names_of(call, named, country);
  const Key key{.store_id = sent.purchase_id};
  pg::Group locks;
  lock_all(locks, call.account(), key, names.keys);
  for (int attempt = 0; attempt < limits::kWriteAttempts; ++attempt) {
    const Coupons coupons = co_await coupons_of(
        call, key, wish.replaces || !sent.coupon_codes.empty(), sent.coupon_codes);
    pg::Group reads;
    read_purchase(reads, call.account(), key);
    read_people(reads, call.account(), key, names.keys);
    contacts::read_marks(reads, call.account(), names.hashes);
    contacts::read_knowledge(reads, call.account());
    coupons.read(reads, call.account());
    try {
      co_return co_await contacts::write_contact(
          call, memory, std::move(reads), locks,
          [&](const http::Premises& premises, const FieldSet& fields, pg::Group& effect) {
            return decide_creation(
                call, sent, reading, wish, names, coupons, premises,
                contacts::knowledge_of(call, premises.now, fields, premises.results[3],
                                       contacts::Marks{names.hashes, premises.results[2]}),
                effect);
          });
    } catch (const PurchaseMoved&) {
    }
  }
  throw Problem{Code::unavailable, "Too many others change the same purchase right now."};
}

Answer remove_purchase(http::Call call, bool by_store_id, Memory memory) {
  const Key key = key_of(call, by_store_id);
  pg::Group locks;
  lock_all(locks, call.account(), key, {});
  for (int attempt = 0; attempt < limits::kWriteAttempts; ++attempt) {
    const Coupons coupons = co_await coupons_of(call, key, true, {});
    pg::Group reads;
    read_purchase(reads, call.account(), key);
    read_people(reads, call.account(), key, {});
    contacts::read_knowledge(reads, call.account());
    coupons.read(reads, call.account());
    try {
      co_return co_await contacts::write_contact(
          call, memory, std::move(reads), locks,
          [&](const http::Premises& premises, const FieldSet& fields, pg::Group& effect) {
            const contacts::Knowledge known = contacts::knowledge_of(
                call, premises.now, fields, premises.results[2], contacts::Marks{});
            const auto stored = found_purchase(premises.results[0]);
            if (!stored) throw missing();
            http::check_conditions(call, tag_of(stored->purchase));
            const auto owner = owner_among(contacts::found_contacts(premises.results[1]), stored);
            const Change change = decide_deletion(*stored, owner, known);
            coupons.redeem(effect, change, known, premises.results.subspan(3), true);
            remove(effect, change, known);
            return http::Response{.status = 204};
          });
    } catch (const PurchaseMoved&) {
    }
  }
  throw Problem{Code::unavailable, "Too many others change the same purchase right now."};
}

Answer list(http::Call call) {
  const http::PageWish wish = http::read_page_wish(call);
  Listing listing{.after = wish.after, .ascending = wish.ascending, .limit = wish.limit + 1};
  if (const auto q = call.parameter("q")) listing.prefix = to_nfc(*q).value_or("");
  if (const auto contact = call.parameter("contactId"))
    listing.contact_id = Uuid::parse(*contact).value_or(Uuid{});
  if (const auto status = call.parameter("status")) listing.status = std::string{*status};
  if (const auto from = call.parameter("from")) listing.from = parse_rfc3339(*from);
  if (const auto to = call.parameter("to")) listing.to = parse_rfc3339(*to);
  const bool searched = listing.prefix.has_value();
  if (searched && (listing.contact_id || listing.status || listing.from || listing.to))
    throw Problem{Code::invalid_parameter,
                  "The query has parameters that cannot be used.",
                  {{Fault::Where::parameter, "q", "conflicts-with",
                    "Stands alone: no other filter goes with it."}}};
  const auto found = co_await list_purchases(call.database(), call.scope(), std::move(listing));
  co_return http::page_answer<Purchase>(
      call, wish, purchase_json(), found,
      [searched](const Purchase& purchase) { return position_of(purchase, searched); });
}

http::Operation operation(std::string id, std::string summary, std::string description) {
  return {.id = std::move(id),
          .tag = "Purchases",
          .tag_description = "What people bought, by the store's own ids.",
          .summary = std::move(summary),
          .description = std::move(description),
          .answer_name = "Purchase",
          .answer = purchase_json().answer_schema(),
          .versioned = true,
          .problems = {Code::not_found}};
}

http::Operation deletion(std::string id, std::string summary) {
  http::Operation described =
      operation(std::move(id), std::move(summary),
                "What it added to the totals of its contact is taken back.");
  described.success = 204;
  described.answer_name.clear();
  described.parameters = {triggers::trigger_parameter()};
  return described;
}

http::Route create_route(const Memory& memory) {
  http::Operation described =
      operation("createPurchase", "Create purchase",
                "The same purchase sent again changes nothing and is answered 200. Another one of "
                "the same `purchaseId` is refused, or with `ifExists=replace` replaces it.");
  described.may_create = true;
  described.parameters = contacts::naming_parameters();
  described.parameters.push_back({"ifExists",
                                  "What becomes of a purchase with other content.",
                                  {.type = "string", .options = {"replace"}}});
  described.parameters.push_back(triggers::trigger_parameter());
  described.body = http::Body{
      .name = "NewPurchase",
      .schema = purchase_json().new_schema(),
      .example = R"({"purchaseId":"order-1042","currency":"EUR","total":"39.80","lines":[)"
                 R"({"productId":"bell-1","name":"Bell, brass","quantity":"2","unitPrice":"19.90",)"
                 R"("total":"39.80"}]})"};
  described.further_scopes = {"contacts:write"};
  described.problems = {Code::purchase_exists, Code::contact_not_found,
                        Code::contact_identity_conflict, Code::contact_erased};
  return {http::Method::post, "/purchases/", http::Access::scope("purchases:write"),
          [memory](http::Call call) { return create(call, memory); }, std::move(described)};
}

http::Route list_route() {
  http::Operation described = operation(
      "listPurchases", "List purchases",
      "The latest first. Every filter that is given must hold; `q` stands alone and gives them by "
      "the store's ids.");
  described.tag = "Manage purchases";
  described.tag_description = "Purchases as people look for them.";
  described.answer_name = "PurchasePage";
  described.answer = http::page_schema("Purchase");
  described.versioned = false;
  described.problems = {Code::invalid_cursor};
  described.parameters = http::page_parameters(
      {{"q",
        "The beginning of a purchaseId.",
        {.type = "string", .length_min = 1, .length_max = limits::kStoreIdCharacters}},
       {"contactId", "Whose they are.", {.type = "string", .format = "uuid", .length_max = 36}},
       {"status",
        "What has become of them.",
        {.type = "string",
         .options = {"placed", "paid", "fulfilled", "delivered", "cancelled", "partiallyRefunded",
                     "refunded"}}},
       {"from", "Bought at this time or later.", {.type = "string", .format = "date-time"}},
       {"to", "Bought before this time.", {.type = "string", .format = "date-time"}}});
  return {http::Method::get, "/manage/purchases/", http::Access::scope("manage-purchases:read"),
          list, std::move(described)};
}

}  // namespace

std::vector<http::Route> routes() {
  const auto memory = std::make_shared<contact_fields::FieldSets>();
  const auto shown = [](bool by_store_id) {
    return [by_store_id](http::Call call) { return get(call, by_store_id); };
  };
  const auto removed = [memory](bool by_store_id) {
    return [by_store_id, memory](http::Call call) {
      return remove_purchase(call, by_store_id, memory);
    };
  };
  const auto read = http::Access::scope("purchases:read");
  const auto erase = http::Access::scope("purchases:delete");
  return {create_route(memory),
          {http::Method::get, "/purchases/{id}", read, shown(false),
           operation("getPurchase", "Get purchase detail by Id", "One purchase.")},
          {http::Method::delete_, "/purchases/{id}", erase, removed(false),
           deletion("deletePurchase", "Delete purchase by Id")},
          {http::Method::get, "/purchases/purchase-id/{id}", read, shown(true),
           operation("getPurchaseByStoreId", "Get purchase detail by purchase store identifier",
                     "One purchase.")},
          {http::Method::delete_, "/purchases/purchase-id/{id}", erase, removed(true),
           deletion("deletePurchaseByStoreId", "Delete purchase by purchase store identifier")},
          list_route()};
}

}  // namespace shopbell::purchases
