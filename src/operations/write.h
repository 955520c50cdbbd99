// Read, decide, write: how every operation changes something exactly once.
//
// write() runs the operation's reads, lets it decide in C++, and commits the effect as one group,
// together with the output when the caller sent an idempotency key. A group commits before its
// results arrive, so each statement of an effect guards what was read (`require(…, 'SB001', …)` in
// SQL). When a concurrent write came first, the guard raises, the whole group rolls back, and
// write() retries from the reads. So a decision always rests on what was true at the commit.
#pragma once

#include <functional>
#include <span>

#include <boost/asio/awaitable.hpp>

#include "base/time.h"
#include "operations/input.h"
#include "operations/output.h"
#include "pg/group.h"
#include "pg/result.h"

namespace shopbell::operations {

struct Premises {
  std::span<const pg::Result> results;  // results of the reads, in order
  Instant now;                          // time of the database's clock
};

// Adds statements to the effect and returns the output of success, or throws a Problem. It may be
// called several times, so it must change nothing but the effect.
using Decide = std::function<Output(const Premises& premises, pg::Group& effect)>;

// Selects whether the output is stored under the caller's idempotency key. A write that is only a
// part of a request stores nothing: such requests detect repetitions in another way.
enum class Keep { output, nothing };

// Returns true if an output is stored under the same idempotency key. Call this before reading an
// upload.
boost::asio::awaitable<bool> was_answered(Input input);

// `locks` are statements that lock the operation's rows. The first attempt does not use them. A
// write that loses a race retries in a transaction that takes the locks first, on its own
// connection: writers of one hot row queue there and block no other write.
boost::asio::awaitable<Output> write(Input input, pg::Group reads, Decide decide,
                                     pg::Group locks = {}, Keep keep = Keep::output);

}  // namespace shopbell::operations
