#include "resources/custom_events/queue_writing.h"

#include <algorithm>
#include <map>

#include "base/limits.h"
#include "resources/custom_events/custom_event_store.h"
#include "resources/custom_events/custom_events_operations.h"
#include "resources/custom_events/queued_call.h"
#include "resources/custom_events/rejected_event_store.h"
#include "resources/integrations/event_type_store.h"

namespace shopbell::custom_events {

// One queued event in progress.
struct QueueWriting::Item {
  Item(const QueuedEvent& queued, operations::Invocation around)
      : as_sent{queued, std::move(around)} {}

  QueuedCall as_sent;
  std::string identifier;
  std::optional<CustomEvent> event;
  std::optional<Rejection> rejection;
  std::optional<Outcome> outcome;  // the event's outcome in the batch
  bool known = false;

  const QueuedEvent& sent() const { return *as_sent.sent; }
  void refuse(const Problem& problem) { rejection = rejection_of(problem); }
  bool is_batchable() const { return event && !as_sent.wish.updates; }
  bool is_open() const { return !rejection && outcome != Outcome::taken; }
};

QueueWriting::QueueWriting(pg::Pool& database, const keyring::Keyring& keyring)
    : database_{database},
      keyring_{keyring},
      operation_{operations::find_operation(operation_table(), "createCustomEventById")} {}

std::unique_ptr<QueueWriting::Item> QueueWriting::item_of(const QueuedEvent& event) const {
  operations::Invocation around{
      .operation = &operation_,
      .caller = {.kind = operations::Caller::Kind::queue, .account = event.account},
      .request_id = event.id.to_string(),
      .deadline = pg::Steady::now() + limits::kLogTransaction,
      .database = &database_,
      .clock = &system_clock(),
      .keyring = &keyring_};
  return std::make_unique<Item>(event, std::move(around));
}

boost::asio::awaitable<void> QueueWriting::validate(Item& item,
                                                    const integrations::EventTypeSet& types) {
  try {
    item.event = co_await item.as_sent.validate(types);
    item.identifier = identifier_of(*item.event);
  } catch (const Problem& problem) {
    if (problem.status() == 503) throw;
    item.refuse(problem);
  }
}

boost::asio::awaitable<QueueTally> QueueWriting::write(pg::Transaction& transaction,
                                                       std::span<const QueuedEvent> events) {
  std::map<std::int64_t, std::vector<std::unique_ptr<Item>>> by_account;
  for (const auto& event : events) by_account[event.account].push_back(item_of(event));
  QueueTally all;
  for (const auto& [account, items] : by_account) {
    const QueueTally tally = co_await write_account(transaction, account, items);
    all.written += tally.written;
    all.known += tally.known;
    all.rejected += tally.rejected;
    all.erased += tally.erased;
    all.dropped += tally.dropped;
  }
  co_return all;
}

boost::asio::awaitable<QueueTally> QueueWriting::write_account(pg::Transaction& transaction,
                                                               std::int64_t account, Items items) {
  pg::Group begin;
  act_for(begin, account);
  read_presence(begin, account);
  integrations::read_definitions_version(begin, account);
  const pg::Results found = co_await transaction.run(std::move(begin));
  if (!found_presence(found[1])) co_return QueueTally{.dropped = std::ssize(items)};
  const pg::Scope scope{.account = account,
                        .deadline = pg::Steady::now() + limits::kLogTransaction};
  const auto types = co_await memory_.types->get(database_, scope,
                                                 integrations::found_definitions_version(found[2]));
  for (const auto& item : items) co_await validate(*item, *types);
  operations::OuterTransaction outer{.transaction = &transaction};
  for (const auto& item : items) item->as_sent.invocation.outer = &outer;
  co_await take_batchable(transaction, account, types->version(), items);
  keep_order(items);
  // Most of the remaining events have new contacts. The first event creates its contact; then the
  // contact's other events can be batched.
  std::set<std::string_view> begun;
  for (const auto& item : items)
    if (item->is_open() && begun.insert(item->identifier).second)
      co_await write_one(*item, types->version());
  co_await take_batchable(transaction, account, types->version(), items);
  keep_order(items);
  QueueTally tally;
  pg::Group rejected;
  for (const auto& item : items) {
    if (item->is_open()) co_await write_one(*item, types->version());
    if (!item->rejection) {
      ++(item->known ? tally.known : tally.written);
    } else if (item->rejection->is_erased) {
      ++tally.erased;
    } else {
      ++tally.rejected;
      insert_rejected(rejected, item->sent(), *item->rejection, item->as_sent.identifiers);
    }
    if (rejected.statements().size() == limits::kRejectedTogether)
      co_await transaction.run(std::exchange(rejected, {}));
  }
  if (!rejected.empty()) co_await transaction.run(std::move(rejected));
  co_return tally;
}

boost::asio::awaitable<void> QueueWriting::take_batchable(pg::Transaction& transaction,
                                                          std::int64_t account,
                                                          std::int64_t types_version, Items items) {
  std::vector<Item*> batchable;
  for (const auto& item : items)
    if (item->is_open() && item->is_batchable() &&
        !one_by_one_.contains({account, item->identifier}))
      batchable.push_back(item.get());
  for (std::size_t from = 0; from < batchable.size(); from += limits::kEventsPerStatement) {
    const auto part = std::span{batchable}.subspan(
        from, std::min(limits::kEventsPerStatement, batchable.size() - from));
    std::vector<const CustomEvent*> events;
    events.reserve(part.size());
    for (const Item* item : part) events.push_back(&*item->event);
    const std::vector<Taken> taken =
        co_await take_events(transaction, account, types_version, std::move(events));
    for (std::size_t i = 0; i < part.size(); ++i) {
      if (taken[i].outcome == Outcome::types) throw RestartTransaction{};
      part[i]->outcome = taken[i].outcome;
    }
  }
}

// Events left out of the batch would be written after it. The transaction restarts if the batch
// already wrote a later event with the same identifier.
void QueueWriting::keep_order(Items items) {
  std::set<std::string_view> waiting;
  bool overtaken = false;
  for (const auto& item : items) {
    if (!item->event || item->rejection) continue;
    if (item->is_open()) {
      waiting.insert(item->identifier);
    } else if (waiting.contains(item->identifier)) {
      one_by_one_.emplace(item->sent().account, item->identifier);
      overtaken = true;
    }
  }
  if (overtaken) throw RestartTransaction{};
}

boost::asio::awaitable<void> QueueWriting::write_one(Item& item, std::int64_t types_version) {
  try {
    Receipt receipt;
    co_await write_alone(item.as_sent.input(), memory_, *item.event, item.as_sent.wish,
                         types_version, item.as_sent.reading, receipt, operations::Keep::nothing);
    item.outcome = Outcome::taken;
    if (receipt.status != "duplicate") co_return;
    item.known = receipt.id == item.sent().id;
    if (!item.known) item.rejection = duplicate_of(receipt.id);
  } catch (const TypesChanged&) {
    throw RestartTransaction{};
  } catch (const Problem& problem) {
    if (problem.status() == 503) throw;
    item.refuse(problem);
  }
}

boost::asio::awaitable<void> QueueWriting::reject(pg::Transaction& transaction,
                                                  const QueuedEvent& event, Problem why) {
  const auto item = item_of(event);
  const integrations::EventTypeSet none;
  co_await validate(*item, none);  // only to set the event's identifiers
  pg::Group effect;
  act_for(effect, event.account);
  insert_rejected(effect, event, rejection_of(why), item->as_sent.identifiers);
  co_await transaction.run(std::move(effect));
}

}  // namespace shopbell::custom_events
