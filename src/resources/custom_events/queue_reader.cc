#include "resources/custom_events/queue_reader.h"

#include <algorithm>
#include <format>
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

// True for errors that do not depend on the events, so that a retry may succeed.
bool is_transient_error(const pg::Error& error) {
  return error.kind() != pg::Error::Kind::refused || error.is_outage() || error.is_timeout() ||
         is_fenced(error);
}

// Returns the batch size at which such a transaction takes a quarter of its time limit.
std::size_t next_batch_max(std::size_t events, pg::Steady::duration took) {
  const auto good = limits::kLogTransaction * static_cast<std::int64_t>(events) / 4;
  const auto times = std::max(good / std::max(took, pg::Steady::duration{1}), std::int64_t{1});
  return std::min(static_cast<std::size_t>(times), limits::kIntakeTogether);
}

pg::Error temporary_error(const std::string& why) { return {pg::Error::Kind::unavailable, why}; }

LastNumbers last_numbers(std::span<const kafka::Message* const> messages) {
  LastNumbers last;
  for (const auto* message : messages) {
    if (!message->origin) continue;
    auto& number = last[{message->partition, message->origin->sender}];
    number = std::max(number, message->origin->number);
  }
  return last;
}

// True if librdkafka resent the message because the acknowledgement was lost. `seen` has the last
// message number of each sender.
bool is_redelivered(const kafka::Message& message, LastNumbers& seen) {
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
      consumer_{loop, brokers, topic},
      writing_{data, keyring},
      signatures_{keyring, std::move(topic)},
      newest_key_{keyring.describe().front().id},
      batch_max_{limits::kIntakeTogether},
      beat_{loop.get_executor()},
      ended_{loop.get_executor()},
      partitions_{metrics.gauge("shopbell_intake_partitions",
                                std::format("Partitions of the intake topic, out of {}, that this "
                                            "process writes to the database.",
                                            watch.partitions()))},
      depth_{metrics.gauge("shopbell_intake_depth",
                           "Events in these partitions that are not written to the database yet.")},
      written_{metrics.counter("shopbell_intake_written_total",
                               "Events from Kafka written to the database.")},
      rejected_{metrics.counter("shopbell_intake_rejected_total",
                                "Events from Kafka stored as rejected.")},
      again_{metrics.counter("shopbell_intake_again_total",
                             "Duplicate messages in Kafka that were skipped.")},
      dropped_{metrics.counter("shopbell_intake_dropped_total",
                               "Events from Kafka dropped because their account was deleted.")},
      unreadable_{metrics.counter("shopbell_intake_unreadable_total",
                                  "Messages in Kafka that are not events of this service.")},
      forged_{
          metrics.counter("shopbell_intake_forged_total",
                          "Messages in Kafka that were skipped: they have no valid signature.")},
      failures_{metrics.counter("shopbell_intake_failures_total",
                                "Unexpected errors of the intake's reader, which it retries.")},
      batches_{metrics.counter("shopbell_intake_batches_total",
                               "Transactions that wrote events from Kafka.")},
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
  } catch (const pg::Error&) {  // without heartbeats the leases expire anyway
  }
}

boost::asio::awaitable<void> QueueReader::keep_holding() {
  while (!stopping_) {
    const auto failure = co_await attempt(renew_leases());
    if (failure) {
      note_failure(*failure);
      if (failure->fenced) forget();
    }
    report_leases(failure ? failure->why : "");
    update_depth();
    if (co_await beat_.wait_for(limits::kLogHeartbeat)) co_await runtime::sleep_for(50ms);
  }
}

boost::asio::awaitable<void> QueueReader::renew_leases() {
  const auto topic = watch_.topic();
  if (!topic) co_return;
  if (topic_ != topic->id) {
    forget();
    topic_ = topic->id;
  }
  HeldPartitions held =
      co_await hold_intake(pulse_, process_, topic_, watch_.partitions(), newest_key_);
  if (stopping_) co_return;
  std::vector<std::int32_t> due;
  for (const auto& [partition, now] : held)
    if (now.cutover_due) due.push_back(partition);
  hold(std::move(held));
  for (const auto partition : due) co_await begin_signed(partition);
}

// No process sends unsigned messages any more: those after the partition's end are forged.
boost::asio::awaitable<void> QueueReader::begin_signed(std::int32_t partition) {
  const std::string topic = topic_;
  const std::int64_t end = co_await consumer_.query_end(partition);
  if (co_await require_signatures(pulse_, topic, partition, end))
    observe::log(Level::info, "queued messages must be signed",
                 {{"partition", partition}, {"offset", end}});
}

