// RawClient: a client without manners. It sends any bytes from any loopback address, ends its half
// of a connection when it likes, and tells apart an answer, a cut connection and one on which
// nothing comes.
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

struct Door {
  std::string host;
  std::string port;
};

struct Reply : testing::Answer {
  bool late = false;  // the connection stands and nothing comes

  bool answered() const { return outcome == Outcome::answered; }
  bool cut() const { return !answered() && !late; }
  // Of a problem; empty when the body is none.
  std::string code() const;
  // In a few words: "404 not-found {…".
  std::string brief() const;
};

constexpr std::chrono::seconds kPatience{10};

class RawClient {
 public:
  // `source`: the loopback address to come from; any when empty.
  explicit RawClient(const Door& door, const std::string& source = {});
  ~RawClient();
  RawClient(RawClient&& other) noexcept;
  RawClient& operator=(RawClient&& other) noexcept;

  // Reads on while it writes, so that neither side waits for the other. A peer that has gone is
  // noticed when its answer is read.
  void send(std::string_view bytes);
  void end_sending();

  // The next answer; 100 Continue is one. `bodiless`: to a HEAD.
  Reply read(bool bodiless = false, std::chrono::milliseconds patience = kPatience);
  // Everything until the peer closes.
  std::vector<Reply> read_all();
  // Whether the peer has closed; takes what has come, and waits for nothing.
  bool is_over();

  bool usable() const { return socket_ >= 0 && !over_ && !said_close_; }
  int socket() const { return socket_; }

 private:
  enum class Fill { bytes, over, late };
  Fill fill(std::chrono::steady_clock::time_point until);
  void take_what_came();

  int socket_ = -1;
  bool over_ = false;
  bool said_close_ = false;
  std::string buffer_;
};

// Kept connections to one process. A request takes one that is idle, or makes one; safe to be used
// by several threads.
class KeptClients {
 public:
  explicit KeptClients(Door door) : door_{std::move(door)} {}

  Reply ask(const Ask& ask);
  void close_all();

 private:
  Reply ask_once(const Ask& ask);
  RawClient take();

  Door door_;
  std::mutex mutex_;
  std::vector<RawClient> idle_;
};

// The bytes of a request: Host, its headers, and the length of its body unless a header says how it
// ends.
std::string wire_of(const Ask& ask);
std::string in_chunks(std::string_view body, std::size_t chunk);

// Every address of 127.0.0.0/8 is this machine; each call gives another.
class Addresses {
 public:
  explicit Addresses(std::uint64_t seed) : next_{static_cast<std::uint32_t>(seed)} {}
  std::string next();

 private:
  std::atomic<std::uint32_t> next_;
};

// For people: without control characters, and not without end.
std::string printable(std::string_view text);

// Values of a request's headers, by any spelling of the name.
Ask with_header(Ask ask, const std::string& name, const std::string& value);
Ask without_header(Ask ask, std::string_view name);

}  // namespace shopbell::proofs
