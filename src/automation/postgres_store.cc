#include "automation/postgres_store.h"

#include <algorithm>

#include "automation/queries.h"
#include "automation/run_columns.h"
#include "automation/write_statements.h"
#include "base/limits.h"
#include "event_log/reader.h"
#include "events/event.h"
#include "json/writer.h"
#include "observe/log.h"
#include "pg/columns.h"
#include "resources/contacts/lane_contacts.h"
#include "resources/coupons/claim.h"
#include "resources/messages/message_store.h"
#include "resources/products/product_json.h"
#include "resources/products/product_store.h"
#include "resources/purchases/purchase_json.h"
#include "resources/purchases/purchase_store.h"

namespace shopbell::automation {

namespace {

std::vector<contacts::AccountContact> keys_of(const std::set<ContactKey>& owners) {
  std::vector<contacts::AccountContact> keys;
  keys.reserve(owners.size());
  for (const auto& owner : owners) keys.emplace_back(owner.account, owner.contact);
  return keys;
}

// The event as clients see it.
engine::Data envelope_of(const pg::Row& row, const Uuid& contact) {
  const auto payload = row.find("payload");
  if (!payload) return {};
  json::Writer writer;
  writer.begin_object();
  writer.key("id").text(row.view("uid"));
  writer.key("kind").text(row.view("kind"));
  writer.key("occurredAt").text(to_rfc3339(row.instant("occurred_at")));
  writer.key("receivedAt").text(to_rfc3339_exactly(row.instant("received_at")));
  writer.key("contactId").text(contact.to_string());
  writer.key("data").json(*payload);
  return engine::Data{writer.end().finish()};
}

StoredEnrolment enrolment_of(const pg::Row& row) {
  return {.owner = {row.integer("account_id"), row.uuid("contact_id")},
          .lane = static_cast<std::int16_t>(row.integer("lane")),
          .enrolment = {.workflow = row.uuid("workflow_id"),
                        .key = row.text("key"),
                        .run = row.uuid("run_id"),
                        .started_at = row.instant("started_at"),
                        .ended_at = row.maybe_instant("ended_at"),
                        .seen = seen_from_text(row.view("seen"))}};
}

template <class Enrolments>
void read_enrolments(pg::Group& reads, const Enrolments& wanted) {
  pg::Columns columns;
  for (const auto& [owner, workflow] : wanted) columns.add(owner.account, owner.contact, workflow);
  columns.add_to(reads, sql::find_enrolments);
}

void read_histories(pg::Group& reads, const std::vector<HistoryQuestion>& questions) {
  pg::Columns columns;
  for (const auto& one : questions)
    columns.add(one.owner.account, one.owner.contact, one.kind, one.since, one.before.tick,
                one.before.through, one.before.id);
  columns.add_to(reads, sql::find_history);
}

void read_triggers(pg::Group& reads,
                   const std::vector<std::pair<std::int64_t, EventKey>>& triggers) {
  pg::Columns columns;
  for (const auto& [account, key] : triggers) columns.add(account, key.received_at, key.id);
  columns.add_to(reads, sql::find_triggers);
}

void answer_histories(const pg::Result& rows, const Questions& questions, Answers& answers) {
  for (std::size_t i = 0; i < questions.histories.size(); ++i)
    answers.histories[i].since = questions.histories[i].since;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto question = static_cast<std::size_t>(rows[i].integer("question") - 1);
    if (auto event = envelope_of(rows[i], questions.histories[question].owner.contact))
      answers.histories[question].events.push_back(std::move(event));
  }
}

// Objects of one type, and the questions that they answer.
struct ObjectQuestions {
  std::vector<std::size_t> products;  // also of variants
  std::vector<std::size_t> purchases;
};

// A variant is named "product/variant".
std::string_view product_id_of(const ObjectQuestion& question) {
  const std::string_view id = question.id;
  return question.type == "variant" ? id.substr(0, id.find('/')) : id;
}

ObjectQuestions read_objects(pg::Group& reads, const std::vector<ObjectQuestion>& questions) {
  ObjectQuestions asked;
  std::vector<products::AccountObject> products;
  std::vector<purchases::AccountObject> purchases;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const auto& question = questions[i];
    if (question.type == "purchase") {
      purchases.push_back({.account = question.account, .id = question.id});
      asked.purchases.push_back(i);
    } else {
      products.push_back({.account = question.account, .id = std::string{product_id_of(question)}});
      asked.products.push_back(i);
    }
  }
  products::read_products(reads, products);
  purchases::read_purchases(reads, purchases);
  return asked;
}

