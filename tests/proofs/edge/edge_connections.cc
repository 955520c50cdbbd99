// Connections: pipelined requests, clients that wait for 100 Continue, that half-close, and that
// send too slowly.
#include <format>
#include <thread>

#include "base/limits.h"
#include "tests/proofs/actors/bodies.h"
#include "tests/proofs/edge/edge.h"

namespace shopbell::proofs {

namespace {

using namespace std::chrono_literals;
using Steady = std::chrono::steady_clock;

constexpr int kPipelined = 20;

// A request with a known response and no effect, on any route.
struct Known {
  Ask ask;
  int status;
};

Known known_request(Trial& trial, const Route& route) {
  Ask ask = request_of(route, missing_path(route),
                       route.access.needs_key() ? trial.world().common.live.key : "");
  switch (trial.random()() % 4) {
    case 0:
      return {{.method = "OPTIONS", .path = ask.path}, 204};
    case 1:
      return {{.method = "BREW", .path = ask.path}, 405};
    case 2:
      return {{.method = ask.method, .path = "/zz-nowhere" + ask.path}, 404};
    default:
      ask.path += "?zzUnknown=1";
      return {ask, 422};
  }
}

void pipeline(Trial& trial) {
  const auto& routes = trial.world().catalogue.routes();
  std::vector<Known> sent;
  std::string wire;
  for (int i = 0; i < kPipelined; ++i) {
    const Route& route = i % 4 == 0 ? trial.route() : routes[trial.random()() % routes.size()];
    sent.push_back(known_request(trial, route));
    wire += wire_of(with_header(sent.back().ask, "X-Request-Id", std::format("pipelined-{}", i)));
  }
  RawClient client = trial.connect();
  // Sends the requests in pieces of random length.
  for (std::string_view rest = wire; !rest.empty();) {
    const std::size_t piece = std::min<std::size_t>(rest.size(), 1 + trial.random()() % 3000);
    client.send(rest.substr(0, piece));
    rest.remove_prefix(piece);
  }
  trial.world().requests += kPipelined;
  for (int i = 0; i < kPipelined; ++i) {
    const Reply reply = client.read();
    const std::string about =
        std::format("request {}: {} {}", i, sent[i].ask.method, sent[i].ask.path);
    trial.expect(about, reply, sent[i].status);
    trial.check(reply.header("x-request-id") == std::format("pipelined-{}", i), about,
                std::format("the answer to request {}", i), reply.head);
    if (!reply.answered()) return;
  }
}

void expect_continue(Trial& trial) {
  if (!trial.has_body()) return;
  Ask ask = with_header(trial.request(), "Expect", "100-continue");
  ask.body = with_value(ask.body, "/zzUnknown", "1");
  const std::string wire = wire_of(ask);
  const std::size_t head = wire.find("\r\n\r\n") + 4;
  RawClient client = trial.connect();
  client.send(std::string_view{wire}.substr(0, head));
  const Reply first = client.read();
  trial.expect("before the body", first, 100);
  if (first.status == 100) {
    client.send(std::string_view{wire}.substr(head));
    trial.expect("after the body", client.read(), 422, "invalid-body");
  }
  // A client that sends the body at once gets the response, with or without 100 before it.
  RawClient hasty = trial.connect();
  hasty.send(wire);
  Reply reply = hasty.read();
  if (reply.status == 100) reply = hasty.read();
  trial.expect("the body at once", reply, 422, "invalid-body");
  // A body over the limit gets no 100 Continue.
  Ask large = with_header(ask, "Content-Length", std::to_string(trial.wire_limit() + 1));
  large.body.clear();
  RawClient refused = trial.connect();
  refused.send(wire_of(large));
  trial.expect("too large", refused.read(), 413, "body-too-large");
}

void half_closed(Trial& trial) {
  Ask ask = trial.request();
  ask.path += "?zzUnknown=1";
  RawClient client = trial.connect();
  client.send(wire_of(ask));
  client.end_sending();
  const Reply reply = client.read();
  trial.observe(ask, reply);
  trial.expect("a half-closed connection", reply, 422, "unknown-parameter");
  RawClient early = trial.connect();
  const std::string wire = wire_of(ask);
  early.send(std::string_view{wire}.substr(0, wire.find("\r\n\r\n")));
  early.end_sending();
  trial.check(early.read().cut(), "half-closed inside the head", "a cut", "an answer");
}

// A connection on which the client sends one byte every half second.
struct Slow {
  RawClient client;
  std::string rest;
  Steady::time_point started;
  CutAfter cut_after = std::nullopt;
};

// Sends a byte on every connection until each is cut or the limit has passed.
void feed_slowly(std::vector<Slow>& slow, Steady::duration limit) {
  const auto until = Steady::now() + limit;
  auto next_byte = Steady::now() + 500ms;
  bool standing = true;
  while (standing && Steady::now() < until) {
    std::this_thread::sleep_for(20ms);
    const bool feeds = Steady::now() >= next_byte;
    if (feeds) next_byte += 500ms;
    standing = false;
    for (auto& one : slow) {
      if (one.cut_after) continue;
      if (one.client.is_closed()) {
        one.cut_after = Steady::now() - one.started;
        continue;
      }
      standing = true;
      if (!feeds || one.rest.empty()) continue;
      one.client.send(std::string_view{one.rest}.substr(0, 1));
      one.rest.erase(0, 1);
    }
  }
}

std::string told(const CutAfter& duration) {
  if (!duration) return "an open connection";
  return std::format("a cut after {:.1f} s", std::chrono::duration<double>(*duration).count());
}

std::vector<CutAfter> cut_after(std::vector<Slow>& slow) {
  std::vector<CutAfter> durations;
  for (const auto& one : slow) durations.push_back(one.cut_after);
  return durations;
}

}  // namespace

std::vector<CutAfter> feed_heads(const std::vector<Route>& routes, const HostPort& host_port) {
  std::vector<Slow> slow;
  for (const auto& route : routes) {
    Slow one{RawClient{host_port}, std::string(200, 'x'), Steady::now()};
    one.client.send(std::format("{} {} HTTP/1.1\r\nHost: test\r\nX-Slow: ", method_of(route),
                                missing_path(route)));
    slow.push_back(std::move(one));
  }
  feed_slowly(slow, limits::kHeadTimeout + 3s);
  return cut_after(slow);
}

std::vector<CutAfter> feed_bodies(const std::vector<Route>& routes, const HostPort& host_port) {
  std::vector<Slow> slow;
  for (const auto& route : routes) {
    Ask ask = with_header(request_of(route, missing_path(route), ""), "Content-Length", "1000");
    ask.body = "{";
    Slow one{RawClient{host_port}, std::string(200, ' '), Steady::now()};
    one.client.send(wire_of(ask));
    slow.push_back(std::move(one));
  }
  feed_slowly(slow, limits::kBodyTimeout + 3s);
  return cut_after(slow);
}

void judge_slow(Trial& trial, const CutAfter& cut, std::chrono::seconds limit) {
  // An upload is rejected once its head has arrived, so it may be cut before the timeout.
  const bool waits = limit == limits::kHeadTimeout || !trial.has_upload();
  const bool holds = cut && *cut <= limit + 2s && (!waits || *cut >= limit - 1s);
  trial.check(holds, "a byte every half second", std::format("a cut after {}", limit), told(cut));
}

std::vector<Rule> connection_rules() {
  return {{"pipeline", pipeline}, {"100-continue", expect_continue}, {"half-closed", half_closed}};
}

}  // namespace shopbell::proofs
