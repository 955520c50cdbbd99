#include "resources/custom_events/rejected_event_store.h"

#include "base/limits.h"
#include "resources/custom_events/queries.h"

namespace shopbell::custom_events {

namespace {

RejectedEvent rejected_of(const pg::Row& row) {
  RejectedEvent event{.id = row.uuid("id"),
                      .event_type_id = row.uuid("event_type_id"),
                      .received_at = row.instant("received_at"),
                      .rejected_at = row.instant("rejected_at"),
                      .code = row.text("code"),
                      .problem = json::Raw{row.text("problem")},
                      .event = {},
                      .message = QueuedEvent::parse(row.view("message")).value()};
  event.event = json::Raw{event.message.body};
  return event;
}

constexpr std::int64_t kQuietSeconds = std::chrono::seconds{limits::kUnsignedQuiet}.count();

pg::Scope soon() { return {.deadline = pg::Steady::now() + limits::kLogTransaction}; }

}  // namespace

boost::asio::awaitable<HeldPartitions> hold_intake(pg::Pool& database, Uuid process,
                                                   std::string topic, int partitions,
                                                   std::int64_t newest_key) {
  const std::int64_t lease = std::chrono::seconds{limits::kLogLease}.count();
  const pg::Result found = co_await database.query(soon(), sql::hold_intake, process, topic,
                                                   partitions, lease, newest_key, kQuietSeconds);
  HeldPartitions held;
  for (std::size_t i = 0; i < found.size(); ++i)
    held[static_cast<std::int32_t>(found[i].integer("partition"))] = {
        .generation = found[i].integer("generation"),
        .next_offset = found[i].maybe_integer("next_offset"),
        .cutover_due = found[i].boolean("cutover_due")};
  co_return held;
}

boost::asio::awaitable<bool> require_signatures(pg::Pool& database, std::string topic,
                                                std::int32_t partition, std::int64_t offset) {
  const pg::Result changed = co_await database.query(soon(), sql::require_signatures, topic,
                                                     partition, offset, kQuietSeconds);
  co_return changed[0].boolean("changed");
}

boost::asio::awaitable<SignedFrom> read_signed_from(pg::Pool& database, std::string topic) {
  const pg::Result found = co_await database.query(soon(), sql::list_signed_from, topic);
  SignedFrom offsets;
  for (std::size_t i = 0; i < found.size(); ++i)
    offsets[static_cast<std::int32_t>(found[i].integer("partition"))] =
        found[i].maybe_integer("signed_from");
  co_return offsets;
}

boost::asio::awaitable<void> leave_intake(pg::Pool& database, Uuid process) {
  co_await database.query(soon(), sql::leave_intake, process);
}

boost::asio::awaitable<LastNumbers> advance_intake(pg::Transaction& transaction, Uuid process,
                                                   const std::string& topic,
                                                   std::span<const Advance> moves,
                                                   const LastNumbers& numbers) {
  pg::Array partitions, generations, from, to;
  for (const auto& move : moves) {
    partitions.add(move.partition);
    generations.add(move.held.generation);
    from.add(move.held.next_offset);
    to.add(move.to_offset);
  }
  pg::Array sent_to, senders, last;
  for (const auto& [sender, number] : numbers) {
    sent_to.add(sender.first);
    senders.add(sender.second);
    last.add(number);
  }
  const pg::Result found = co_await transaction.query(
      sql::advance_intake, process, topic, std::move(partitions).finish(),
      std::move(generations).finish(), std::move(from).finish(), std::move(to).finish(),
      std::move(sent_to).finish(), std::move(senders).finish(), std::move(last).finish());
  LastNumbers before;
  for (std::size_t i = 0; i < found.size(); ++i)
    before[{static_cast<std::int32_t>(found[i].integer("partition")), found[i].uuid("sender")}] =
        found[i].integer("number");
  co_return before;
}

void act_for(pg::Group& group, std::int64_t account) { group.add(sql::act_for, account); }

boost::asio::awaitable<std::map<std::int64_t, std::int64_t>> find_present_accounts(
    pg::Transaction& transaction, const std::set<std::int64_t>& accounts) {
  pg::Array asked;
  for (const auto account : accounts) asked.add(account);
  const pg::Result found =
      co_await transaction.query(sql::find_present_accounts, std::move(asked).finish());
  std::map<std::int64_t, std::int64_t> versions;
  for (std::size_t i = 0; i < found.size(); ++i)
    versions.emplace(found[i].integer("account_id"), found[i].integer("definitions_version"));
  co_return versions;
}

void insert_rejected(pg::Group& effect, const QueuedEvent& event, const Rejection& why,
                     const std::vector<Sha256>& identifiers) {
  effect.add(sql::insert_rejected_event, event.account, event.id, event.type_id, event.received_at,
             why.code, why.problem, event.to_json(), identifiers);
}

boost::asio::awaitable<std::optional<RejectedEvent>> find_rejected(pg::Pool& database,
                                                                   pg::Scope scope, Uuid id) {
  const pg::Result found =
      co_await database.query(scope, sql::find_rejected_event, *scope.account, id);
  co_return found.first().transform(rejected_of);
}

void delete_rejected(pg::Group& effect, std::int64_t account, Uuid id) {
  effect.add(sql::delete_rejected_event, account, id);
}

boost::asio::awaitable<std::vector<RejectedEvent>> list_rejected(pg::Pool& database,
                                                                 pg::Scope scope,
                                                                 std::optional<std::string> after,
                                                                 bool ascending,
                                                                 std::int64_t limit) {
  const pg::Query& query =
      ascending ? sql::list_oldest_rejected_events : sql::list_newest_rejected_events;
  const pg::Result found = co_await database.query(scope, query, *scope.account, after, limit);
  co_return found.map(rejected_of);
}

}  // namespace shopbell::custom_events
