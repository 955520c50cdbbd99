// WireTap: relays connections to PostgreSQL and notes the statements that pass, so that a test can
// count the statements and the round trips of a transaction.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>

namespace shopbell::testing {

// The named statements of each round trip of a transaction, in order.
using RoundTrips = std::vector<std::vector<std::string>>;

// Runs on `loop`, and must not be used from elsewhere.
class WireTap {
 public:
  // Relays to the server of the URL.
  WireTap(boost::asio::io_context& loop, const std::string& url);
  ~WireTap();
  WireTap(const WireTap&) = delete;
  WireTap& operator=(const WireTap&) = delete;

  // The same database, through the tap.
  const std::string& url() const { return url_; }
  // The committed transactions (pg::Transaction) since the last call.
  std::vector<RoundTrips> take();

 private:
  struct State;

  std::shared_ptr<State> state_;
  std::string url_;
};

}  // namespace shopbell::testing
