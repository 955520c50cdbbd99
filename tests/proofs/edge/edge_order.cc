// The order of the checks: if two things are wrong, the first check decides the response.
#include <format>

#include "base/limits.h"
#include "resources/keys/key.h"
#include "tests/proofs/actors/bodies.h"
#include "tests/proofs/edge/edge.h"

namespace shopbell::proofs {

namespace {

Ask with_query(Ask ask, const std::string& query) {
  ask.path = proofs::with_query(std::move(ask.path), query);
  return ask;
}

Ask too_large(const Trial& trial, const Ask& ask) {
  Ask large = without_header(ask, "Content-Length");
  large.body.clear();
  return with_header(std::move(large), "Content-Length", std::to_string(trial.wire_limit() + 1));
}

// Tries the checks that come before authentication.
void before_the_key(Trial& trial) {
  Ask ask = without_header(trial.request(), "Authorization");
  const std::string path = ask.path;
  ask.path = "/zz-nowhere/" + std::string(10 * 1024, 'x');
  trial.expect("414 before 404", trial.ask_alone(ask), 414, "path-too-long");
  ask.path = "/zz-nowhere/";
  trial.expect("404 before 401", trial.ask_alone(ask), 404, "path-not-found");
  trial.expect("404 before 413", trial.ask_alone(too_large(trial, ask)), 404, "path-not-found");
  ask.path = path;
  ask.method = "BREW";
  trial.expect("405 before 401", trial.ask_alone(ask), 405, "method-not-allowed");
  trial.expect("405 before 413", trial.ask_alone(too_large(trial, ask)), 405, "method-not-allowed");
  const Ask long_headers = with_header(ask, "X-Long", std::string(64 * 1024, 'x'));
  trial.expect("431 before 405", trial.ask_alone(long_headers), 431, "headers-too-large");
}

void key_before_body(Trial& trial) {
  if (!trial.needs_key()) return;
  const Ask plain = with_query(trial.request(), "zzUnknown=1");
  const Ask nobody = without_header(plain, "Authorization");
  trial.expect("401 before 422", trial.ask_from_elsewhere(nobody), 401, "unauthorized");
  trial.expect("401 before 413", trial.ask_from_elsewhere(too_large(trial, nobody)), 401,
               "unauthorized");
  trial.expect("401 before 415",
               trial.ask_from_elsewhere(with_header(nobody, "Content-Type", "text/plain")), 401,
               "unauthorized");
  const std::string& scope = trial.route().access.scope_name();
  const Ask lacking =
      with_header(plain, "Authorization", "Bearer " + trial.world().lacking.at(scope));
  trial.expect("403 before 422", trial.ask_alone(lacking), 403, "scope-missing");
  trial.expect("403 before 413", trial.ask_alone(too_large(trial, lacking)), 403, "scope-missing");
  trial.expect("403 before 415",
               trial.ask_alone(with_header(lacking, "Content-Type", "text/plain")), 403,
               "scope-missing");
}

void body_before_query(Trial& trial) {
  const Ask plain = with_query(trial.request(), "zzUnknown=1");
  trial.expect("413 before 422", trial.ask_alone(too_large(trial, plain)), 413, "body-too-large");
  if (!trial.has_body()) return;
  const Ask text = with_header(plain, "Content-Type", "text/plain");
  trial.expect("415 before 413", trial.ask_alone(too_large(trial, text)), 415,
               "unsupported-media-type");
  Ask broken = plain;
  broken.body = "{";
  trial.expect("400 before 422", trial.ask(broken), 400, "malformed-json");
  broken = with_header(broken, "Content-Type", "text/plain");
  trial.expect("415 before 400", trial.ask(broken), 415, "unsupported-media-type");
  const Ask brotli = with_header(too_large(trial, plain), "Content-Encoding", "br");
  trial.expect("415 before 413, for codings", trial.ask_alone(brotli), 415, "unsupported-encoding");
}

void form_before_object(Trial& trial) {
  if (!has_parameters(trial.route())) return;
  trial.expect("422 before 404", trial.ask(with_query(trial.request(), "zzUnknown=1")), 422,
               "unknown-parameter");
  if (trial.has_body()) {
    Ask ask = trial.request();
    ask.body = with_value(ask.body, "/zzUnknown", "1");
    trial.expect("422 for the body before 404", trial.ask(ask), 422, "invalid-body");
  }
  const Reply missing = trial.ask(trial.request());
  if (missing.status != 404) return;  // the operation creates a missing object
  trial.expect("404 before 412", trial.ask(with_header(trial.request(), "If-Match", "\"stale\"")),
               404, "not-found");
}

// The replay of a deletion succeeds, although its object no longer exists.
void replay_before_object(Trial& trial) {
  if (trial.route().method != operations::Method::delete_) return;
  const auto good = trial.good_request();
  if (!good) return;
  const std::string key = trial.world().maker.next_mark("order-" + trial.operation().id);
  const Ask ask = with_header(*good, "Idempotency-Key", key);
  const Reply first = trial.ask(ask);
  const Reply second = trial.ask(ask);
  trial.check(second.status == first.status && !second.header("idempotent-replayed").empty(),
              "replay before 404", first.brief(), second.brief());
  trial.expect("422 before a replay", trial.ask(with_query(ask, "zzUnknown=1")), 422,
               "unknown-parameter");
  trial.expect("without the key", trial.ask(*good), 404, "not-found");
}

void condition_before_conflict(Trial& trial) {
  if (trial.route().method != operations::Method::post || !trial.operation().versioned) return;
  const auto good = trial.good_request();
  if (!good) return;
  trial.ask(*good);
  const Reply conflict = trial.ask(*good);
  if (conflict.status != 409) return;  // the operation may be repeated
  trial.expect("412 before 409", trial.ask(with_header(*good, "If-None-Match", "*")), 412,
               "precondition-failed");
}

void order(Trial& trial) {
  before_the_key(trial);
  key_before_body(trial);
  body_before_query(trial);
  form_before_object(trial);
  replay_before_object(trial);
  condition_before_conflict(trial);
}

}  // namespace

std::vector<Rule> order_rules() { return {{"order", order}}; }

}  // namespace shopbell::proofs
