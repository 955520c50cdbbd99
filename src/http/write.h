// Write: how an operation changes something, exactly once.
//
// It reads what the operation needs, lets it decide, and sends the effect as one group, together
// with the answer when the request has an Idempotency-Key. A group is committed before anybody sees
// its results, so each statement of the effect guards what was read (`require(…, 'SB001', …)` in
// SQL): when others were faster the group is refused as a whole, and everything starts again from
// reading. So the decision is made in C++, on what was true at the moment of the commit.
#pragma once

#include <functional>
#include <span>

#include <boost/asio/awaitable.hpp>

#include "base/time.h"
#include "http/call.h"
#include "pg/group.h"
#include "pg/result.h"

namespace shopbell::http {

struct Premises {
  std::span<const pg::Result> results;  // of the reads, in their order
  Instant now;                          // the database's
};

// Returns the answer of success and adds to the effect, or throws the Problem that refuses. May be
// called several times.
using Decide = std::function<Response(const Premises& premises, pg::Group& effect)>;

// Whether the answer is kept under the request's Idempotency-Key. What is only a part of a request
// keeps nothing: it has another way to be known again.
enum class Keep { answer, nothing };

// Whether a request with this one's Idempotency-Key was answered before: then this one will be,
// too, or refused for being another. For what is better known before an upload is read.
boost::asio::awaitable<bool> was_answered(Call call);

// `locks` are statements that lock what the operation is about. Without contention they are never
// used; whoever was overtaken goes on in a transaction that takes them first, on a connection of
// its own: there the writers of one hot row stand in line, and nobody else behind them.
boost::asio::awaitable<Response> write(Call call, pg::Group reads, Decide decide,
                                       pg::Group locks = {}, Keep keep = Keep::answer);

}  // namespace shopbell::http
