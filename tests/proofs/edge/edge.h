// The edge proof's parts: a rule is tried on every route of the table; a trial is one such cell,
// and keeps what it asked, expected and got.
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
  std::string about;     // which of the rule's cases
  std::string expected;  // in words
  std::string got;
};

// What all trials share.
struct EdgeWorld {
  EdgeWorld(const Setting& of, const Catalogue& all, Stage& on);

  const Setting& setting;
  const Catalogue& catalogue;
  Stage& stage;
  Addresses addresses;
  std::atomic<std::uint64_t> requests = 0;
  KeptClients clients;
  Maker maker;
  AccountPair common;                          // for what leaves no trace
  std::map<std::string, std::string> lacking;  // scope → a key with every other one
  std::string expired_key;

  // Each route has accounts of its own, so that no trial fills up what another needs.
  AccountPair& accounts_of(const Route& route);
  AccountPair& strangers_of(const Route& route);

 private:
  std::mutex mutex_;
  std::map<const Route*, AccountPair> accounts_;
  std::map<const Route*, AccountPair> strangers_;
};

// What every answer of a route must have, and what was found wanting.
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
  const http::Operation& operation() const { return route_.operation; }
  bool needs_key() const { return route_.access.needs_key(); }
  bool has_body() const { return route_.operation.body.has_value(); }
  // Of one object; where many are taken at once, more may come over the wire.
  std::size_t body_limit() const {
    return has_body() ? route_.operation.body->bytes_max : limits::kBodyBytes;
  }
  bool has_upload() const { return route_.operation.upload.has_value(); }
  std::size_t wire_limit() const {
    if (has_upload()) return route_.operation.upload->bytes_max;
    return has_body() ? std::max(body_limit(), route_.operation.body->lines_bytes_max)
                      : limits::kBodyBytes;
  }
  bool quick() const { return world_.setting.quick; }
  std::mt19937_64& random() { return random_; }

  // The operation at a path where nothing stands, well-formed in every other way.
  Ask request() const;
  Ask request_at(const std::string& path) const;
  // One that succeeds; none when nothing can be made for it, which is a finding.
  std::optional<Ask> good_request();
  std::optional<Object> object();
  const Account& account() { return world_.accounts_of(route_).live; }

  // Over a kept connection, a fresh one, or a fresh one from an address nobody else uses.
  Reply ask(const Ask& ask);
  Reply ask_alone(const Ask& ask);
  Reply ask_from_elsewhere(const Ask& ask, std::size_t process = 0);
  // Any bytes, from elsewhere too, and everything that comes back until the connection ends.
  std::vector<Reply> send_raw(std::string_view bytes);
  RawClient connect(std::size_t process = 0) const;

  // Of an answer to this route that was read elsewhere.
  void observe(const Ask& ask, const Reply& reply);

  void expect(const std::string& about, const Reply& reply, int status, std::string_view code = {});
  bool check(bool holds, const std::string& about, const std::string& expected,
             const std::string& got);

  // In a smoke of many routes each case is tried on some of them, another time on others.
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
  std::string name;  // short: it stands above a column
  void (*run)(Trial& trial);
};

// In the order of the checks they are about.
std::vector<Rule> key_rules();
std::vector<Rule> path_rules();
std::vector<Rule> query_rules();
std::vector<Rule> body_rules();
std::vector<Rule> coding_rules();
std::vector<Rule> wire_rules();
std::vector<Rule> header_rules();
std::vector<Rule> order_rules();
std::vector<Rule> connection_rules();

// Of all routes at once: one trial each.
void try_revoked_keys(std::vector<std::unique_ptr<Trial>>& trials);

// A connection per route that is fed a byte every half second, and when it was cut; of heads, and
// of bodies.
using CutAfter = std::optional<std::chrono::steady_clock::duration>;
std::vector<CutAfter> feed_heads(const std::vector<Route>& routes, const Door& door);
std::vector<CutAfter> feed_bodies(const std::vector<Route>& routes, const Door& door);
void judge_slow(Trial& trial, const CutAfter& cut, std::chrono::seconds limit);

// Whether too many failed authentications from one address are told to wait, and others are not.
std::vector<Finding> try_throttle(EdgeWorld& world);

// What is wrong with an answer, whatever it answers; nothing when all is well.
std::optional<std::string> envelope_fault(const Ask& ask, const Reply& reply);
bool is_authenticated(const Route& route, const Ask& ask, const Reply& reply);
std::optional<std::string> rate_fault(const Reply& reply);

}  // namespace shopbell::proofs
