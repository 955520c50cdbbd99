#include "kafka/producer.h"

#include <array>
#include <atomic>
#include <format>
#include <list>
#include <map>
#include <thread>

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/limits.h"
#include "kafka/library.h"
#include "kafka/origin.h"
#include "observe/log.h"

namespace shopbell::kafka {

namespace {

Client::Options options_of(const Producer::Limits& requested) {
  return {{"enable.idempotence", "true"},
          {"acks", "all"},
          // No timeout: when librdkafka gives up on a message, it renumbers all others. A message
          // that had arrived unnoticed, in any partition, would then be stored twice.
          {"message.timeout.ms", "0"},
          {"linger.ms", std::to_string(requested.linger.count())},
          // One request: a broker that is new to this producer accepts the second of two without
          // the first, and librdkafka then takes the first for stored.
          {"max.in.flight.requests.per.connection", "1"},
          {"enable.gapless.guarantee", requested.once ? "true" : "false"},
          {"compression.type", "lz4"},
          {"batch.size", std::to_string(requested.batch_bytes)},
          {"message.max.bytes", std::to_string(limits::kKafkaMessageBytes)},
          {"queue.buffering.max.messages", std::to_string(limits::kKafkaMessages)},
          {"queue.buffering.max.kbytes", std::to_string(limits::kKafkaBytes / 1024)}};
}

Delivery outcome_of(const rd_kafka_message_t& message) {
  if (message.err == RD_KAFKA_RESP_ERR_NO_ERROR) return Delivery::durable;
  return library().rd_kafka_message_status(&message) == RD_KAFKA_MSG_STATUS_NOT_PERSISTED
             ? Delivery::failed
             : Delivery::unknown;
}

}  // namespace

// The start times of the waiting calls, oldest first.
class Producer::Waiting {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Place = std::list<Time>::iterator;

  Place add() {
    const std::scoped_lock lock{mutex_};
    return calls_.insert(calls_.end(), std::chrono::steady_clock::now());
  }
  void remove(Place place) {
    const std::scoped_lock lock{mutex_};
    calls_.erase(place);
  }
  bool any_since(Time time) const {
    const std::scoped_lock lock{mutex_};
    return !calls_.empty() && calls_.front() <= time;
  }

 private:
  mutable std::mutex mutex_;
  std::list<Time> calls_;
};

// The messages of one call. Lives until the outcome of the last one is known.
struct Producer::Batch {
  struct Item {
    Batch* batch;
    std::size_t index;
  };
  std::vector<Item> items;
  std::vector<Delivery> deliveries;
  std::atomic<std::size_t> left = 0;
  asio::any_io_executor executor;  // executor of the caller
  Done done;
  Waiting* waiting = nullptr;  // the list that holds `place`
  Waiting::Place place;

  static void settle(Item& item, Delivery delivery) {
    Batch* batch = item.batch;
    batch->deliveries[item.index] = delivery;
    if (--batch->left > 0) return;
    const std::unique_ptr<Batch> ended{batch};
    ended->waiting->remove(ended->place);
    asio::post(ended->executor, [done = std::move(ended->done),
                                 deliveries = std::move(ended->deliveries)]() mutable {
      std::move(done)(std::move(deliveries));
    });
  }
};

// One librdkafka handle. A fatal error or a timeout ends it; the next call creates another.
struct Producer::Session {
  std::shared_ptr<Client> client;
  rd_kafka_topic_s* topic = nullptr;
  std::atomic<bool> broken = false;
  bool orphaned = false;  // true once the producer is destroyed; used on its loop
  Waiting waiting;
  asio::steady_timer timer;
  const bool numbered;
  const bool once;
  const Sign sign;
  std::atomic<bool> refused = false;  // an earlier message was not accepted
  const Uuid sender = Uuid::v7(system_clock().now());
  std::mutex order;                             // numbers are assigned in the order of sending
  std::map<std::int32_t, std::int64_t> latest;  // last number of each partition

  Session(asio::io_context& loop, const Settings& settings, const std::string& name,
          Limits requested)
      : client{std::make_shared<Client>(loop, Client::Kind::producer, settings,
                                        options_of(requested))},
        topic{library().rd_kafka_topic_new(client->handle(), name.c_str(), nullptr)},
        timer{loop},
        numbered{requested.numbered},
        once{requested.once},
        sign{std::move(requested.sign)} {
    if (topic == nullptr) throw Error{std::format("{} is not a valid topic name", name)};
  }

