// Query parameters: unknown names are never ignored, and all faults are reported at once.
#include <format>

#include "tests/proofs/actors/bodies.h"
#include "tests/proofs/edge/edge.h"

namespace shopbell::proofs {

namespace {

Reply ask_with(Trial& trial, const std::string& query) {
  Ask ask = trial.request();
  ask.path += "?" + query;
  return trial.ask(ask);
}

void expect_fault(Trial& trial, const std::string& query, const Reply& reply,
                  std::string_view problem, const std::string& parameter,
                  std::string_view code = {}) {
  trial.expect("?" + query, reply, 422, problem);
  trial.check(has_fault(reply.body, "parameter", parameter, code), "?" + query + ": errors",
              std::format("parameter {} {}", parameter, code), reply.brief());
}

void unknown(Trial& trial) {
  for (const std::string name : {"zzUnknown", "createContacts", "LIMIT", "limit[]"}) {
    const std::string query = percent_encoded(name) + "=1";
    expect_fault(trial, query, ask_with(trial, query), "unknown-parameter", name,
                 "unknown-parameter");
  }
  // Unknown parameters without a value, without a name, combined, and percent-encoded.
  for (const std::string query : {"zzUnknown", "=1", "zzUnknown=1&%C3%A9=2&&"})
    trial.expect("?" + query, ask_with(trial, query), 422, "unknown-parameter");
  // All faults are reported at once.
  std::string query = "zzFirst=1&zzSecond=2";
  for (const auto& parameter : trial.operation().parameters) {
    const auto bad = bad_values(parameter);
    if (!bad.empty()) query += "&" + parameter.name + "=" + bad.front();
  }
  const Reply reply = ask_with(trial, query);
  for (const std::string name : {"zzFirst", "zzSecond"})
    expect_fault(trial, query, reply, "unknown-parameter", name);
  for (const auto& parameter : trial.operation().parameters) {
    if (!bad_values(parameter).empty())
      expect_fault(trial, query, reply, "unknown-parameter", parameter.name);
  }
}

void repeated(Trial& trial) {
  for (const auto& parameter : trial.operation().parameters) {
    const std::string pair = parameter.name + "=" + percent_encoded(good_value(parameter));
    const std::string query = pair + "&" + pair;
    expect_fault(trial, query, ask_with(trial, query), "invalid-parameter", parameter.name,
                 "duplicate");
  }
}

void malformed(Trial& trial) {
  for (const std::string query : {"a=%", "a=%zz", "%00=1", "a=%00", "a=%ff", "a=%ed%a0%80"})
    trial.expect("?" + query, ask_with(trial, query), 422, "invalid-parameter");
  for (const auto& parameter : trial.operation().parameters) {
    for (const auto& value : bad_values(parameter)) {
      const std::string query = parameter.name + "=" + value;
      expect_fault(trial, query, ask_with(trial, query), "invalid-parameter", parameter.name);
    }
    if (parameter.name != "cursor") continue;
    for (const std::string value :
         {"", "x", "00", "zz%20zz", "0123456789abcdef0123456789abcdef31"}) {
      const std::string query = "cursor=" + value;
      expect_fault(trial, query, ask_with(trial, query), "invalid-cursor", "cursor");
    }
  }
}

}  // namespace

std::vector<Rule> query_rules() {
  return {{"param unknown", unknown}, {"param twice", repeated}, {"param wrong", malformed}};
}

}  // namespace shopbell::proofs
