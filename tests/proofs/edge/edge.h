// Parts of the edge proof: every rule is tried on every route. A trial is one such combination and
// keeps its requests, expectations and results.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "base/limits.h"
#include "tests/proofs/actors/catalogue.h"
#include "tests/proofs/actors/maker.h"
#include "tests/proofs/actors/proof.h"
#include "tests/proofs/actors/raw_client.h"
#include "tests/proofs/actors/stage.h"

namespace shopbell::proofs {

struct Finding {
  std::string operation;
  std::string rule;
  std::string about;     // names the rule's case
  std::string expected;  // the expected response, as text
  std::string got;
};

// State that all trials share.
struct EdgeWorld {
  EdgeWorld(const Setting& of, const Catalogue& all, Stage& on);

  const Setting& setting;
  const Catalogue& catalogue;
  Stage& stage;
  Addresses addresses;
  std::atomic<std::uint64_t> requests = 0;
  KeptClients clients;
  Maker maker;
  AccountPair common;                          // accounts for requests without effect
  std::map<std::string, std::string> lacking;  // scope → a key with all other scopes
  std::string expired_key;

  // Returns the route's own accounts, so that no trial uses up another's quota.
  AccountPair& accounts_of(const Route& route);
  AccountPair& strangers_of(const Route& route);

 private:
  std::mutex mutex_;
  std::map<const Route*, AccountPair> accounts_;
  std::map<const Route*, AccountPair> strangers_;
};

// Checks every response of a route and keeps the findings.
struct RouteRecord {
  std::mutex mutex;
  std::size_t seen = 0;
  std::size_t authenticated = 0;
  std::vector<Finding> envelope;
  std::vector<Finding> rates;
};

class Trial {
 public:
  Trial(EdgeWorld& world, const Route& route, std::string rule, std::size_t ordinal,
        RouteRecord& record);

  EdgeWorld& world() const { return world_; }
  const Route& route() const { return route_; }
  const operations::Description& operation() const { return route_.description; }
  bool needs_key() const { return route_.access.needs_key(); }
  bool has_body() const { return route_.description.body.has_value(); }
  // The limit of a body with one object. Routes that take many objects allow more bytes on the
  // wire.
  std::size_t body_limit() const {
    return has_body() ? route_.description.body->bytes_max : limits::kBodyBytes;
  }
  bool has_upload() const { return route_.description.upload.has_value(); }
  std::size_t wire_limit() const {
    if (has_upload()) return route_.description.upload->bytes_max;
    return has_body() ? std::max(body_limit(), route_.description.body->lines_bytes_max)
                      : limits::kBodyBytes;
  }
  bool quick() const { return world_.setting.quick; }
  std::mt19937_64& random() { return random_; }

  // Returns a request for a missing object that is valid in all other ways.
  Ask request() const;
  Ask request_at(const std::string& path) const;
  // Returns a request that succeeds. If its objects cannot be created, returns nullopt and adds a
  // finding.
  std::optional<Ask> good_request();
  std::optional<Object> object();
  const Account& account() { return world_.accounts_of(route_).live; }

  // Sends the request on a kept-alive connection, a new one, or a new one from an unused source
  // address.
  Reply ask(const Ask& ask);
  Reply ask_alone(const Ask& ask);
  Reply ask_from_elsewhere(const Ask& ask, std::size_t process = 0);
  // Sends any bytes from an unused source address; returns all responses until the connection
  // closes.
  std::vector<Reply> send_raw(std::string_view bytes);
  RawClient connect(std::size_t process = 0) const;

  // Checks a response of this route that was read elsewhere.
  void observe(const Ask& ask, const Reply& reply);

  void expect(const std::string& about, const Reply& reply, int status, std::string_view code = {});
  bool check(bool holds, const std::string& about, const std::string& expected,
             const std::string& got);

  // Returns true if this trial runs the case. With many routes, a quick run tries each case on a
  // few routes, which depend on the seed.
  bool takes(std::size_t case_number) const;

  std::size_t checks() const { return checks_; }
  const std::vector<Finding>& findings() const { return findings_; }

 private:
  EdgeWorld& world_;
  const Route& route_;
  std::string rule_;
  std::size_t ordinal_;
  RouteRecord& record_;
  std::mt19937_64 random_;
  std::size_t checks_ = 0;
  std::vector<Finding> findings_;
};

struct Rule {
  std::string name;  // short, because it is a column header
  void (*run)(Trial& trial);
};

// The groups of rules, in the order in which the service makes the checks.
std::vector<Rule> key_rules();
std::vector<Rule> path_rules();
std::vector<Rule> query_rules();
std::vector<Rule> body_rules();
std::vector<Rule> coding_rules();
std::vector<Rule> wire_rules();
std::vector<Rule> header_rules();
std::vector<Rule> order_rules();
std::vector<Rule> connection_rules();

// Tries revoked keys on all routes at once, one trial each.
void try_revoked_keys(std::vector<std::unique_ptr<Trial>>& trials);

// Opens a connection per route and sends one byte of the head or the body every half second.
// Returns for each connection the time until the service cut it.
using CutAfter = std::optional<std::chrono::steady_clock::duration>;
std::vector<CutAfter> feed_heads(const std::vector<Route>& routes, const HostPort& host_port);
std::vector<CutAfter> feed_bodies(const std::vector<Route>& routes, const HostPort& host_port);
void judge_slow(Trial& trial, const CutAfter& cut, std::chrono::seconds limit);

// Checks that an address with too many failed authentications gets 429, and others do not.
std::vector<Finding> try_throttle(EdgeWorld& world);

// Returns the first general requirement that the response violates; nullopt if none.
std::optional<std::string> envelope_fault(const Ask& ask, const Reply& reply);
bool is_authenticated(const Route& route, const Ask& ask, const Reply& reply);
std::optional<std::string> rate_fault(const Reply& reply);

}  // namespace shopbell::proofs
