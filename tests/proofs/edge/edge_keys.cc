// Access: keys that are missing, malformed, unknown, expired, revoked or lack a scope, and objects
// of other accounts. Each failed authentication comes from its own address, because failures are
// limited by address.
#include <format>
#include <thread>

#include "resources/keys/key.h"
#include "tests/proofs/actors/bodies.h"
#include "tests/proofs/edge/edge.h"

namespace shopbell::proofs {

namespace {

using namespace std::chrono_literals;

Ask with_authorization(const Ask& ask, const std::string& value) {
  return with_header(ask, "Authorization", value);
}

void no_key(Trial& trial) {
  if (!trial.needs_key()) return;
  const Ask ask = without_header(trial.request(), "Authorization");
  trial.expect("no Authorization", trial.ask_from_elsewhere(ask), 401, "unauthorized");
}

void malformed_header(Trial& trial) {
  if (!trial.needs_key()) return;
  const std::string& key = trial.world().common.live.key;
  const std::vector<std::string> values{"",
                                        "Bearer",
                                        "Bearer ",
                                        key,
                                        "Basic " + key,
                                        "Token " + key,
                                        "Bearer: " + key,
                                        "Bearer " + key + " " + key,
                                        "Bearer " + key + ",",
                                        "Bearer \"" + key + "\"",
                                        "Bearer\t" + key};
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!trial.takes(i)) continue;
    trial.expect(std::format("Authorization: {}", values[i]),
                 trial.ask_from_elsewhere(with_authorization(trial.request(), values[i])), 401,
                 "unauthorized");
  }
}

void wrong_checksum(Trial& trial) {
  if (!trial.needs_key()) return;
  std::string key = trial.world().common.live.key;
  key.back() = key.back() == 'x' ? 'y' : 'x';
  const std::string cut = key.substr(0, key.size() - 1);
  for (const std::string& wrong : {key, cut, key + "0"})
    trial.expect("a mistyped key",
                 trial.ask_from_elsewhere(with_authorization(trial.request(), "Bearer " + wrong)),
                 401, "unauthorized");
}

void unknown_key(Trial& trial) {
  if (!trial.needs_key()) return;
  for (const keys::Mode mode : {keys::Mode::live, keys::Mode::test}) {
    const std::string key = keys::Token::create(mode).text;
    trial.expect("a well-formed but unknown key",
                 trial.ask_from_elsewhere(with_authorization(trial.request(), "Bearer " + key)),
                 401, "unauthorized");
  }
}

void expired_key(Trial& trial) {
  if (!trial.needs_key()) return;
  const Ask ask = with_authorization(trial.request(), "Bearer " + trial.world().expired_key);
  trial.expect("an expired key", trial.ask_from_elsewhere(ask), 401, "key-expired");
}

void missing_scope(Trial& trial) {
  if (!trial.needs_key()) return;
  const std::string& scope = trial.route().access.scope_name();
  const Ask ask = with_authorization(trial.request(), "Bearer " + trial.world().lacking.at(scope));
  const Reply reply = trial.ask_from_elsewhere(ask);
  trial.expect("every scope but " + scope, reply, 403, "scope-missing");
  trial.check(text_member(reply.body, "detail").value_or("").contains(scope), "the detail",
              "it names " + scope, reply.brief());
}