  // Purges the queue, so that every waiting call gets its outcome.
  ~Session() {
    const Library& rd = library();
    const auto end = std::chrono::steady_clock::now() + limits::kKafkaFarewell;
    while (rd.rd_kafka_outq_len(client->handle()) > 0 && std::chrono::steady_clock::now() < end) {
      // Purges repeatedly: a purge misses messages whose partition is changing its leader.
      rd.rd_kafka_purge(client->handle(), RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT |
                                              RD_KAFKA_PURGE_F_NON_BLOCKING);
      if (read_reports().empty()) std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
    rd.rd_kafka_topic_destroy(topic);
  }

  // Reads delivery reports. Returns the last error, empty if there was none.
  std::string read_reports() {
    const Library& rd = library();
    std::string trouble;
    while (Client::Event* event = client->poll()) {
      if (rd.rd_kafka_event_type(event) == RD_KAFKA_EVENT_DR) {
        while (const rd_kafka_message_t* message = rd.rd_kafka_event_message_next(event)) {
          if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR)
            trouble = rd.rd_kafka_err2str(message->err);
          Batch::settle(*static_cast<Batch::Item*>(message->_private), outcome_of(*message));
        }
      } else if (rd.rd_kafka_event_type(event) == RD_KAFKA_EVENT_ERROR) {
        trouble = rd.rd_kafka_event_error_string(event);
        if (rd.rd_kafka_event_error(event) == RD_KAFKA_RESP_ERR__FATAL ||
            rd.rd_kafka_event_error_is_fatal(event) != 0)
          broken = true;
      }
      rd.rd_kafka_event_destroy(event);
    }
    return trouble;
  }

  // False if librdkafka does not accept the message.
  bool produce(NewMessage message, Batch::Item& item) {
    const std::scoped_lock lock{order};
    std::int64_t& last = latest[message.partition];
    std::array<rd_kafka_vu_t, 8> parts{};
    std::size_t count = 0;
    const auto part = [&](rd_kafka_vtype_t type) -> auto& {
      parts[count].vtype = type;
      return parts[count++].u;
    };
    part(RD_KAFKA_VTYPE_RKT).rkt = topic;
    part(RD_KAFKA_VTYPE_PARTITION).i32 = message.partition;
    part(RD_KAFKA_VTYPE_MSGFLAGS).i = RD_KAFKA_MSG_F_COPY;
    part(RD_KAFKA_VTYPE_VALUE).mem = {message.value.data(), message.value.size()};
    part(RD_KAFKA_VTYPE_KEY).mem = {message.key.data(), message.key.size()};
    part(RD_KAFKA_VTYPE_OPAQUE).ptr = &item;
    std::string origin;
    std::string signature;
    if (numbered) {
      origin = Origin{.sender = sender, .number = last + 1}.to_text();
      part(RD_KAFKA_VTYPE_HEADER).header = {Origin::kHeader, origin.data(),
                                            static_cast<ssize_t>(origin.size())};
      if (sign) signature = sign(message, origin);
    }
    if (!signature.empty())
      part(RD_KAFKA_VTYPE_HEADER).header = {kSignatureHeader, signature.data(),
                                            static_cast<ssize_t>(signature.size())};
    rd_kafka_error_t* error = library().rd_kafka_produceva(client->handle(), parts.data(), count);
    if (error == nullptr) {
      ++last;
    } else {
      library().rd_kafka_error_destroy(error);
    }
    return error == nullptr;
  }

