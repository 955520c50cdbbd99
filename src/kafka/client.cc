#include "kafka/client.h"

#include <array>
#include <cerrno>
#include <format>
#include <ranges>
#include <system_error>

#include <sys/eventfd.h>
#include <unistd.h>

#include "kafka/library.h"
#include "observe/log.h"

namespace shopbell::kafka {

namespace {

int new_eventfd() {
  const int descriptor = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (descriptor < 0) throw std::system_error{errno, std::generic_category(), "eventfd"};
  return descriptor;
}

// librdkafka's own log lines. Callers log what an error means for the service.
void write_line(const rd_kafka_t* /*handle*/, int /*level*/, const char* facility,
                const char* text) {
  observe::log(observe::Level::debug, "kafka", {{"facility", facility}, {"text", text}});
}

Client::Options options_of(const Settings& settings) {
  Client::Options options{{"bootstrap.servers", settings.brokers | std::views::join_with(',') |
                                                    std::ranges::to<std::string>()},
                          {"client.id", "shopbell"},
                          {"socket.keepalive.enable", "true"},
                          {"reconnect.backoff.ms", "50"},
                          {"reconnect.backoff.max.ms", "1000"},
                          {"allow.auto.create.topics", "false"}};
  const bool sasl = !settings.sasl_mechanism.empty();
  options["security.protocol"] =
      std::string{sasl ? "sasl_" : ""} + (settings.tls ? "ssl" : "plaintext");
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) options[name] = value;
  };
  if (settings.tls) {
    add("ssl.ca.location", settings.ca_file);
    add("ssl.certificate.location", settings.certificate);
    add("ssl.key.location", settings.key);
  }
  if (sasl) {
    options["sasl.mechanisms"] = settings.sasl_mechanism;
    options["sasl.username"] = settings.user;
    options["sasl.password"] = settings.password;
  }
  return options;
}

}  // namespace

Client::Client(asio::io_context& loop, Kind kind, const Settings& settings, const Options& options)
    : bell_{loop, new_eventfd()} {
  const Library& rd = library();
  rd_kafka_conf_t* conf = rd.rd_kafka_conf_new();
  std::array<char, 512> why{};
  Options all = options;
  all.merge(options_of(settings));
  for (const auto& [name, value] : all) {
    if (rd.rd_kafka_conf_set(conf, name.c_str(), value.c_str(), why.data(), why.size()) ==
        RD_KAFKA_CONF_OK)
      continue;
    rd.rd_kafka_conf_destroy(conf);
    throw Error{std::format("{}: {}", name, why.data())};
  }
  rd.rd_kafka_conf_set_events(conf,
                              RD_KAFKA_EVENT_DR | RD_KAFKA_EVENT_FETCH | RD_KAFKA_EVENT_ERROR);
  rd.rd_kafka_conf_set_log_cb(conf, write_line);
  handle_ = rd.rd_kafka_new(kind == Kind::producer ? RD_KAFKA_PRODUCER : RD_KAFKA_CONSUMER, conf,
                            why.data(), why.size());
  if (handle_ == nullptr) {
    rd.rd_kafka_conf_destroy(conf);
    throw Error{why.data()};
  }
  if (kind == Kind::consumer) {
    rd.rd_kafka_poll_set_consumer(handle_);
    queue_ = rd.rd_kafka_queue_get_consumer(handle_);
  } else {
    queue_ = rd.rd_kafka_queue_get_main(handle_);
  }
  constexpr std::uint64_t kOne = 1;
  rd.rd_kafka_queue_io_event_enable(queue_, bell_.native_handle(), &kOne, sizeof kOne);
  // The descriptor signals only when an empty queue gets an event. Events may be in the queue
  // already, such as unreachable brokers, so signal once now.
  if (::write(bell_.native_handle(), &kOne, sizeof kOne) < 0)
    throw Error{"cannot write to an eventfd"};
}

Client::~Client() {
  const Library& rd = library();
  rd.rd_kafka_queue_io_event_enable(queue_, -1, nullptr, 0);
  rd.rd_kafka_queue_destroy(queue_);
  rd.rd_kafka_destroy_flags(handle_, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE);
}

void Client::start(std::function<void()> woken) {
  woken_ = std::move(woken);
  wait();
}

Client::Event* Client::poll() const { return library().rd_kafka_queue_poll(queue_, 0); }

// Drains the descriptor before the queue, so that later events wake the loop again.
void Client::wait() {
  bell_.async_wait(asio::posix::descriptor_base::wait_read,
                   [weak = weak_from_this()](boost::system::error_code error) {
                     const auto alive = weak.lock();
                     if (error || !alive) return;
                     std::uint64_t count = 0;
                     while (::read(alive->bell_.native_handle(), &count, sizeof count) > 0) {
                     }
                     alive->woken_();
                     alive->wait();
                   });
}

}  // namespace shopbell::kafka
