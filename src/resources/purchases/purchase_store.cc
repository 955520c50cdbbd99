#include "resources/purchases/purchase_store.h"

#include <algorithm>
#include <stdexcept>

#include "json/document.h"
#include "pg/columns.h"
#include "resources/purchases/purchase_json.h"
#include "resources/purchases/queries.h"

namespace shopbell::purchases {

namespace {

Attribution attribution_of(std::string_view text) {
  const auto document = json::Document::parse(text);
  if (!document) throw std::logic_error{"an attribution is not JSON"};
  const auto text_in = [&](std::string_view name) -> std::optional<std::string> {
    const auto member = document->root().member(name);
    if (!member || member->type() != json::Type::text) return std::nullopt;
    return std::string{member->text()};
  };
  return {.workflow_id = text_in("workflowId").and_then(&Uuid::parse).value_or(Uuid{}),
          .node_id = text_in("nodeId"),
          .message_id = text_in("messageId").and_then(&Uuid::parse),
          .rule = text_in("rule").value_or("")};
}

Purchase purchase_of(const pg::Row& row) {
  const auto document = json::Document::parse(row.view("data"));
  if (!document) throw std::logic_error{"a stored purchase is not JSON"};
  Purchase purchase;
  json::Reading reading{json::Strictness::lenient};
  purchase_json().read_patch(document->root(), reading).apply_to(purchase);
  purchase.id = row.uuid("purchase_id");
  purchase.purchase_id = row.text("store_id");
  if (row.find("contact_id")) purchase.contact_id = row.uuid("contact_id");
  purchase.lane = static_cast<std::int16_t>(row.integer("lane"));
  purchase.purchased_at = row.instant("purchased_at");
  purchase.reported_milestones = row.texts("told");
  const auto hash = row.bytes("content_hash");
  std::ranges::copy_n(hash.begin(), std::ssize(purchase.content_hash),
                      purchase.content_hash.begin());
  purchase.source_updated_at = row.maybe_instant("source_updated_at");
  purchase.created_at = row.instant("created_at");
  purchase.updated_at = row.instant("updated_at");
  purchase.version = row.integer("version");
  purchase.attributed_to = row.find("attributed_to").transform(attribution_of);
  settle_digits(purchase);
  return purchase;
}

std::optional<std::string> text_of(const std::optional<Decimal>& amount) {
  if (!amount) return std::nullopt;
  return amount->to_string();
}

void write_row(pg::Group& effect, const Change& change, const contacts::Knowledge& known) {
  Purchase after = change.after;
  after.attributed_to.reset();  // has its own row
  const auto share = share_of(after, known.store_currency);
  effect.add(change.before.exists() ? sql::update_purchase : sql::insert_purchase, known.account,
             after.id, change.before.version, after.purchase_id, after.contact_id, after.lane,
             *after.purchased_at, after.status, after.currency, net_total(after).to_string(),
             text_of(share ? share->store_amount : std::nullopt), purchase_json().to_json(after),
             std::span<const std::uint8_t>{after.content_hash}, after.reported_milestones,
             after.source_updated_at, after.created_at, after.updated_at);
}

// Writes contacts before the purchase, in the order of their ids, so that writers cannot deadlock.
void write_people(pg::Group& effect, const Change& change, const contacts::Knowledge& known) {
  std::vector<const contacts::Change*> people;
  people.reserve(change.people.size());
  for (const auto& person : change.people) people.push_back(&person);
  std::ranges::sort(people, {}, [](const auto* person) { return person->after.id; });
  for (const auto* person : people) contacts::write_change(effect, *person, known);
}

}  // namespace

boost::asio::awaitable<std::optional<Purchase>> find_purchase(pg::Pool& database, pg::Scope scope,
                                                              Key key) {
  pg::Group reads;
  if (key.id) {
    reads.add(sql::get_purchase, *scope.account, *key.id);
  } else {
    reads.add(sql::get_purchase_by_store_id, *scope.account, key.store_id);
  }
  const pg::Results found = co_await database.run(std::move(reads), scope);
  const auto row = found[0].first();
  if (!row) co_return std::nullopt;
  co_return purchase_of(*row);
}

void read_purchases(pg::Group& reads, std::span<const AccountObject> keys) {
  pg::Columns rows;
  for (const auto& [account, id] : keys) rows.add(account, id);
  rows.add_to(reads, sql::find_purchases_of_accounts);
}

std::vector<std::pair<std::size_t, Purchase>> found_purchases(const pg::Result& result) {
  return result.map([](const pg::Row& row) {
    return std::pair{static_cast<std::size_t>(row.integer("number")), purchase_of(row)};
  });
}

void attribute(pg::Group& effect, std::span<const Attributable> purchases) {
  pg::Columns rows;
  for (const auto& one : purchases)
    rows.add(one.account, one.id, one.converted_workflow, one.converted_run);
  rows.add_to(effect, sql::attribute_purchases);
}

void read_purchase(pg::Group& reads, std::int64_t account, const Key& key) {
  reads.add(sql::find_purchase, account, key.id, key.store_id);
}

std::optional<Stored> found_purchase(const pg::Result& result) {
  const auto row = result.first();
  if (!row) return std::nullopt;
  return Stored{purchase_of(*row), row->maybe_instant("others_first"),
                row->maybe_instant("others_last")};
}

void read_people(pg::Group& reads, std::int64_t account, const Key& key,
                 const contacts::Keys& named) {
  reads.add(sql::find_people, account, key.id, key.store_id, named.emails, named.external_ids);
}

void lock_all(pg::Group& locks, std::int64_t account, const Key& key, const contacts::Keys& named) {
  locks.add(sql::lock_people, account, key.id, key.store_id, named.emails, named.external_ids);
  locks.add(sql::lock_purchase, account, key.id, key.store_id);
}

void write_change(pg::Group& effect, const Change& change, const contacts::Knowledge& known) {
  effect.add(sql::hold_currency, known.account);
  effect.add(sql::require_currency, known.account, known.store_currency);
  write_people(effect, change, known);
  write_row(effect, change, known);
  for (const auto& event : change.events) events::append(effect, known.account, event);
}

void remove(pg::Group& effect, const Change& change, const contacts::Knowledge& known) {
  write_people(effect, change, known);
  effect.add(sql::delete_purchase, known.account, change.before.id, change.before.version);
  for (const auto& event : change.events) events::append(effect, known.account, event);
}

namespace {

void read_page(pg::Group& reads, std::int64_t account, const Listing& listing) {
  if (listing.prefix) {
    reads.add(sql::search_purchases, account, listing.after, *listing.prefix,
              *listing.prefix + "\U0010FFFF", listing.limit);
    return;
  }
  std::optional<Instant> time;
  std::optional<Uuid> id;
  if (listing.after && listing.after->size() > 36) {
    id = Uuid::parse(std::string_view{*listing.after}.substr(0, 36));
    time = parse_rfc3339(std::string_view{*listing.after}.substr(37));
  }
  const bool up = listing.ascending;
  if (listing.contact_id) {
    reads.add(up ? sql::list_oldest_purchases_of_contact : sql::list_newest_purchases_of_contact,
              account, time, id, listing.from, listing.to, listing.limit, *listing.contact_id,
              listing.status);
  } else if (listing.status) {
    reads.add(up ? sql::list_oldest_purchases_of_status : sql::list_newest_purchases_of_status,
              account, time, id, listing.from, listing.to, listing.limit, *listing.status);
  } else {
    reads.add(up ? sql::list_oldest_purchases : sql::list_newest_purchases, account, time, id,
              listing.from, listing.to, listing.limit);
  }
}

}  // namespace

boost::asio::awaitable<std::vector<Purchase>> list_purchases(pg::Pool& database, pg::Scope scope,
                                                             Listing listing) {
  pg::Group reads;
  read_page(reads, *scope.account, listing);
  const pg::Results found = co_await database.run(std::move(reads), scope);
  co_return found[0].map(purchase_of);
}

std::string position_of(const Purchase& purchase, bool searched) {
  if (searched) return purchase.purchase_id;
  return purchase.id.to_string() + " " + to_rfc3339(purchase.purchased_at.value_or(Instant{}));
}

}  // namespace shopbell::purchases