// Replaces the held partitions by the leased ones, with the offsets at the time of the lease.
void QueueReader::hold(HeldPartitions held) {
  bool other = held.size() != held_.size();
  for (auto& [partition, now] : held) {
    const auto before = held_.find(partition);
    // Keep our offset: within one generation only this process advances it, so it is newer.
    if (before != held_.end() && before->second.generation == now.generation) {
      now.next_offset = before->second.next_offset;
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

// Drops the leased partitions; the next heartbeat reads their offsets from the database.
void QueueReader::forget() {
  held_.clear();
  try {
    consumer_.assign({});
  } catch (const kafka::Error& error) {  // is_due() skips messages of these partitions
    report(error.what());
  }
}

boost::asio::awaitable<void> QueueReader::keep_reading() {
  pg::Steady::duration pause = limits::kIntakePause;
  while (!stopping_) {
    const auto failure = co_await attempt(read());
    std::string trouble;
    if (failure) {
      note_failure(*failure);
      if (failure->fenced) fenced_.add();
      if (!failure->fenced) trouble = failure->why;
      forget();
    }
    if (!trouble.empty() || !held_.empty())
      report(trouble);  // a process without partitions has no success to report
    if (held_.empty()) beat_.ring();
    if (!failure || !failure->unexpected) pause = limits::kIntakePause;
    if (!trouble.empty() && !stopping_) co_await runtime::sleep_for(pause);
    pause = std::min<pg::Steady::duration>(pause * 2, limits::kIntakePauseMost);
  }
}

boost::asio::awaitable<void> QueueReader::read() {
  std::vector<kafka::Message> messages = co_await consumer_.next(batch_max_, limits::kIntakeQuiet);
  // Skip messages of partitions lost meanwhile, and messages read again after a reassignment.
  std::erase_if(messages, [&](const auto& message) { return !is_due(message); });
  if (messages.empty()) co_return;
  if (std::ranges::any_of(messages, [](const auto& message) { return !message.signature; }))
    signed_from_ = co_await read_signed_from(data_, topic_);
  co_await write(messages);
}

bool QueueReader::is_due(const kafka::Message& message) const {
  const auto held = held_.find(message.partition);
  return held != held_.end() && message.offset >= held->second.next_offset.value_or(0);
}

// Bisects a refused batch, so that only the offending event is rejected.
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
  if (why->is_overtaken()) throw temporary_error(why->what());
  observe::log(Level::error, "queued event refused",
               {{"partition", messages.front().partition},
                {"offset", messages.front().offset},
                {"why", why->what()}});
  const auto still =
      co_await try_to_write(messages, Problem{Code::internal, "The database refused the event."});
  if (still) throw temporary_error(still->what());
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
      // Shrink the batch after a timeout: it may be too large, for example if its contacts are new.
      // The transaction or the connection may time out first, so the elapsed time decides.
      if (pg::Steady::now() - began > limits::kLogTransaction / 2)
        batch_max_ = std::max(messages.size() / 8, std::size_t{1});
      if (is_transient_error(error)) throw;
      co_return error;
    } catch (const RestartTransaction&) {
      if (attempt == limits::kWriteAttempts)
        throw temporary_error(
            "the event types kept changing "
            "during the transaction");
    }
  }
  batch_max_ = next_batch_max(messages.size(), pg::Steady::now() - began);
  writing_.settled();
  batches_.add();
  written_.add(static_cast<double>(tally.written));
  rejected_.add(static_cast<double>(tally.rejected));
  again_.add(static_cast<double>(tally.again));
  forged_.add(static_cast<double>(tally.forged));
  dropped_.add(static_cast<double>(tally.dropped));
  // Skip partitions that a heartbeat has lost meanwhile, or leased again at another offset.
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
  // A forged message must not count as its sender's last one.
  std::vector<const kafka::Message*> valid;
  std::int64_t forged = 0;
  for (const auto& message : messages) {
    if (signatures_.is_valid(message, signed_from_)) {
      valid.push_back(&message);
    } else if (forged++ == 0) {
      observe::log(Level::error, "queued message has no valid signature",
                   {{"partition", message.partition}, {"offset", message.offset}});
    }
  }
  LastNumbers seen =
      co_await advance_intake(transaction, process_, topic_, moves, last_numbers(valid));
  std::vector<QueuedEvent> events;
  events.reserve(messages.size());
  std::int64_t again = 0;
  for (const auto* message : valid) {
    if (is_redelivered(*message, seen)) {
      if (again++ == 0)
        observe::log(Level::warn, "queued message is a duplicate",
                     {{"partition", message->partition}, {"offset", message->offset}});
      continue;
    }
    auto event = QueuedEvent::parse(message->value);
    if (event) {
      events.push_back(std::move(*event));
      continue;
    }
    unreadable_.add();
    observe::log(Level::error, "queued message unreadable",
                 {{"partition", message->partition}, {"offset", message->offset}});
  }
  QueueTally tally{.rejected = std::ssize(events)};
  if (reject) {
    for (const auto& event : events) co_await writing_.reject(transaction, event, *reject);
  } else {
    tally = co_await writing_.write(transaction, events);
  }
  tally.again = again;
  tally.forged = forged;
  co_return tally;
}

std::vector<Advance> QueueReader::moves_of(Messages messages) const {
  std::map<std::int32_t, std::int64_t> next;
  for (const auto& message : messages) next[message.partition] = message.offset + 1;
  std::vector<Advance> moves;
  for (const auto& [partition, offset] : next) {
    const auto held = held_.find(partition);
    // A partition lost meanwhile gets generation -1, which the fence refuses.
    const HeldPartition place =
        held == held_.end() ? HeldPartition{.generation = -1, .next_offset = {}} : held->second;
    moves.push_back({.partition = partition, .held = place, .to_offset = offset});
  }
  return moves;
}

void QueueReader::update_depth() {
  std::int64_t depth = 0;
  for (const auto& [partition, held] : held_)
    if (const auto end = consumer_.end_of(partition))
      depth += std::max<std::int64_t>(0, *end - held.next_offset.value_or(0));
  depth_.set(static_cast<double>(depth));
}

void QueueReader::note_failure(const QueueFailure& failure) {
  if (!failure.unexpected) return;
  failures_.add();
  observe::log(Level::error, "intake failed", {{"why", failure.why}});
}

void QueueReader::report_leases(const std::string& trouble) {
  if (trouble == lease_trouble_) return;
  lease_trouble_ = trouble;
  if (trouble.empty()) {
    observe::log(Level::info, "partitions of the intake are leased again");
  } else {
    observe::log(Level::warn, "partitions of the intake are not leased", {{"why", trouble}});
  }
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
