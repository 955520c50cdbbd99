// Client: one handle of librdkafka whose events come on an Asio loop. librdkafka does its work on
// threads of its own, and says what came of it through a queue; a descriptor wakes the loop.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include "kafka/error.h"

struct rd_kafka_s;
struct rd_kafka_queue_s;
struct rd_kafka_op_s;

namespace shopbell::kafka {

namespace asio = boost::asio;

// Where the brokers are and how to speak to them.
struct Settings {
  std::vector<std::string> brokers;  // "host:9092"
  bool tls = false;
  std::filesystem::path ca_file;      // instead of the system's list
  std::filesystem::path certificate;  // our own, where the brokers ask for one
  std::filesystem::path key;
  std::string sasl_mechanism;  // empty: none
  std::string user;
  std::string password;
};

class Client : public std::enable_shared_from_this<Client> {
 public:
  enum class Kind { producer, consumer };
  using Event = rd_kafka_op_s;
  using Options = std::map<std::string, std::string>;  // librdkafka's, beside the settings

  // Throws Error when librdkafka refuses the settings. Brokers need not be there.
  Client(asio::io_context& loop, Kind kind, const Settings& settings, const Options& options);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // From now on `woken` is called on the loop when the queue has something again: once for all that
  // is in it then. By whoever made the client, which it outlives.
  void start(std::function<void()> woken);
  // What the queue has next, to be destroyed by the caller; null when there is nothing.
  Event* poll() const;

  rd_kafka_s* handle() const { return handle_; }
  rd_kafka_queue_s* queue() const { return queue_; }

 private:
  void wait();

  asio::posix::stream_descriptor bell_;
  std::function<void()> woken_;
  rd_kafka_s* handle_ = nullptr;
  rd_kafka_queue_s* queue_ = nullptr;
};

}  // namespace shopbell::kafka
