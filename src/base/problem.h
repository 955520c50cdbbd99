// Problem: what ends a request that cannot be served. Thrown anywhere below a handler and turned
// into an RFC 9457 answer in one place. The table of kinds is the only place where a code meets its
// status.
#pragma once

#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shopbell {

// code, status, title, mend: what the caller can do about it.
// clang-format off
#define SHOPBELL_PROBLEMS(X)                                                                                   \
  X(account_suspended, 403, "The account is suspended",                                                        \
    "The operator of this service has suspended the account. Ask them why.")                                   \
  X(body_too_large, 413, "The body is too large",                                                              \
    "Send less in one request. The limit is in the detail and in the operation's documentation.")              \
  X(headers_too_large, 431, "The request's headers are too large",                                             \
    "Send fewer or shorter headers; all of them together may take 32 KiB.")                                    \
  X(internal, 500, "Something went wrong inside the service",                                                  \
    "Try again. If it stays, give the operator the requestId: it leads to the cause in the log.")              \
  X(invalid_parameter, 422, "A query parameter has an invalid value",                                          \
    "errors[] names each parameter and what it takes.")                                                        \
  X(key_expired, 401, "The API key has expired",                                                               \
    "Make a new key and use it, or extend this one.")                                                          \
  X(key_revoked, 401, "The API key was revoked",                                                               \
    "Make a new key and use it.")                                                                              \
  X(malformed_json, 400, "The body is not valid JSON",                                                         \
    "The service reads strict RFC 8259 JSON in UTF-8: no comments, trailing commas, repeated members, "        \
    "NaN, lone surrogates or U+0000, and at most 32 levels. The detail says where it stopped.")                \
  X(malformed_request, 400, "The request is not valid HTTP/1.1",                                               \
    "The detail says what the parser met. A proxy or a hand-written client is the usual cause.")               \
  X(method_not_allowed, 405, "The method is not allowed here",                                                 \
    "The Allow header lists what the path takes.")                                                             \
  X(not_found, 404, "There is no such object",                                                                 \
    "Check the identifier, and that the key belongs to the account that holds the object.")                    \
  X(path_not_found, 404, "There is no such path",                                                              \
    "Check the path against /openapi.json. Paths are case-sensitive.")                                         \
  X(path_too_long, 414, "The path is too long",                                                                \
    "Path and query together may take 8 KiB.")                                                                 \
  X(scope_missing, 403, "The API key lacks a scope",                                                           \
    "The detail names the scope. Use a key that has it, or add it to this one.")                               \
  X(timeout, 503, "The request took too long",                                                                 \
    "Try again after the seconds in Retry-After. A write may or may not have happened: sending it again "      \
    "with the same Idempotency-Key is safe.")                                                                  \
  X(unauthorized, 401, "A valid API key is needed",                                                            \
    "Send `Authorization: Bearer sb_live_…` with a key of this service.")                                      \
  X(unavailable, 503, "The service cannot answer right now",                                                   \
    "Try again after the seconds in Retry-After.")                                                             \
  X(unknown_parameter, 422, "A query parameter is unknown",                                                    \
    "Remove it or correct its spelling: unknown parameters are refused so that a typo never silently does nothing.")
// clang-format on

enum class Code {
#define SHOPBELL_PROBLEM_CODE(code, status, title, mend) code,
  SHOPBELL_PROBLEMS(SHOPBELL_PROBLEM_CODE)
#undef SHOPBELL_PROBLEM_CODE
};

struct ProblemKind {
  Code code;
  std::string name;  // as on the wire: "not-found"
  int status;
  std::string_view title;
  std::string_view mend;
};

const std::vector<ProblemKind>& problem_kinds();
const ProblemKind& kind_of(Code code);

// One fault of a request: where it is and what it is. Tests and clients read `code`, people read
// `detail`.
struct Fault {
  enum class Where { pointer, parameter, header };
  Where where;
  std::string at;    // "/lines/0/quantity", "limit", "If-Match"
  std::string code;  // "required", "too-long", …
  std::string detail;
};

class Problem : public std::exception {
 public:
  Problem(Code code, std::string detail, std::vector<Fault> faults = {});

  const char* what() const noexcept override { return detail_.c_str(); }
  Code code() const { return code_; }
  int status() const { return kind_of(code_).status; }
  const std::string& detail() const { return detail_; }
  const std::vector<Fault>& faults() const { return faults_; }

  // Headers that belong to the refusal: Allow, WWW-Authenticate, Retry-After.
  Problem with_header(std::string name, std::string value) &&;
  const std::vector<std::pair<std::string, std::string>>& headers() const { return headers_; }

 private:
  Code code_;
  std::string detail_;
  std::vector<Fault> faults_;
  std::vector<std::pair<std::string, std::string>> headers_;
};

}  // namespace shopbell
