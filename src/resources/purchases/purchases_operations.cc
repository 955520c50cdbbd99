#include "resources/purchases/purchases_operations.h"

#include <algorithm>
#include <format>

#include "base/limits.h"
#include "base/text.h"
#include "operations/conditions.h"
#include "operations/output.h"
#include "operations/page.h"
#include "operations/resource_operations.h"
#include "operations/retry.h"
#include "operations/trigger.h"
#include "operations/write.h"
#include "resources/contacts/contact_answer.h"
#include "resources/contacts/named_contact.h"
#include "resources/coupons/redemption.h"
#include "resources/purchases/purchase_json.h"
#include "resources/purchases/purchase_store.h"

namespace shopbell::purchases {

namespace {

using Answer = boost::asio::awaitable<operations::Output>;
using contact_fields::FieldSet;
using contacts::Memory;

Problem missing() { return Problem{Code::not_found, "There is no such purchase."}; }

Key key_of(const operations::Input& input, bool by_store_id) {
  auto key = operations::store_key_of(input, by_store_id);
  if (!key) throw missing();
  return std::move(*key);
}

std::string tag_of(const Purchase& purchase) {
  static const std::string shape = operations::shape_of(purchase_json().schema());
  return operations::version_tag(purchase.created_at, purchase.version, shape);
}

operations::Output answer_of(const Purchase& purchase,
                             const json::Reading& reading = json::Reading{}) {
  return operations::resource_output(purchase_json(), purchase, tag_of(purchase), reading);
}

Answer get(operations::Input input, bool by_store_id) {
  const auto purchase =
      co_await find_purchase(input.database(), input.scope(), key_of(input, by_store_id));
  if (!purchase) throw missing();
  co_return answer_of(*purchase);
}

// Returns the contact of the stored purchase, from the contacts that were read.
std::optional<contacts::Contact> owner_among(const std::vector<contacts::Contact>& people,
                                             const std::optional<Stored>& stored) {
  if (!stored || !stored->purchase.contact_id) return std::nullopt;
  const auto owner =
      std::ranges::find(people, *stored->purchase.contact_id, &contacts::Contact::id);
  return owner == people.end() ? std::nullopt : std::optional{*owner};
}

// Returns those contacts that the request identifies.
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

// Thrown by a decision if the purchase was created or deleted after its coupons were read.
struct StaleCoupons {};
constexpr const char* kTooManyWrites =
    "Too many concurrent writes change this purchase. Retry the request.";

// Indexes of the results, in the order of the reads. Coupons follow; a deletion reads no marks.
enum Read { stored_purchase, people, knowledge, marks };

// The coupons of a purchase. They need no reads if the write has no codes and replaces none.
struct Coupons {
  bool concerned = false;
  Uuid purchase;  // the stored purchase, whose redemptions are read; nil if new
  std::vector<std::string> codes;

  void read(pg::Group& reads, std::int64_t account) const {
    if (concerned) coupons::read_redeemable(reads, account, purchase, codes);
  }