engine::Data object_of(const products::Product& product, const ObjectQuestion& question) {
  engine::Data whole{products::product_json().to_json(product)};
  if (question.type != "variant") return whole;
  const auto slash = question.id.find('/');
  const auto variants = whole.root()->member("variants");
  if (slash == std::string::npos || !variants) return {};
  const auto variant = variants->member(question.id.substr(slash + 1));
  return variant ? engine::Data{variant->to_json()} : engine::Data{};
}

std::vector<coupons::LaneClaim> claims_of(const std::vector<CouponQuestion>& questions) {
  std::vector<coupons::LaneClaim> claims;
  claims.reserve(questions.size());
  for (const auto& [owner, need] : questions)
    claims.push_back({.account = owner.account,
                      .set = need.coupon_set,
                      .contact = owner.contact,
                      .id = need.claim,
                      .run = need.run,
                      .workflow = need.workflow,
                      .node = need.node,
                      .reuse = need.reuse});
  return claims;
}

std::vector<messages::Withdrawal> withdrawals_of(const std::vector<WithdrawQuestion>& questions) {
  std::vector<messages::Withdrawal> withdrawals;
  withdrawals.reserve(questions.size());
  for (const auto& [account, need] : questions)
    withdrawals.push_back({.account = account, .id = need.message, .reason = need.reason});
  return withdrawals;
}

}  // namespace

boost::asio::awaitable<Loaded> PostgresStore::load(Wanted wanted) {
  pg::Group reads = std::move(opening_);
  const auto keys = keys_of(wanted.contacts);
  pg::Columns owners;
  pg::Array accounts;
  std::int64_t account_before = -1;
  for (const auto& [account, contact] : keys) {
    owners.add(account, contact);
    if (std::exchange(account_before, account) != account) accounts.add(account);
  }
  contacts::read_lane_contacts(reads, keys);
  owners.add_to(reads, sql::find_runs);
  if (!keys.empty()) reads.add(sql::find_versions, std::move(accounts).finish());
  read_enrolments(reads, wanted.enrolments);
  const pg::Results found = co_await transaction_.run(std::move(reads));
  Loaded loaded;
  if (keys.empty()) co_return loaded;
  for (auto& one : contacts::found_lane_contacts(found[0])) {
    const ContactKey key{one.key.first, one.key.second};
    if (one.contact)
      loaded.contacts[key] = [contact = std::move(*one.contact)](const AccountWorkflows& known) {
        return contacts::shown_contact(contact, *known.fields);
      };
    if (one.merged_into) loaded.merged[key] = *one.merged_into;
  }
  loaded.runs = found[1].map(stored_run_of);
  for (std::size_t i = 0; i < found[2].size(); ++i)
    loaded.accounts[found[2][i].integer("account_id")] = {
        .interest = found[2][i].integer("interest"),
        .fields = found[2][i].integer("fields"),
        .store = found[2][i].integer("store")};
  if (!wanted.enrolments.empty()) loaded.enrolments = found[3].map(enrolment_of);
  co_return loaded;
}

