#include "resources/custom_events/queue_writing.h"

#include <algorithm>
#include <map>
#include <utility>

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
  std::int64_t types_version = 0;  // by which the event was validated
  std::string identifier;
  std::optional<CustomEvent> event;
  std::optional<Rejection> rejection;
  std::optional<Outcome> outcome;  // the event's outcome in the batch
  bool known = false;

  const QueuedEvent& sent() const { return *as_sent.sent; }
  std::int64_t account() const { return sent().account; }
  std::pair<std::int64_t, std::string_view> person() const { return {account(), identifier}; }
  void refuse(const Problem& problem) { rejection = rejection_of(problem); }
  bool is_batchable() const { return event && !as_sent.wish.updates; }
  bool is_open() const { return !rejection && outcome != Outcome::taken; }
};

// The events of one transaction, by account and in order of sending.
struct QueueWriting::Batch {
  pg::Transaction& transaction;
  std::vector<std::unique_ptr<Item>> items;
  operations::OuterTransaction outer{.transaction = &transaction};
  std::int64_t acting_for = 0;  // the account of row-level security; 0: none is set yet
  QueueTally tally;
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
  Batch batch{.transaction = transaction};
  batch.items.reserve(events.size());
  for (const auto& event : events) batch.items.push_back(item_of(event));
  std::ranges::stable_sort(batch.items, {}, [](const auto& item) { return item->account(); });
  co_await load(batch);
  co_await take_batchable(batch);
  keep_order(batch);
  // Most of the remaining events have new contacts. The first event creates its contact; then the
  // contact's other events can be batched.
  std::set<std::pair<std::int64_t, std::string_view>> begun;
  for (const auto& item : batch.items)
    if (item->is_open() && begun.insert(item->person()).second) co_await write_one(batch, *item);
  co_await take_batchable(batch);
  keep_order(batch);
  for (const auto& item : batch.items)
    if (item->is_open()) co_await write_one(batch, *item);
  co_return co_await finish(batch);
}

// Validates the events by the current definitions, and drops events of deleted accounts.
boost::asio::awaitable<void> QueueWriting::load(Batch& batch) {
  std::set<std::int64_t> accounts;
  for (const auto& item : batch.items) accounts.insert(item->account());
  if (accounts.empty()) co_return;
  const auto versions = co_await find_present_accounts(batch.transaction, accounts);
  batch.tally.dropped = static_cast<std::int64_t>(std::erase_if(
      batch.items, [&](const auto& item) { return !versions.contains(item->account()); }));
  std::shared_ptr<const integrations::EventTypeSet> types;
  std::optional<std::int64_t> loaded;
  for (const auto& item : batch.items) {
    if (loaded != item->account()) {
      const pg::Scope scope{.account = item->account(),
                            .deadline = pg::Steady::now() + limits::kLogTransaction};
      types = co_await memory_.types->get(database_, scope, versions.at(item->account()));
      loaded = item->account();
    }
    item->types_version = types->version();
    co_await validate(*item, *types);
    item->as_sent.invocation.outer = &batch.outer;
  }
}

boost::asio::awaitable<void> QueueWriting::take_batchable(Batch& batch) {
  std::vector<Item*> batchable;
  std::vector<ValidatedEvent> events;
  for (const auto& item : batch.items) {
    if (!item->is_open() || !item->is_batchable() ||
        one_by_one_.contains({item->account(), item->identifier}))
      continue;
    batchable.push_back(item.get());
    events.push_back(
        {.account = item->account(), .types_version = item->types_version, .event = &*item->event});
  }
  const std::vector<Outcome> outcomes = co_await take_queued_events(batch.transaction, events);
  for (std::size_t i = 0; i < batchable.size(); ++i) {
    if (outcomes[i] == Outcome::types) throw RestartTransaction{};
    batchable[i]->outcome = outcomes[i];
  }
}

// Events left out of the batch would be written after it. The transaction restarts if the batch
// already wrote a later event with the same identifier.
void QueueWriting::keep_order(const Batch& batch) {
  std::set<std::pair<std::int64_t, std::string_view>> waiting;
  bool overtaken = false;
  for (const auto& item : batch.items) {
    if (!item->event || item->rejection) continue;
    if (item->is_open()) {
      waiting.insert(item->person());
    } else if (waiting.contains(item->person())) {
      one_by_one_.emplace(item->account(), item->identifier);
      overtaken = true;
    }
  }
  if (overtaken) throw RestartTransaction{};
}

boost::asio::awaitable<void> QueueWriting::write_one(Batch& batch, Item& item) {
  if (std::exchange(batch.acting_for, item.account()) != item.account()) {
    pg::Group group;
    act_for(group, item.account());
    co_await batch.transaction.run(std::move(group));
  }
  try {
    Receipt receipt;
    co_await write_alone(item.as_sent.input(), memory_, *item.event, item.as_sent.wish,
                         item.types_version, item.as_sent.reading, receipt,
                         operations::Keep::nothing);
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

// Stores the rejected events, and counts the events by result.
boost::asio::awaitable<QueueTally> QueueWriting::finish(Batch& batch) {
  QueueTally& tally = batch.tally;
  pg::Group rejected;
  std::int64_t acting_for = 0;
  for (const auto& item : batch.items) {
    if (!item->rejection) {
      ++(item->known ? tally.known : tally.written);
    } else if (item->rejection->is_erased) {
      ++tally.erased;
    } else {
      ++tally.rejected;
      if (std::exchange(acting_for, item->account()) != item->account())
        act_for(rejected, item->account());
      insert_rejected(rejected, item->sent(), *item->rejection, item->as_sent.identifiers);
    }
    if (rejected.statements().size() >= limits::kRejectedTogether)
      co_await batch.transaction.run(std::exchange(rejected, {}));
  }
  if (!rejected.empty()) co_await batch.transaction.run(std::move(rejected));
  co_return tally;
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
