#include "automation/postgres_store.h"

#include <algorithm>

#include "automation/queries.h"
#include "automation/run_columns.h"
#include "automation/write_statements.h"
#include "base/limits.h"
#include "event_log/reader.h"
#include "events/event.h"
#include "json/writer.h"
#include "pg/columns.h"
#include "resources/contacts/lane_contacts.h"

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
  Answers answers;
  answers.histories.resize(questions.histories.size());
  answers.triggers.resize(questions.triggers.size());
  answers.objects.resize(questions.objects.size());
  answers.coupons.resize(questions.coupons.size());
  answers.withdrawn.resize(questions.withdrawals.size());
  if (reads.empty()) co_return answers;
  const pg::Results found = co_await transaction_.run(std::move(reads));
  std::size_t next = 0;
  if (!questions.histories.empty()) {
    const pg::Result& rows = found[next++];
    for (std::size_t i = 0; i < questions.histories.size(); ++i)
      answers.histories[i].since = questions.histories[i].since;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto question = static_cast<std::size_t>(rows[i].integer("question") - 1);
      if (auto event = envelope_of(rows[i], questions.histories[question].owner.contact))
        answers.histories[question].events.push_back(std::move(event));
    }
  }
  if (!questions.triggers.empty()) {
    const pg::Result& rows = found[next++];
    for (std::size_t i = 0; i < rows.size(); ++i)
      answers.triggers[static_cast<std::size_t>(rows[i].integer("question") - 1)] =
          envelope_of(rows[i], rows[i].uuid("contact_id"));
  }
  if (!questions.enrolments.empty()) answers.enrolments = found[next++].map(enrolment_of);
  co_return answers;
}

boost::asio::awaitable<std::vector<ContactKey>> PostgresStore::lock(std::set<ContactKey> owners) {
  pg::Group locks;
  contacts::lock_lane_contacts(locks, keys_of(owners));
  const pg::Results found = co_await transaction_.run(std::move(locks));
  std::vector<ContactKey> missing;
  std::set<ContactKey> locked;
  for (const auto& [key, contact] : contacts::locked_lane_contacts(found[0]))
    locked.insert({key.first, key.second});
  std::ranges::set_difference(owners, locked, std::back_inserter(missing));
  co_return missing;
}

void PostgresStore::write(Writes writes) { add_statements(writes_, writes); }

}  // namespace shopbell::automation