boost::asio::awaitable<Answers> PostgresStore::look_up(Questions questions) {
  pg::Group reads;
  read_histories(reads, questions.histories);
  read_triggers(reads, questions.triggers);
  read_enrolments(reads, questions.enrolments);
  const ObjectQuestions objects = read_objects(reads, questions.objects);
  coupons::add_lane_claims(reads, claims_of(questions.coupons));
  messages::withdraw(reads, withdrawals_of(questions.withdrawals));
  Answers answers;
  answers.histories.resize(questions.histories.size());
  answers.triggers.resize(questions.triggers.size());
  answers.objects.resize(questions.objects.size());
  if (reads.empty()) co_return answers;
  const pg::Results found = co_await transaction_.run(std::move(reads));
  std::size_t next = 0;
  if (!questions.histories.empty()) answer_histories(found[next++], questions, answers);
  if (!questions.triggers.empty()) {
    const pg::Result& rows = found[next++];
    for (std::size_t i = 0; i < rows.size(); ++i)
      answers.triggers[static_cast<std::size_t>(rows[i].integer("question") - 1)] =
          envelope_of(rows[i], rows[i].uuid("contact_id"));
  }
  if (!questions.enrolments.empty()) answers.enrolments = found[next++].map(enrolment_of);
  if (!objects.products.empty())
    for (const auto& [number, product] : products::found_products(found[next++])) {
      const std::size_t question = objects.products[number - 1];
      answers.objects[question] = object_of(product, questions.objects[question]);
    }
  if (!objects.purchases.empty())
    for (const auto& [number, purchase] : purchases::found_purchases(found[next++]))
      answers.objects[objects.purchases[number - 1]] =
          engine::Data{purchases::purchase_json().to_json(purchase)};
  if (!questions.coupons.empty()) {
    auto codes = coupons::found_lane_claims(found[next++], questions.coupons.size());
    for (std::size_t i = 0; i < codes.size(); ++i)
      answers.coupons.push_back(
          {.code = std::move(codes[i]), .expires_at = questions.coupons[i].need.expires_at});
  }
  if (!questions.withdrawals.empty())
    answers.withdrawn = messages::found_withdrawals(found[next++], questions.withdrawals.size());
  co_return answers;
}

boost::asio::awaitable<std::vector<ContactKey>> PostgresStore::lock(std::set<ContactKey> owners) {
  pg::Group locks;
  contacts::lock_lane_contacts(locks, keys_of(owners));
  const pg::Results found = co_await transaction_.run(std::move(locks));
  if (!found[0].empty()) now_ = found[0][0].instant("now");
  for (auto& [key, contact] : contacts::locked_lane_contacts(found[0]))
    locked_.insert_or_assign(ContactKey{key.first, key.second}, std::move(contact));
  std::vector<ContactKey> missing;
  for (const auto& owner : owners)
    if (!locked_.contains(owner)) missing.push_back(owner);
  co_return missing;
}

boost::asio::awaitable<void> PostgresStore::write(Writes writes) {
  add_statements(writes_, writes);
  if (!writes.changes.empty()) co_await change_contacts(std::move(writes.changes));
}

// Changes of contacts with the same hop count are written together, one account after the other.
boost::asio::awaitable<void> PostgresStore::change_contacts(std::vector<ContactChange> changes) {
  std::map<ContactKey, std::int64_t> hops;
  for (const auto& change : changes) hops[change.owner] = std::max(hops[change.owner], change.hops);
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<const ContactChange*>> groups;
  for (const auto& change : changes)
    groups[{change.owner.account, hops[change.owner]}].push_back(&change);
  std::vector<contacts::LaneChanges> written;
  pg::Group reads;
  for (const auto& [key, some] : groups) {
    const AccountWorkflows& account = *some.front()->account;
    std::vector<contacts::LaneChange> patches;
    for (const auto* change : some)
      patches.push_back({.contact = locked_.at(change->owner), .patch = change->patch});
    written.emplace_back(
        contacts::Knowledge{
            .account = key.first,
            .now = now_.value(),
            .fields = account.fields.get(),
            .store_country = std::string{engine::text_at(account.store, "country")},
            .store_currency = std::string{engine::text_at(account.store, "currency")},
            .marks = {},
            .hasher = contacts::AddressHasher{keyring_, key.first},
            .hops = static_cast<std::int16_t>(key.second)},
        std::move(patches));
    written.back().read(reads);
  }
  const pg::Results marks = co_await transaction_.run(std::move(reads));
  for (std::size_t i = 0; i < written.size(); ++i)
    for (const auto& contact : written[i].write(marks[i], writes_))
      observe::log(observe::Level::warn, "contact not changed as its workflow says",
                   {{"contact", contact.to_string()}});
}

}  // namespace shopbell::automation
