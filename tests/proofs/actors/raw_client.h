// RawClient: sends arbitrary bytes from any loopback address and can half-close the connection. It
// distinguishes a response, a closed connection and one that is open but silent.
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "testing/http_client.h"

namespace shopbell::proofs {

using testing::Ask;

struct HostPort {
  std::string host;
  std::string port;
};

struct Reply : testing::Answer {
  bool late = false;  // timeout: the connection is open, but no response arrived

  bool answered() const { return outcome == Outcome::answered; }
  bool cut() const { return !answered() && !late; }
  // Returns the problem's code; empty if the body is not a problem.
  std::string code() const;
  // Returns a short form of the response, such as "404 not-found {…".
  std::string brief() const;
};

constexpr std::chrono::seconds kPatience{10};

class RawClient {
 public:
  // `source` is the loopback address to connect from; empty for any.
  explicit RawClient(const HostPort& host_port, const std::string& source = {});
  ~RawClient();
  RawClient(RawClient&& other) noexcept;
  RawClient& operator=(RawClient&& other) noexcept;

  // Sends the bytes, and keeps reading meanwhile to avoid a deadlock. If the peer has closed, the
  // next read reports it.
  void send(std::string_view bytes);
  void end_sending();

  // Reads the next response, 100 Continue included. `bodiless`: it is the response to a HEAD
  // request.
  Reply read(bool bodiless = false, std::chrono::milliseconds patience = kPatience);
  // Reads all responses until the peer closes the connection.
  std::vector<Reply> read_all();
  // Returns true if the peer has closed the connection; reads available bytes without waiting.
  bool is_closed();

  bool usable() const { return socket_ >= 0 && !closed_ && !close_announced_; }
  int socket() const { return socket_; }

 private:
  enum class Fill { bytes, over, late };
  Fill fill(std::chrono::steady_clock::time_point until);
  void read_available();

  int socket_ = -1;
  bool closed_ = false;
  bool close_announced_ = false;
  std::string buffer_;
};

// A thread-safe pool of connections to one process. A request takes an idle connection or opens
// one.
class KeptClients {
 public:
  explicit KeptClients(HostPort host_port) : host_port_{std::move(host_port)} {}

  Reply ask(const Ask& ask);
  void close_all();

 private:
  Reply ask_once(const Ask& ask);
  RawClient take();

  HostPort host_port_;
  std::mutex mutex_;
  std::vector<RawClient> idle_;
};

// Returns a request's bytes: Host, its headers, and Content-Length unless a header already frames
// the body.
std::string wire_of(const Ask& ask);
std::string in_chunks(std::string_view body, std::size_t chunk);

// Returns another loopback address in 127.0.0.0/8 on each call.
class Addresses {
 public:
  explicit Addresses(std::uint64_t seed) : next_{static_cast<std::uint32_t>(seed)} {}
  std::string next();

 private:
  std::atomic<std::uint32_t> next_;
};

// Shortens a text for output and replaces its control characters.
std::string printable(std::string_view text);

// Replaces or adds a header; its name is matched case-insensitively.
Ask with_header(Ask ask, const std::string& name, const std::string& value);
Ask without_header(Ask ask, std::string_view name);

}  // namespace shopbell::proofs
