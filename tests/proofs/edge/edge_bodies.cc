// Bodies: the media type, JSON syntax, and the operation's schema. Schema and example come from the
// route table.
#include <format>

#include "base/limits.h"
#include "tests/proofs/actors/bodies.h"
#include "tests/proofs/actors/malformed_json.h"
#include "tests/proofs/edge/edge.h"

namespace shopbell::proofs {

namespace {

void expect_fault(Trial& trial, const std::string& body, const std::string& pointer,
                  std::string_view code) {
  Ask ask = trial.request();
  ask.body = body;
  const Reply reply = trial.ask(ask);
  trial.expect(body, reply, 422, "invalid-body");
  trial.check(has_fault(reply.body, "pointer", pointer, code), body + ": errors",
              std::format("pointer {} {}", pointer, code), reply.brief());
}

void media_type(Trial& trial) {
  if (!trial.has_body()) return;
  std::vector<std::string> wrong{"",
                                 "text/plain",
                                 "application/xml",
                                 "application/jsonx",
                                 "application/",
                                 "json",
                                 "application/json-seq",
                                 "text/plain; a=application/json",
                                 "application/json; charset=iso-8859-1",
                                 "application/json; charset=\"utf-16\"",
                                 "application/json;charset=latin1",
                                 "application/json; charset=utf-80"};
  if (trial.route().method != operations::Method::patch)
    wrong.emplace_back("application/merge-patch+json");
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    if (!trial.takes(i)) continue;
    trial.expect("Content-Type: " + wrong[i],
                 trial.ask(with_header(trial.request(), "Content-Type", wrong[i])), 415,
                 "unsupported-media-type");
  }
  trial.expect("no Content-Type", trial.ask(without_header(trial.request(), "Content-Type")), 415,
               "unsupported-media-type");
  // These are other spellings of the accepted type, so the body is read and rejected as malformed
  // JSON.
  std::vector<std::string> right{"APPLICATION/JSON", "application/json; charset=UTF-8",
                                 "application/json;charset=\"utf-8\"", "application/json ; a=b"};
  if (trial.route().method == operations::Method::patch)
    right.emplace_back("application/merge-patch+json");
  for (const auto& type : right) {
    Ask ask = with_header(trial.request(), "Content-Type", type);
    ask.body = "{";
    trial.expect("Content-Type: " + type, trial.ask(ask), 400, "malformed-json");
  }
}

void unknown_coding(Trial& trial) {
  if (!trial.has_body()) return;
  for (const std::string coding :
       {"br", "deflate", "compress", "gzip, br", "gzip, gzip", "zz", "*"})
    trial.expect("Content-Encoding: " + coding,
                 trial.ask(with_header(trial.request(), "Content-Encoding", coding)), 415,
                 "unsupported-encoding");
}

void not_json(Trial& trial) {
  if (!trial.has_body()) return;
  const auto& corpus = malformed_json();
  for (std::size_t i = 0; i < corpus.size(); ++i) {
    if (!trial.takes(i)) continue;
    Ask ask = trial.request();
    ask.body = corpus[i].bytes;
    trial.expect(corpus[i].name, trial.ask(ask), 400, "malformed-json");
  }
  // The maximum depth is accepted as JSON, but does not match the schema.
  Ask deep = trial.request();
  deep.body = std::string(limits::kJsonDepth, '[') + std::string(limits::kJsonDepth, ']');
  trial.expect("32 lists", trial.ask(deep), 422, "invalid-body");
}

void unknown_member(Trial& trial) {
  if (!trial.has_body()) return;
  const operations::Body& body = *trial.operation().body;
  for (const auto& pointer : object_pointers(body.schema)) {
    const std::string at = pointer + "/zzUnknown";
    expect_fault(trial, with_value(body.example, at, "1"), at, "unknown-member");
  }
  // JSON Pointer escapes `~` and `/` (RFC 6901).
  std::string odd = with_value(body.example, "/zzUnknown", "1");
  odd.pop_back();
  expect_fault(trial, odd + R"(,"zz~/odd":1})", "/zz~0~1odd", "unknown-member");
  for (const std::string root : {"[]", "null", "true", "1", R"("x")"}) {
    Ask ask = trial.request();
    ask.body = root;
    trial.expect("the body " + root, trial.ask(ask), 422, "invalid-body");
  }
}

void wrong_type(Trial& trial) {
  if (!trial.has_body()) return;
  const operations::Body& body = *trial.operation().body;
  std::size_t number = 0;
  for (const auto& slot : slots_of(body.schema)) {
    for (const auto& value : wrong_values(*slot.schema)) {
      if (!trial.takes(number++)) continue;
      expect_fault(trial, with_value(body.example, slot.pointer, value), slot.pointer,
                   "wrong-type");
    }
  }
}

void required_member(Trial& trial) {
  if (!trial.has_body()) return;
  const operations::Body& body = *trial.operation().body;
  for (const auto& slot : slots_of(body.schema)) {
    if (slot.schema->type.empty()) continue;
    if (slot.required)
      expect_fault(trial, with_value(body.example, slot.pointer, std::nullopt), slot.pointer,
                   "required");
    if (slot.required && !slot.schema->nullable)
      expect_fault(trial, with_value(body.example, slot.pointer, "null"), slot.pointer, "required");
  }
  // All missing members are reported at once.
  std::size_t required = 0;
  for (const auto& member : body.schema.members) required += member.schema.type.empty() ? 0 : 1;
  if (required < 2) return;
  Ask ask = trial.request();
  ask.body = "{}";
  const Reply reply = trial.ask(ask);
  trial.check(faults_of(reply.body).size() >= required, "an empty object",
              std::format("{} errors", required), reply.brief());
}

}  // namespace

std::vector<Rule> body_rules() {
  return {{"media type", media_type}, {"coding", unknown_coding},
          {"bad JSON", not_json},     {"extra member", unknown_member},
          {"wrong type", wrong_type}, {"required", required_member}};
}

}  // namespace shopbell::proofs