// An object of another account gets the same status, code and body as a missing object, apart from
// the request's own path and id.
void foreign_object(Trial& trial) {
  if (!trial.needs_key() || !has_parameters(trial.route())) return;
  const auto& stranger = trial.world().strangers_of(trial.route()).live;
  const std::string mark = trial.world().maker.next_mark("foreign");
  const auto theirs = trial.world().maker.make(stranger, trial.route(), mark);
  if (!trial.check(theirs.has_value(), "an object of another account",
                   "an operation that creates it", "none"))
    return;
  const Reply foreign = trial.ask(trial.request_at(theirs->path));
  const Reply missing = trial.ask(
      trial.request_at(missing_path(trial.route()) + naming_query(trial.route(), kNobody)));
  const auto essence = [](const Reply& reply) {
    return std::format("{} {}", reply.status,
                       without_members(reply.body, {"requestId", "instance"}));
  };
  // A PATCH that upserts creates the caller's own object under the same id, so the responses are
  // similar but not the same.
  const bool created = missing.status < 300;
  trial.check(created ? foreign.status == missing.status : essence(foreign) == essence(missing),
              "an object of another account", "as for a missing object: " + missing.brief(),
              foreign.brief());
  if (!created) trial.expect("a missing object", missing, 404, "not-found");
}

}  // namespace

void try_revoked_keys(std::vector<std::unique_ptr<Trial>>& trials) {
  if (trials.empty()) return;
  EdgeWorld& world = trials.front()->world();
  const AccountPair doomed = world.stage.create_accounts("Revoked");
  // The probe has an unknown parameter: a valid key gets 422, without effect.
  const auto probe = [&](const Trial& trial) {
    Ask ask = with_authorization(trial.request(), "Bearer " + doomed.live.key);
    ask.path += "?zzUnknown=1";
    return ask;
  };
  const auto ask_all = [&](const std::string& about, int status, std::string_view code) {
    for (auto& trial : trials) {
      if (!trial->needs_key()) continue;
      for (std::size_t process = 0; process < world.stage.processes(); ++process)
        trial->expect(std::format("{}, process {}", about, process + 1),
                      trial->ask_from_elsewhere(probe(*trial), process), status, code);
    }
  };
  // Before the revocation, the processes cache the key as valid.
  ask_all("before", 422, "unknown-parameter");
  world.stage.revoke_keys_of(doomed.live.id);
  std::this_thread::sleep_for(1s);
  ask_all("a second after it was revoked", 401, "key-revoked");
}

std::vector<Finding> try_throttle(EdgeWorld& world) {
  std::vector<Finding> findings;
  const auto& routes = world.catalogue.routes();
  const auto keyed =
      std::ranges::find_if(routes, [](const Route& route) { return route.access.needs_key(); });
  if (keyed == routes.end()) return findings;
  const auto refuse = [&](const std::string& expected, const Reply& reply) {
    findings.push_back({keyed->description.id, "throttle",
                        "failed authentications from one address", expected, reply.brief()});
  };
  const Ask guess =
      request_of(*keyed, missing_path(*keyed), keys::Token::create(keys::Mode::live).text);
  Ask known = request_of(*keyed, missing_path(*keyed), world.common.live.key);
  known.path += "?zzUnknown=1";
  const auto answer = [&](RawClient& client, const Ask& ask) {
    ++world.requests;
    client.send(wire_of(ask));
    return client.read();
  };
  RawClient client{world.stage.host_port(), world.addresses.next()};
  answer(client, known);
  Reply last;
  int let_in = 0;
  for (; let_in < 200; ++let_in) {
    last = answer(client, guess);
    if (last.status != 401) break;
  }
  if (last.status != 429 || last.code() != "quota-exceeded" || last.header("retry-after").empty())
    refuse("429 quota-exceeded with Retry-After within 200 requests", last);
  if (let_in < 20) refuse("at least 20 failures before", last);
  RawClient other{world.stage.host_port(), world.addresses.next()};
  const Reply untouched = answer(other, guess);
  if (untouched.status != 401) refuse("401 for another address", untouched);
  const Reply neighbour = answer(client, known);
  if (neighbour.status != 422) refuse("422 for a known key from the same address", neighbour);
  return findings;
}

std::vector<Rule> key_rules() {
  return {{"no key", no_key},
          {"auth header", malformed_header},
          {"key checksum", wrong_checksum},
          {"unknown key", unknown_key},
          {"expired key", expired_key},
          {"scope", missing_scope},
          {"foreign id", foreign_object}};
}

}  // namespace shopbell::proofs
