#include "resources/custom_events/event_intake.h"

#include <deque>

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/limits.h"
#include "resources/custom_events/custom_event_store.h"

namespace shopbell::custom_events {

namespace asio = boost::asio;

namespace {
constexpr std::size_t kQueuesMax = 10'000;
}  // namespace

// A caller that waits until all its events have a result.
struct EventIntake::Waiter {
  std::vector<CustomEvent> events;
  std::int64_t types_version = 0;
  pg::Scope scope;
  asio::any_completion_handler<void(std::exception_ptr, std::vector<Taken>)> done;
};

struct EventIntake::Queue {
  pg::Pool& database;
  bool busy = false;
  std::deque<std::shared_ptr<Waiter>> waiting;
};

namespace {

std::vector<const CustomEvent*> pointers_to(const auto& waiters) {
  std::vector<const CustomEvent*> events;
  for (const auto& waiter : waiters)
    for (const auto& event : waiter->events) events.push_back(&event);
  return events;
}

}  // namespace

std::shared_ptr<EventIntake::Queue> EventIntake::queue_of(pg::Pool& database,
                                                          std::int64_t account) {
  const std::scoped_lock lock{mutex_};
  auto& known = queues_[Key{&database, account}];
  auto queue = known.lock();
  if (!queue) known = queue = std::make_shared<Queue>(database);
  if (queues_.size() > kQueuesMax)
    std::erase_if(queues_, [](const auto& entry) { return entry.second.expired(); });
  return queue;
}

asio::awaitable<std::vector<Taken>> EventIntake::take(pg::Pool& database, pg::Scope scope,
                                                      std::int64_t types_version,
                                                      std::vector<CustomEvent> events) {
  const auto queue = queue_of(database, *scope.account);
  auto waiter = std::make_shared<Waiter>(std::move(events), types_version, scope);
  co_return co_await asio::async_initiate<const asio::use_awaitable_t<>,
                                          void(std::exception_ptr, std::vector<Taken>)>(
      [queue, waiter](auto handler) {
        const auto executor = asio::get_associated_executor(handler);
        waiter->done = std::move(handler);
        queue->waiting.push_back(waiter);
        if (!std::exchange(queue->busy, true))
          asio::co_spawn(executor, serve(queue), asio::detached);
      },
      asio::use_awaitable);
}

asio::awaitable<void> EventIntake::serve(std::shared_ptr<Queue> queue) {
  while (!queue->waiting.empty()) {
    std::vector<std::shared_ptr<Waiter>> batch;
    std::size_t count = 0;
    while (
        !queue->waiting.empty() && (batch.empty() || count < limits::kEventsPerStatement) &&
        (batch.empty() || queue->waiting.front()->types_version == batch.front()->types_version)) {
      count += queue->waiting.front()->events.size();
      batch.push_back(std::move(queue->waiting.front()));
      queue->waiting.pop_front();
    }
    std::exception_ptr failure;
    std::vector<Taken> taken;
    try {
      // The batch gets the latest deadline of its callers.
      pg::Scope scope = batch.front()->scope;
      for (const auto& waiter : batch)
        scope.deadline = std::max(scope.deadline, waiter->scope.deadline);
      taken = co_await take_events(queue->database, scope, batch.front()->types_version,
                                   pointers_to(batch));
    } catch (...) {
      failure = std::current_exception();
    }
    auto next = taken.begin();
    for (const auto& waiter : batch) {
      std::vector<Taken> own;
      if (!failure) {
        const auto end = next + std::ssize(waiter->events);
        own.assign(next, end);
        next = end;
      }
      std::move(waiter->done)(failure, std::move(own));
    }
  }
  queue->busy = false;
}

}  // namespace shopbell::custom_events
