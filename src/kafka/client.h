// Client: one librdkafka handle whose events arrive on an Asio loop. librdkafka works on threads of
// its own and reports through a queue; a descriptor wakes the loop.
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

inline constexpr const char* kSignatureHeader = "signature";  // name of the message header

// The brokers' addresses, and how to authenticate.
struct Settings {
  std::vector<std::string> brokers;  // such as "host:9092"
  bool tls = false;
  std::filesystem::path ca_file;      // trusted authorities, instead of the system's list
  std::filesystem::path certificate;  // client certificate, if the brokers require one
  std::filesystem::path key;
  std::string sasl_mechanism;  // empty: no SASL
  std::string user;
  std::string password;
};

class Client : public std::enable_shared_from_this<Client> {
 public:
  enum class Kind { producer, consumer };
  using Event = rd_kafka_op_s;
  using Options = std::map<std::string, std::string>;  // librdkafka options besides the settings

  // Throws Error when librdkafka refuses the settings. The brokers need not be reachable.
  Client(asio::io_context& loop, Kind kind, const Settings& settings, const Options& options);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // Calls `woken` on the loop when the queue becomes non-empty, once for everything in it. The
  // owner calls start(), and `woken` must stay valid as long as the client.
  void start(std::function<void()> woken);
  // The next event, which the caller must destroy; null if the queue is empty.
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
