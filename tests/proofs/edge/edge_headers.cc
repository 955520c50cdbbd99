// Tries the headers that every operation reads: Idempotency-Key, If-Match, If-None-Match,
// X-Request-Id.
#include <format>

#include "base/limits.h"
#include "tests/proofs/actors/bodies.h"
#include "tests/proofs/edge/edge.h"

namespace shopbell::proofs {

namespace {

std::string coded_tag(const std::string& tag, const std::string& suffix) {
  return tag.substr(0, tag.size() - 1) + suffix + "\"";
}

void malformed_idempotency_key(Trial& trial) {
  if (!is_write(trial.route())) return;
  const std::vector<std::string> wrong{
      "",     "\"\"",      std::string(limits::kIdempotencyKeyBytes + 1, 'k'), "a b", "\"a b\"",
      "a\tb", "k\xC3\xA9y"};
  const auto expect = [&](const std::string& about, const Ask& ask) {
    const Reply reply = trial.ask(ask);
    trial.expect(about, reply, 422, "idempotency-key-invalid");
    trial.check(has_fault(reply.body, "header", "Idempotency-Key"), about + ": errors",
                "the header Idempotency-Key", reply.brief());
  };
  for (const auto& key : wrong)
    expect("Idempotency-Key: " + key, with_header(trial.request(), "Idempotency-Key", key));
  Ask twice = with_header(trial.request(), "Idempotency-Key", "a");
  twice.headers.emplace_back("idempotency-key", "a");
  expect("two keys", twice);
}

// A replay repeats the first response, but only for the same request.
void replay(Trial& trial) {
  if (!is_write(trial.route()) || !trial.needs_key()) return;
  const auto good = trial.good_request();
  if (!good) return;
  std::string key = trial.world().maker.next_mark("replay-" + trial.operation().id);
  key.resize(limits::kIdempotencyKeyBytes, 'k');
  const Reply first = trial.ask(with_header(*good, "Idempotency-Key", key));
  if (!trial.check(first.status >= 200 && first.status < 300, "the first", "2xx", first.brief()))
    return;
  trial.check(first.header("idempotent-replayed").empty(), "the first", "no Idempotent-Replayed",
              first.head);
  for (const std::string& written : {key, "\"" + key + "\""}) {
    const Reply second = trial.ask(with_header(*good, "Idempotency-Key", written));
    trial.check(second.status == first.status && second.body == first.body &&
                    second.header("etag") == first.header("etag") &&
                    second.header("location") == first.header("location"),
                "the second", first.brief(), second.brief());
    trial.check(second.header("idempotent-replayed") == "true", "the second",
                "Idempotent-Replayed: true", second.head);
  }
  Ask other = with_header(*good, "Idempotency-Key", key);
  if (trial.has_body()) {
    other.body += " ";
    trial.expect("another body", trial.ask(other), 422, "idempotency-key-reused");
  }
  other = with_header(*good, "Idempotency-Key", key);
  other.path = other_slash(other.path.substr(0, other.path.find('?')));
  trial.expect("another path", trial.ask(other), 422, "idempotency-key-reused");
}

void stale_tag(Trial& trial) {
  if (!is_write(trial.route()) || !trial.operation().versioned) return;
  const auto good = trial.good_request();
  if (!good) return;
  for (const std::string tag : {"\"stale\"", "\"a\", \"b\"", "stale", "W/\"stale\""})
    trial.expect("If-Match: " + tag, trial.ask(with_header(*good, "If-Match", tag)), 412,
                 "precondition-failed");
  if (trial.route().method == operations::Method::post) return;
  const auto object = trial.object();
  if (!object) return;
  Ask ask = request_of(trial.route(), object->path, trial.account().key);
  trial.expect("If-None-Match: *", trial.ask(with_header(ask, "If-None-Match", "*")), 412,
               "precondition-failed");
  if (object->etag.empty()) return;
  trial.expect("If-Match: W/…", trial.ask(with_header(ask, "If-Match", "W/" + object->etag)), 412,
               "precondition-failed");
  // The current ETag is accepted with any coding suffix and in a list.
  const std::string tag = "\"other\", " + coded_tag(object->etag, "-gzip");
  const Reply served = trial.ask(with_header(ask, "If-Match", tag));
  trial.check(served.status >= 200 && served.status < 300, "If-Match: " + tag, "2xx",
              served.brief());
  const Reply again = trial.ask(with_header(ask, "If-Match", object->etag));
  const bool moved = served.header("etag") != object->etag;
  if (trial.route().method != operations::Method::delete_ && moved)
    trial.expect("the previous tag", again, 412, "precondition-failed");
}

void known_tag(Trial& trial) {
  if (trial.route().method != operations::Method::get) return;
  const auto good = trial.good_request();
  if (!good) return;
  const Reply full = trial.ask(*good);
  const std::string tag = full.header("etag");
  if (trial.operation().versioned)
    trial.check(tag.starts_with('"') && tag.ends_with('"'), "ETag", "a strong one", full.head);
  if (tag.empty()) return;
  const std::vector<std::string> known{tag,        coded_tag(tag, "-gzip"), coded_tag(tag, "-zstd"),
                                       "W/" + tag, "\"other\", " + tag,     "*"};
  for (const auto& value : known) {
    for (const std::string method : {"GET", "HEAD"}) {
      Ask ask = with_header(*good, "If-None-Match", value);
      ask.method = method;
      const Reply reply = trial.ask(ask);
      trial.expect(method + " If-None-Match: " + value, reply, 304);
      // RFC 9110, 15.4.5: a 304 repeats the 200's headers that a cache needs.
      for (const std::string name : {"etag", "vary", "cache-control"})
        trial.check(reply.header(name) == full.header(name), "304: " + name, full.header(name),
                    reply.head);
    }
  }
  for (const std::string value : {"\"other\"", "other", "\"\""})
    trial.expect("If-None-Match: " + value, trial.ask(with_header(*good, "If-None-Match", value)),
                 200);
  // The ETag of a compressed response names the same version.
  for (const std::string coding : {"gzip", "zstd"}) {
    const Ask ask = with_header(*good, "Accept-Encoding", coding);
    const std::string told = trial.ask(ask).header("etag");
    trial.expect("If-None-Match: " + told, trial.ask(with_header(ask, "If-None-Match", told)), 304);
    trial.expect("If-None-Match, plain: " + told,
                 trial.ask(with_header(*good, "If-None-Match", told)), 304);
  }
}

void request_id(Trial& trial) {
  const auto told = [&](const std::string& id) {
    Ask ask = with_header(trial.request(), "X-Request-Id", id);
    ask.path += "?zzUnknown=1";
    return trial.ask(ask).header("x-request-id");
  };
  for (const std::string& id :
       {std::string{"a"}, std::string{"0b6f-a_b.c:d"}, std::string(limits::kRequestIdBytes, 'z')})
    trial.check(told(id) == id, "a sane id", id, told(id));
  for (const std::string& id :
       {std::string{}, std::string{"a b"}, std::string{"<script>"}, std::string{"a\"b"},
        std::string{"\xC3\xA9"}, std::string(limits::kRequestIdBytes + 1, 'z')}) {
    const std::string made = told(id);
    trial.check(made != id && made.size() == 36 && made != told(id), "an invalid id: " + id,
                "a newly generated one", made);
  }
}

}  // namespace

std::vector<Rule> header_rules() {
  return {{"idem. key", malformed_idempotency_key},
          {"replay", replay},
          {"If-Match", stale_tag},
          {"If-None-Match", known_tag},
          {"request id", request_id}};
}

}  // namespace shopbell::proofs
