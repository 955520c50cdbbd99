#include "resources/custom_events/queue_reader.h"

#include <algorithm>
#include <map>
#include <utility>

#include <boost/asio/co_spawn.hpp>

#include "base/limits.h"
#include "base/time.h"
#include "observe/log.h"

namespace shopbell::custom_events {

namespace {

using namespace std::chrono_literals;
using observe::Level;

bool is_fenced(const pg::Error& error) { return error.sqlstate() == "SB003"; }

// What says nothing about the events: the same may well go through in a second.
bool is_passing(const pg::Error& error) {
  return error.kind() != pg::Error::Kind::refused || error.is_outage() || error.is_timeout() ||
         is_fenced(error);
}

// How many more such events there is time for in one transaction, with much to spare.
std::size_t fitting(std::size_t events, pg::Steady::duration took) {
  const auto good = limits::kLogTransaction * static_cast<std::int64_t>(events) / 4;
  const auto times = std::max(good / std::max(took, pg::Steady::duration{1}), std::int64_t{1});
  return std::min(static_cast<std::size_t>(times), limits::kIntakeTogether);
}

pg::Error later(const std::string& why) { return {pg::Error::Kind::unavailable, why}; }

LastNumbers last_numbers(std::span<const kafka::Message> messages) {
  LastNumbers last;
  for (const auto& message : messages) {
    if (!message.origin) continue;
    auto& number = last[{message.partition, message.origin->sender}];
    number = std::max(number, message.origin->number);
  }
  return last;
}

// A sender's library may send a message again that had arrived unknown to it: `seen` knows the last
// of each sender.
bool is_again(const kafka::Message& message, LastNumbers& seen) {
  if (!message.origin) return false;
  auto& number = seen[{message.partition, message.origin->sender}];
  return message.origin->number <= std::exchange(number, std::max(number, message.origin->number));
}

}  // namespace

QueueReader::QueueReader(boost::asio::io_context& loop, const kafka::Settings& brokers,
                         std::string topic, const kafka::TopicWatch& watch, Uuid process,
                         pg::Pool& pulse, pg::Pool& data, const keyring::Keyring& keyring,
                         observe::Metrics& metrics)
    : loop_{loop},
      watch_{watch},
      pulse_{pulse},
      data_{data},
      process_{process},
      consumer_{loop, brokers, std::move(topic)},
      writing_{data, keyring},
      together_{limits::kIntakeTogether},
      beat_{loop.get_executor()},
      ended_{loop.get_executor()},
      partitions_{metrics.gauge("shopbell_intake_partitions",
                                "Partitions of Kafka, of 3, that this process writes out.")},
      depth_{metrics.gauge("shopbell_intake_depth",
                           "Events in these partitions that are not written yet.")},
      written_{metrics.counter("shopbell_intake_written_total",
                               "Events of Kafka written to the database.")},
      rejected_{metrics.counter("shopbell_intake_rejected_total",
                                "Events of Kafka put aside as rejected.")},
      again_{metrics.counter("shopbell_intake_again_total",
                             "Messages that Kafka had twice, and that were passed over.")},
      unreadable_{metrics.counter("shopbell_intake_unreadable_total",
                                  "Messages of Kafka that are no events of this service.")},
      batches_{metrics.counter("shopbell_intake_batches_total",
                               "Transactions that wrote events of Kafka.")},
      fenced_{metrics.counter("shopbell_intake_fenced_total",
                              "Transactions refused because a partition had another owner.")} {}

void QueueReader::start() {
  running_ = 2;
  const auto ended = [this](const std::exception_ptr&) {
    --running_;
    ended_.ring();
  };
  boost::asio::co_spawn(loop_, keep_holding(), ended);
  boost::asio::co_spawn(loop_, keep_reading(), ended);
}

boost::asio::awaitable<void> QueueReader::stop() {
  stopping_ = true;
  beat_.ring();
  bool goes_on = true;
  while (running_ > 0 && goes_on) goes_on = co_await ended_.wait_for(limits::kLogTransaction);
  try {
    co_await leave_intake(pulse_, process_);
  } catch (const pg::Error&) {  // then others find out by the silence
  }
}

boost::asio::awaitable<void> QueueReader::keep_holding() {
  while (!stopping_) {
    if (const auto topic = watch_.topic()) {
      if (topic_ != topic->id) {
        forget();
        topic_ = topic->id;
      }
      try {
        HeldPartitions held = co_await hold_intake(pulse_, process_, topic_);
        if (!stopping_) hold(std::move(held));
      } catch (const pg::Error& error) {
        report(error.what());
      } catch (const kafka::Error& error) {
        report(error.what());
      }
    }
    tell_depth();
    if (co_await beat_.wait_for(limits::kLogHeartbeat)) co_await runtime::sleep_for(50ms);
  }
}

// These are ours, with the offsets they had then.
void QueueReader::hold(HeldPartitions held) {
  bool other = held.size() != held_.size();
  for (auto& [partition, now] : held) {
    const auto before = held_.find(partition);
    // Under one generation nobody but us has moved it since, so what we remember is newer.
    if (before != held_.end() && before->second.generation == now.generation) {
      now = before->second;
    } else {
      other = true;
    }
  }
  held_ = std::move(held);
  partitions_.set(static_cast<double>(held_.size()));
  if (!other) return;
  std::vector<kafka::Place> places;
  for (const auto& [partition, now] : held_)
    places.push_back({.partition = partition, .offset = now.next_offset});
  consumer_.assign(places);
}

// Where the partitions are now, the database says.
void QueueReader::forget() {
  held_.clear();
  consumer_.assign({});
}

boost::asio::awaitable<void> QueueReader::keep_reading() {
  while (!stopping_) {
    std::string trouble;
    try {
      co_await read();
    } catch (const pg::Error& error) {
      if (is_fenced(error)) {
        fenced_.add();
      } else {
        trouble = error.what();
      }
      forget();
    } catch (const Problem& problem) {
      trouble = problem.detail();
      forget();
    } catch (const kafka::Error& error) {
      trouble = error.what();
      forget();
    }
    if (!trouble.empty() || !held_.empty()) report(trouble);  // without partitions it says nothing
    if (held_.empty()) beat_.ring();
    if (!trouble.empty() && !stopping_) co_await runtime::sleep_for(limits::kIntakePause);
  }
}

boost::asio::awaitable<void> QueueReader::read() {
  std::vector<kafka::Message> messages = co_await consumer_.next(together_, limits::kIntakeQuiet);
  // What was handed over meanwhile, or comes again because it was assigned again, is not ours to
  // do.
  std::erase_if(messages, [&](const auto& message) { return !is_due(message); });
  if (!messages.empty()) co_await write(messages);
}

bool QueueReader::is_due(const kafka::Message& message) const {
  const auto held = held_.find(message.partition);
  return held != held_.end() && message.offset >= held->second.next_offset.value_or(0);
}

// What cannot be written together is tried in halves, so that only the one meant is rejected.
boost::asio::awaitable<void> QueueReader::write(Messages messages) {
  std::optional<pg::Error> why;
  for (int attempt = 1; attempt <= limits::kWriteAttempts; ++attempt) {
    why = co_await try_to_write(messages, std::nullopt);
    if (!why) co_return;
    if (!why->is_overtaken() || messages.size() > 1) break;
    co_await runtime::sleep_for(10ms * attempt);
  }
  if (messages.size() > 1) {
    co_await write(messages.first(messages.size() / 2));
    co_return co_await write(messages.subspan(messages.size() / 2));
  }
  if (why->is_overtaken()) throw later(why->what());
  observe::log(Level::error, "queued event refused",
               {{"partition", messages.front().partition},
                {"offset", messages.front().offset},
                {"why", why->what()}});
  const auto still =
      co_await try_to_write(messages, Problem{Code::internal, "The database refuses the event."});
  if (still) throw later(still->what());
}

boost::asio::awaitable<std::optional<pg::Error>> QueueReader::try_to_write(
    Messages messages, std::optional<Problem> reject) {
  const std::vector<Advance> moves = moves_of(messages);
  QueueTally tally;
  const auto began = pg::Steady::now();
  for (int attempt = 1;; ++attempt) {
    try {
      tally =
          co_await data_.transaction({.deadline = pg::Steady::now() + limits::kLogTransaction},
                                     [&](pg::Transaction& transaction) {
                                       return write_within(transaction, messages, moves, reject);
                                     });
      break;
    } catch (const pg::Error& error) {
      // They may be too many, of people who are new, for instance: fewer will go through. What it
      // is that ends when the time is over, the transaction or the connection, differs.
      if (pg::Steady::now() - began > limits::kLogTransaction / 2)
        together_ = std::max(messages.size() / 8, std::size_t{1});
      if (is_passing(error)) throw;
      co_return error;
    } catch (const Again&) {
      if (attempt == limits::kWriteAttempts) throw later("the event types change too fast");
    }
  }
  together_ = fitting(messages.size(), pg::Steady::now() - began);
  writing_.settled();
  batches_.add();
  written_.add(static_cast<double>(tally.written));
  rejected_.add(static_cast<double>(tally.rejected));
  again_.add(static_cast<double>(tally.again));
  // A heartbeat may have taken some meanwhile, and even given them back at another place.
  for (const auto& move : moves) {
    const auto held = held_.find(move.partition);
    if (held != held_.end() && held->second.generation == move.held.generation)
      held->second.next_offset = move.to_offset;
  }
  co_return std::nullopt;
}

boost::asio::awaitable<QueueTally> QueueReader::write_within(pg::Transaction& transaction,
                                                             Messages messages,
                                                             std::span<const Advance> moves,
                                                             const std::optional<Problem>& reject) {
  LastNumbers seen =
      co_await advance_intake(transaction, process_, topic_, moves, last_numbers(messages));
  std::vector<QueuedEvent> events;
  events.reserve(messages.size());
  std::int64_t again = 0;
  for (const auto& message : messages) {
    if (is_again(message, seen)) {
      if (again++ == 0)
        observe::log(Level::warn, "queued message is there twice",
                     {{"partition", message.partition}, {"offset", message.offset}});
      continue;
    }
    auto event = QueuedEvent::parse(message.value);
    if (event) {
      events.push_back(std::move(*event));
      continue;
    }
    unreadable_.add();
    observe::log(Level::error, "queued message unreadable",
                 {{"partition", message.partition}, {"offset", message.offset}});
  }
  QueueTally tally{.rejected = std::ssize(events)};
  if (reject) {
    for (const auto& event : events) co_await writing_.reject(transaction, event, *reject);
  } else {
    tally = co_await writing_.write(transaction, events);
  }
  tally.again = again;
  co_return tally;
}

std::vector<Advance> QueueReader::moves_of(Messages messages) const {
  std::map<std::int32_t, std::int64_t> next;
  for (const auto& message : messages) next[message.partition] = message.offset + 1;
  std::vector<Advance> moves;
  for (const auto& [partition, offset] : next) {
    const auto held = held_.find(partition);
    // Handed over since: the fence then says so.
    const HeldPartition place =
        held == held_.end() ? HeldPartition{.generation = -1, .next_offset = {}} : held->second;
    moves.push_back({.partition = partition, .held = place, .to_offset = offset});
  }
  return moves;
}

void QueueReader::tell_depth() {
  std::int64_t depth = 0;
  for (const auto& [partition, held] : held_)
    if (const auto end = consumer_.end_of(partition))
      depth += std::max<std::int64_t>(0, *end - held.next_offset.value_or(0));
  depth_.set(static_cast<double>(depth));
}

void QueueReader::report(const std::string& trouble) {
  if (trouble == trouble_) return;
  trouble_ = trouble;
  if (trouble.empty()) {
    observe::log(Level::info, "queued events are written again");
  } else {
    observe::log(Level::warn, "queued events are not written", {{"why", trouble}});
  }
}

}  // namespace shopbell::custom_events
