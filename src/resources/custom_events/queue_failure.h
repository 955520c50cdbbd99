// QueueFailure: why the reader of the intake failed. The reader retries after every kind of
// exception: one that ended it would leave its partitions leased and unread.
#pragma once

#include <optional>
#include <string>

#include <boost/asio/awaitable.hpp>

#include "pg/error.h"

namespace shopbell::custom_events {

// Tells whether another process owns the partitions, or has a newer keyring.
bool is_fenced(const pg::Error& error);

struct QueueFailure {
  std::string why;
  bool fenced = false;
  bool unexpected = false;  // neither the database nor Kafka nor the events are the cause
};

// Runs the work. Returns nullopt if it succeeded.
boost::asio::awaitable<std::optional<QueueFailure>> attempt(boost::asio::awaitable<void> work);

}  // namespace shopbell::custom_events
