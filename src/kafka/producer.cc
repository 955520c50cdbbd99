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

Client::Options options_of(const Producer::Limits& wishes) {
  return {{"enable.idempotence", "true"},
          {"acks", "all"},
          // Without end. When librdkafka gives up on a message it numbers all others anew, and one
          // that had arrived unknown to it, in whichever partition, is then there twice.
          {"message.timeout.ms", "0"},
          {"linger.ms", std::to_string(wishes.linger.count())},
          // One: a broker that is new to this producer takes the second of two requests without the
          // first, and librdkafka then believes that the first is there, too.
          {"max.in.flight.requests.per.connection", "1"},
          {"enable.gapless.guarantee", wishes.once ? "true" : "false"},
          {"compression.type", "lz4"},
          {"batch.size", std::to_string(wishes.batch_bytes)},
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

// Since when each call waits, the oldest first.
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

// The messages of one call. Lives until the last of them is known.
struct Producer::Batch {
  struct Item {
    Batch* batch;
    std::size_t index;
  };
  std::vector<Item> items;
  std::vector<Delivery> deliveries;
  std::atomic<std::size_t> left = 0;
  asio::any_io_executor executor;  // the caller's
  Done done;
  Waiting* waiting = nullptr;  // where it is one of them
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

// One handle. A fatal error is the end of it, or that something takes too long; the next call makes
// another.
struct Producer::Way {
  std::shared_ptr<Client> client;
  rd_kafka_topic_s* topic = nullptr;
  std::atomic<bool> broken = false;
  Waiting waiting;
  asio::steady_timer timer;
  const bool numbered;
  const bool once;
  std::atomic<bool> refused = false;  // one of those that came before
  const Uuid sender = Uuid::v7(system_clock().now());
  std::mutex order;                             // of numbers, which is that of sending
  std::map<std::int32_t, std::int64_t> latest;  // number, per partition

  Way(asio::io_context& loop, const Settings& settings, const std::string& name, Limits wishes)
      : client{std::make_shared<Client>(loop, Client::Kind::producer, settings,
                                        options_of(wishes))},
        topic{library().rd_kafka_topic_new(client->handle(), name.c_str(), nullptr)},
        timer{loop},
        numbered{wishes.numbered},
        once{wishes.once} {
    if (topic == nullptr) throw Error{std::format("{} is no name of a topic", name)};
  }

  // Whoever still waits is told what is known.
  ~Way() {
    const Library& rd = library();
    const auto end = std::chrono::steady_clock::now() + limits::kKafkaFarewell;
    while (rd.rd_kafka_outq_len(client->handle()) > 0 && std::chrono::steady_clock::now() < end) {
      // Each time: what just changes its leader is nobody's for a moment.
      rd.rd_kafka_purge(client->handle(), RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT |
                                              RD_KAFKA_PURGE_F_NON_BLOCKING);
      if (read_reports().empty()) std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
    rd.rd_kafka_topic_destroy(topic);
  }

  // What went wrong, if it was said.
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

  // False when librdkafka does not take it.
  bool produce(NewMessage message, Batch::Item& item) {
    const std::scoped_lock lock{order};
    std::int64_t& last = latest[message.partition];
    std::array<rd_kafka_vu_t, 7> parts{};
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
    if (numbered) {
      origin = Origin{.sender = sender, .number = last + 1}.to_text();
      part(RD_KAFKA_VTYPE_HEADER).header = {Origin::kHeader, origin.data(),
                                            static_cast<ssize_t>(origin.size())};
    }
    rd_kafka_error_t* error = library().rd_kafka_produceva(client->handle(), parts.data(), count);
    if (error == nullptr) {
      ++last;
    } else {
      library().rd_kafka_error_destroy(error);
    }
    return error == nullptr;
  }

  void send(std::unique_ptr<Batch> owned, const Make& make) {
    Batch* batch = owned.release();  // its own, until the last message is known
    const std::size_t count = batch->items.size();
    batch->left = count;
    batch->waiting = &waiting;
    batch->place = waiting.add();
    for (std::size_t i = 0; i < count; ++i) {
      Batch::Item& item = batch->items[i];
      bool sent = false;
      try {
        sent = !(once && refused) && produce(make(i), item);
      } catch (const std::exception&) {  // then it is not there, and its call hears of it
      }
      if (!sent) refused = true;
      // The last of them may end the batch, so it is not looked at behind this line.
      if (!sent) Batch::settle(item, Delivery::failed);
    }
  }
};

Producer::Producer(asio::io_context& loop, Settings settings, std::string topic, Limits limits)
    : loop_{loop}, settings_{std::move(settings)}, topic_{std::move(topic)}, limits_{limits} {
  way();
}

Producer::~Producer() = default;

std::string Producer::trouble() const {
  const std::scoped_lock lock{mutex_};
  return trouble_;
}

std::shared_ptr<Producer::Way> Producer::way() {
  const std::scoped_lock lock{mutex_};
  if (way_) return way_;
  if (ended_) throw Error{trouble_};
  way_ = std::make_shared<Way>(loop_, settings_, topic_, limits_);
  way_->client->start([this, weak = std::weak_ptr{way_}] {
    auto alive = weak.lock();
    if (!alive) return;
    std::string trouble = alive->read_reports();
    if (!trouble.empty()) {
      const std::scoped_lock told{mutex_};
      trouble_ = std::move(trouble);
    }
    if (!alive->broken) return;
    renew(alive);
    end(std::move(alive));
  });
  if (limits_.give_up.count() > 0) watch(way_);
  return way_;
}

// When one call has waited for too long, new ones go another way. What was sent on this one gets a
// moment more, most of it for brokers that are well; then it is taken back and said for what it is.
void Producer::watch(const std::shared_ptr<Way>& way) {
  way->timer.expires_after(limits_.give_up / 10);
  way->timer.async_wait([this, weak = std::weak_ptr{way}](boost::system::error_code error) {
    const auto alive = weak.lock();
    if (error || !alive) return;
    if (!alive->waiting.any_since(std::chrono::steady_clock::now() - limits_.give_up))
      return watch(alive);
    {
      const std::scoped_lock told{mutex_};
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
      const std::scoped_lock lock{mutex_};
      if (!former || former_ != former) return;
      former_.reset();
      end(std::move(former));
    });
  });
}

// Elsewhere: librdkafka waits for its threads, and one of them may be waiting for a name server.
void Producer::end(std::shared_ptr<Way> way) {
  asio::post(ending_, [ended = std::move(way)]() mutable { ended.reset(); });
}

void Producer::renew(const std::shared_ptr<Way>& broken) {
  std::string why;
  {
    const std::scoped_lock lock{mutex_};
    if (way_ != broken) return;
    way_.reset();  // `broken` is the last to hold it
    ended_ = limits_.once;
    why = trouble_;
  }
  if (limits_.once) return;
  observe::log(observe::Level::warn, "kafka producer begins anew", {{"why", why}});
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

std::shared_ptr<Handed> Producer::hand_over(std::size_t count, const Make& make) {
  auto handed = std::make_shared<Handed>(loop_.get_executor());
  if (count == 0) {
    handed->end({});
  } else {
    send(count, make, loop_.get_executor(),
         [handed](std::vector<Delivery> deliveries) { handed->end(std::move(deliveries)); });
  }
  return handed;
}

void Producer::send(std::size_t count, const Make& make, asio::any_io_executor executor,
                    Done done) {
  std::shared_ptr<Way> open;
  try {
    open = way();
  } catch (const std::exception& error) {  // of the system, say: no file is left to be opened
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

asio::awaitable<std::vector<Delivery>> Handed::wait() {
  co_await ended_.wait();
  co_return std::move(deliveries_);
}

void Handed::end(std::vector<Delivery> deliveries) {
  deliveries_ = std::move(deliveries);
  ended_.ring();
}

}  // namespace shopbell::kafka