  void send(std::unique_ptr<Batch> owned, const Make& make) {
    Batch* batch = owned.release();  // the batch owns itself until its last message is settled
    const std::size_t count = batch->items.size();
    batch->left = count;
    batch->waiting = &waiting;
    batch->place = waiting.add();
    for (std::size_t i = 0; i < count; ++i) {
      Batch::Item& item = batch->items[i];
      bool sent = false;
      try {
        sent = !(once && refused) && produce(make(i), item);
      } catch (const std::exception&) {  // not sent: the caller gets Delivery::failed
      }
      if (!sent) refused = true;
      // Settling the last message may delete the batch: do not use it after this line.
      if (!sent) Batch::settle(item, Delivery::failed);
    }
  }
};

Producer::Producer(asio::io_context& loop, asio::thread_pool& closing, Settings settings,
                   std::string topic, Limits limits)
    : loop_{loop},
      closing_{closing},
      settings_{std::move(settings)},
      topic_{std::move(topic)},
      limits_{limits} {
  session();
}

Producer::~Producer() {
  for (auto* each : {&session_, &former_}) {
    if (!*each) continue;
    (*each)->orphaned = true;
    end(std::move(*each));
  }
}

std::string Producer::trouble() const {
  const std::scoped_lock lock{mutex_};
  return trouble_;
}

std::shared_ptr<Producer::Session> Producer::session() {
  const std::scoped_lock lock{mutex_};
  if (session_) return session_;
  if (ended_) throw Error{trouble_};
  session_ = std::make_shared<Session>(loop_, settings_, topic_, limits_);
  session_->client->start([this, weak = std::weak_ptr{session_}] {
    auto alive = weak.lock();
    if (!alive || alive->orphaned) return;
    std::string trouble = alive->read_reports();
    if (!trouble.empty()) {
      const std::scoped_lock guard{mutex_};
      trouble_ = std::move(trouble);
    }
    if (!alive->broken) return;
    renew(alive);
    end(std::move(alive));
  });
  if (limits_.give_up.count() > 0) watch(session_);
  return session_;
}

// When a call has waited for too long, new calls get a new handle. Messages on this one get a short
// grace period, which healthy brokers mostly meet. Then they are purged and their outcome is
// reported.
void Producer::watch(const std::shared_ptr<Session>& session) {
  session->timer.expires_after(limits_.give_up / 10);
  session->timer.async_wait([this, weak = std::weak_ptr{session}](boost::system::error_code error) {
    const auto alive = weak.lock();
    if (error || !alive || alive->orphaned) return;
    if (!alive->waiting.any_since(std::chrono::steady_clock::now() - limits_.give_up))
      return watch(alive);
    {
      const std::scoped_lock guard{mutex_};
      if (trouble_.empty()) trouble_ = "the brokers do not acknowledge in time";
    }
    renew(alive);
    {
      const std::scoped_lock lock{mutex_};
      end(std::exchange(former_, alive));
    }
    alive->timer.expires_after(limits_.give_up / 10);
    alive->timer.async_wait([this, weak](boost::system::error_code) {
      auto former = weak.lock();
      if (!former || former->orphaned) return;
      const std::scoped_lock lock{mutex_};
      if (former_ != former) return;
      former_.reset();
      end(std::move(former));
    });
  });
}

// Closes on another thread: librdkafka joins its threads, and one may be waiting for DNS.
void Producer::end(std::shared_ptr<Session> session) {
  asio::post(closing_, [ended = std::move(session)]() mutable { ended.reset(); });
}

void Producer::renew(const std::shared_ptr<Session>& broken) {
  std::string why;
  {
    const std::scoped_lock lock{mutex_};
    if (session_ != broken) return;
    session_.reset();  // `broken` holds the last reference
    ended_ = limits_.once;
    why = trouble_;
  }
  if (limits_.once) return;
  observe::log(observe::Level::warn, "kafka producer restarted", {{"why", why}});
}

asio::awaitable<std::vector<Delivery>> Producer::deliver(std::vector<NewMessage> messages) {
  if (messages.empty()) co_return std::vector<Delivery>{};
  const asio::any_io_executor executor = co_await asio::this_coro::executor;
  co_return co_await asio::async_initiate<const asio::use_awaitable_t<>,
                                          void(std::vector<Delivery>)>(
      [&](auto handler) {
        send(
            messages.size(), [&](std::size_t index) { return std::move(messages[index]); },
            executor, std::move(handler));
      },
      asio::use_awaitable);
}

std::shared_ptr<PendingDelivery> Producer::start_delivery(std::size_t count, const Make& make) {
  auto pending = std::make_shared<PendingDelivery>(loop_.get_executor());
  if (count == 0) {
    pending->end({});
  } else {
    send(count, make, loop_.get_executor(),
         [pending](std::vector<Delivery> deliveries) { pending->end(std::move(deliveries)); });
  }
  return pending;
}

void Producer::send(std::size_t count, const Make& make, asio::any_io_executor executor,
                    Done done) {
  std::shared_ptr<Session> open;
  try {
    open = session();
  } catch (const std::exception& error) {  // such as too many open files
    const std::scoped_lock lock{mutex_};
    trouble_ = error.what();
  }
  if (!open) {
    asio::post(executor, [done = std::move(done), count]() mutable {
      std::move(done)(std::vector<Delivery>(count, Delivery::failed));
    });
    return;
  }
  auto batch = std::make_unique<Batch>();
  batch->deliveries.assign(count, Delivery::unknown);
  batch->items.reserve(count);
  for (std::size_t i = 0; i < count; ++i) batch->items.push_back({batch.get(), i});
  batch->executor = std::move(executor);
  batch->done = std::move(done);
  open->send(std::move(batch), make);
}

asio::awaitable<std::vector<Delivery>> PendingDelivery::wait() {
  co_await ended_.wait();
  co_return std::move(deliveries_);
}

void PendingDelivery::end(std::vector<Delivery> deliveries) {
  deliveries_ = std::move(deliveries);
  ended_.ring();
}

}  // namespace shopbell::kafka