  // `results` are the results of the reads that read() added.
  void redeem(pg::Group& effect, const Change& change, const contacts::Knowledge& known,
              std::span<const pg::Result> results, bool is_gone = false) const {
    if (!concerned) return;
    if (change.before.id != purchase) throw StaleCoupons{};
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

boost::asio::awaitable<Coupons> coupons_of(operations::Input input, Key key, bool concerned,
                                           std::vector<std::string> codes) {
  Coupons result{.concerned = concerned, .codes = std::move(codes)};
  if (!concerned) co_return result;
  const auto purchase = co_await find_purchase(input.database(), input.scope(), std::move(key));
  if (purchase) result.purchase = purchase->id;
  co_return result;
}

// A purchase to create, with what the request tells about it.
struct Creation {
  Purchase sent;
  json::Reading reading;
  contacts::NamingWish naming;
  bool replaces = false;
  contacts::Names names;
  Key key;
};

operations::Output decide_creation(const operations::Input& input, const Creation& creation,
                                   const Coupons& coupons, const operations::Premises& premises,
                                   contacts::Knowledge contacts, pg::Group& effect) {
  const Purchase& sent = creation.sent;
  const auto stored = found_purchase(premises.results[stored_purchase]);
  operations::check_conditions(input,
                               stored ? std::optional{tag_of(stored->purchase)} : std::nullopt);
  if (stored) {
    if (is_stale(sent, stored->purchase)) {
      operations::Output output = answer_of(stored->purchase);
      output.applied.emplace_back("stale");
      return output;
    }
    if (sent.content_hash == stored->purchase.content_hash) return answer_of(stored->purchase);
    if (!creation.replaces)
      throw Problem{Code::purchase_exists,
                    "A purchase with this purchaseId exists and has different content."};
  }
  const auto found = contacts::found_contacts(premises.results[people]);
  const Knowledge known{.contacts = std::move(contacts),
                        .stored = stored,
                        .found = named_among(found, creation.names.keys),
                        .owner = owner_among(found, stored),
                        .wish = creation.naming};
  json::Reading reading = creation.reading;  // a copy, because the decision may be retried
  const Change change = decide_write(reading, sent, known);
  write_change(effect, change, known.contacts);
  coupons.redeem(effect, change, known.contacts, premises.results.subspan(marks + 1));
  operations::Output output = answer_of(change.after, reading);
  if (!stored) {
    output = operations::created(input, std::move(output),
                                 std::format("/purchases/{}", change.after.id.to_string()));
  }
  return output;
}

Answer attempt_creation(const operations::Input& input, const Memory& memory,
                        const Creation& creation) {
  const std::int64_t account = input.account();
  const std::vector<std::string>& codes = creation.sent.coupon_codes;
  const Coupons coupons =
      co_await coupons_of(input, creation.key, creation.replaces || !codes.empty(), codes);
  pg::Group reads;
  read_purchase(reads, account, creation.key);
  read_people(reads, account, creation.key, creation.names.keys);
  contacts::read_knowledge(reads, account);
  contacts::read_marks(reads, account, creation.names.hashes);
  coupons.read(reads, account);
  pg::Group locks;
  lock_all(locks, account, creation.key, creation.names.keys);
  co_return co_await contacts::write_contact(
      input, memory, std::move(reads), std::move(locks),
      [&](const operations::Premises& premises, const FieldSet& fields, pg::Group& effect) {
        return decide_creation(
            input, creation, coupons, premises,
            contacts::knowledge_of(input, premises.now, fields, premises.results[knowledge],
                                   contacts::Marks{creation.names.hashes, premises.results[marks]}),
            effect);
      });
}

Answer create(operations::Input input, Memory memory) {
  Creation creation;
  creation.naming = contacts::naming_wish_of(input);
  creation.replaces = input.parameter("ifExists") == "replace";
  creation.reading = input.reading();
  Purchase& sent = creation.sent;
  purchase_json().read_new(input.body(), creation.reading).apply_to(sent);
  settle(creation.reading, sent);
  sent.content_hash =
      content_hash(input.body(), sent, contacts::AddressHasher{input.keyring(), input.account()});
  contacts::Contact named;
  if (sent.contact) sent.contact->apply_to(named);
  const std::string country = co_await contacts::country_for(input, named);
  creation.names = contacts::names_of(input, named, country);
  creation.key = {.store_id = sent.purchase_id};
  co_return co_await operations::while_stale<StaleCoupons>(
      [&](const auto&) { return attempt_creation(input, memory, creation); }, kTooManyWrites);
}

Answer attempt_removal(const operations::Input& input, const Memory& memory, const Key& key) {
  const Coupons coupons = co_await coupons_of(input, key, true, {});
  pg::Group reads;
  read_purchase(reads, input.account(), key);
  read_people(reads, input.account(), key, {});
  contacts::read_knowledge(reads, input.account());
  coupons.read(reads, input.account());
  pg::Group locks;
  lock_all(locks, input.account(), key, {});
  co_return co_await contacts::write_contact(
      input, memory, std::move(reads), std::move(locks),
      [&](const operations::Premises& premises, const FieldSet& fields, pg::Group& effect) {
        const contacts::Knowledge known = contacts::knowledge_of(
            input, premises.now, fields, premises.results[knowledge], contacts::Marks{});
        const auto stored = found_purchase(premises.results[stored_purchase]);
        if (!stored) throw missing();
        operations::check_conditions(input, tag_of(stored->purchase));
        const auto owner = owner_among(contacts::found_contacts(premises.results[people]), stored);
        const Change change = decide_deletion(*stored, owner, known);
        coupons.redeem(effect, change, known, premises.results.subspan(knowledge + 1), true);
        remove(effect, change, known);
        return operations::Output::no_content();
      });
}

Answer remove_purchase(operations::Input input, bool by_store_id, Memory memory) {
  const Key key = key_of(input, by_store_id);
  co_return co_await operations::while_stale<StaleCoupons>(
      [&](const auto&) { return attempt_removal(input, memory, key); }, kTooManyWrites);
}

Answer list(operations::Input input) {
  const operations::PageRequest request = operations::read_page_request(input);
  Listing listing{
      .after = request.after, .ascending = request.ascending, .limit = request.limit + 1};
  if (const auto q = input.parameter("q")) listing.prefix = to_nfc(*q).value_or("");
  if (const auto contact = input.parameter("contactId"))
    listing.contact_id = Uuid::parse(*contact).value_or(Uuid{});
  if (const auto status = input.parameter("status")) listing.status = std::string{*status};
  if (const auto from = input.parameter("from")) listing.from = parse_rfc3339(*from);
  if (const auto to = input.parameter("to")) listing.to = parse_rfc3339(*to);
  const bool searched = listing.prefix.has_value();
  if (searched && (listing.contact_id || listing.status || listing.from || listing.to))
    throw Problem{Code::invalid_parameter,
                  "The query has parameters that cannot be used.",
                  {{Fault::Where::parameter, "q", "conflicts-with",
                    "Cannot be combined with other filters."}}};
  const auto found = co_await list_purchases(input.database(), input.scope(), std::move(listing));
  co_return operations::page_output<Purchase>(
      input, request, purchase_json(), found,
      [searched](const Purchase& purchase) { return position_of(purchase, searched); });
}

operations::ResourceOperations purchase_operations() {
  return operations::ResourceOperations{
      .tag = "Purchases",
      .tag_description = "The purchases of a store's contacts, by the store's own ids.",
      .versioned = true}
      .with_answer(purchase_json());
}

operations::Description create_operation() {
  auto parameters = contacts::naming_parameters();
  parameters.push_back({"ifExists",
                        "`replace` replaces a stored purchase that has different content.",
                        {.type = "string", .options = {"replace"}}});
  parameters.push_back(operations::trigger_parameter());
  const std::string example =
      R"({"purchaseId":"order-1042","currency":"EUR","total":"39.80","lines":[)"
      R"({"productId":"bell-1","name":"Bell, brass","quantity":"2","unitPrice":"19.90",)"
      R"("total":"39.80"}]})";
  return purchase_operations().upsert(
      "createPurchase", "Create purchase",
      "Sending the same purchase again changes nothing and returns 200. Different content with the "
      "same `purchaseId` is refused, unless `ifExists=replace` is set.",
      {.body = operations::new_body(purchase_json(), example),
       .parameters = std::move(parameters),
       .problems = {Code::purchase_exists, Code::contact_not_found, Code::contact_identity_conflict,
                    Code::contact_erased},
       .further_scopes = {"contacts:write"}});
}

operations::Description list_operation() {
  const auto managed =
      operations::ResourceOperations{.tag = "Manage purchases",
                                     .tag_description = "List and search purchases."}
          .with_answer(purchase_json());
  return managed.list(
      "listPurchases", "List purchases",
      "Latest first. A purchase must match every filter. `q` excludes other filters and orders by "
      "`purchaseId`.",
      {{"q",
        "The start of a purchaseId.",
        {.type = "string", .length_min = 1, .length_max = limits::kStoreIdCharacters}},
       {"contactId",
        "Only purchases of this contact.",
        {.type = "string", .format = "uuid", .length_max = 36}},
       {"status",
        "Only purchases with this status.",
        {.type = "string",
         .options = {"placed", "paid", "fulfilled", "delivered", "cancelled", "partiallyRefunded",
                     "refunded"}}},
       {"from",
        "Only purchases made at this time or later.",
        {.type = "string", .format = "date-time"}},
       {"to", "Only purchases made before this time.", {.type = "string", .format = "date-time"}}});
}

}  // namespace

std::vector<operations::Operation> operation_table() {
  using operations::Access;
  using operations::Method;
  const auto memory = std::make_shared<contact_fields::FieldSets>();
  const auto shown = [](bool by_store_id) {
    return [by_store_id](operations::Input input) { return get(input, by_store_id); };
  };
  const auto removed = [memory](bool by_store_id) {
    return [by_store_id, memory](operations::Input input) {
      return remove_purchase(input, by_store_id, memory);
    };
  };
  const auto read = Access::scope("purchases:read");
  const auto erase = Access::scope("purchases:delete");
  const auto purchase = purchase_operations();
  const std::string totals = "Also subtracts the purchase from the totals of its contact.";
  const operations::OperationDetails triggers{.parameters = {operations::trigger_parameter()}};
  return {{Method::post, "/purchases/", Access::scope("purchases:write"),
           [memory](operations::Input input) { return create(input, memory); }, create_operation()},
          {Method::get, "/purchases/{id}", read, shown(false),
           purchase.get("getPurchase", "Get purchase detail by Id", "Returns one purchase.")},
          {Method::delete_, "/purchases/{id}", erase, removed(false),
           purchase.remove("deletePurchase", "Delete purchase by Id", totals, triggers)},
          {Method::get, "/purchases/purchase-id/{id}", read, shown(true),
           purchase.get("getPurchaseByStoreId", "Get purchase detail by purchase store identifier",
                        "Returns one purchase.")},
          {Method::delete_, "/purchases/purchase-id/{id}", erase, removed(true),
           purchase.remove("deletePurchaseByStoreId",
                           "Delete purchase by purchase store identifier", totals, triggers)},
          {Method::get, "/manage/purchases/", Access::scope("manage-purchases:read"), list,
           list_operation()}};
}

}  // namespace shopbell::purchases
