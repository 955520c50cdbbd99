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
#define SHOPBELL_PROBLEMS(X)                                                                           \
  X(account_suspended, 403, "The account is suspended",                                                \
    "The operator of this service has suspended the account. Ask them why.")                           \
  X(alias_taken, 409, "Something of the kind has that alias",                                          \
    "Choose another alias, or use what is there.")                                                     \
  X(body_too_large, 413, "The body is too large",                                                      \
    "Send less in one request. The limit is in the detail and in the operation's documentation.")      \
  X(contact_erased, 422, "The person was erased after this happened",                                  \
    "What is older than the erasure is refused for 30 days. If the person is a customer again, send"   \
    " the time of the change as it is now.")                                                           \
  X(contact_identity_conflict, 409, "The identifiers belong to two contacts",                          \
    "contactIds names them. Send ?mergeContacts=true to make them one, or leave one identifier out.")  \
  X(contact_not_found, 422, "There is no such contact",                                                \
    "Send ?createContact=true to make it, or send the contact first.")                                 \
  X(coupon_code_taken, 409, "Another coupon set has that code",                                        \
    "A code belongs to one set, so that a purchase can tell whose it is. Choose another.")             \
  X(coupon_set_in_use, 409, "A workflow uses the coupon set",                                          \
    "usedBy[] names the workflows. Finish them or take the set out of them first.")                    \
  X(coupon_set_shared, 409, "The set has one code for everybody",                                      \
    "Codes can be added to a set of kind unique.")                                                     \
  X(currency_in_use, 409, "The store has purchases in its currency",                                   \
    "Totals of people are kept in the store's currency, so it stays as it is while there are any"      \
    " purchases.")                                                                                     \
  X(event_exists, 409, "There is another event of that eventId",                                       \
    "Give each event an id of its own; the same event may be sent again as it was.")                   \
  X(event_type_in_use, 409, "The event type is in use",                                                \
    "Take it out of what uses it first: a workflow that is not finished.")                             \
  X(event_type_not_receivable, 409, "The event type sends and takes no events",                        \
    "Send the event to a type of direction receive.")                                                  \
  X(export_queue_full, 429, "Too many exports are unfinished",                                         \
    "An account has at most 5 exports under way. Wait for the seconds in Retry-After, or cancel one.") \
  X(field_built_in, 409, "A built-in contact field stays as it is",                                    \
    "Only fields that were created can be changed or deleted.")                                        \
  X(field_exists, 409, "There is a contact field of that id",                                          \
    "Choose another id, or use the field that is there.")                                              \
  X(field_in_use, 409, "A workflow uses the contact field",                                            \
    "usedBy[] names the workflows. Finish them or take the field out of them first.")                  \
  X(file_unreadable, 422, "The file cannot be read",                                                   \
    "Send CSV or NDJSON in UTF-8, plain or compressed by gzip or zstd, not empty; the detail says"     \
    " what was met.")                                                                                  \
  X(headers_too_large, 431, "The request's headers are too large",                                     \
    "Send fewer or shorter headers; all of them together may take 32 KiB.")                            \
  X(idempotency_in_progress, 409, "A request with this Idempotency-Key is still running",              \
    "Try again after the seconds in Retry-After: the answer will then be the first request's own.")    \
  X(idempotency_key_invalid, 422, "The Idempotency-Key cannot be used",                                \
    "Send 1 to 255 visible ASCII characters, bare or in double quotes, once.")                         \
  X(idempotency_key_reused, 422, "The Idempotency-Key belongs to another request",                     \
    "The key was used with another method, path, query or body within 7 days. Use a new key for a new" \
    " request.")                                                                                       \
  X(import_queue_full, 429, "Too many imports are unfinished",                                         \
    "An account has at most 10 imports under way. Wait for the seconds in Retry-After, or cancel one.")\
  X(integration_disabled, 409, "The integration takes no events now",                                  \
    "Set eventsEnabled of the custom integration to true.")                                            \
  X(integration_in_use, 409, "An event type of the integration is in use",                             \
    "Take it out of what uses it first: a workflow that is not finished.")                             \
  X(internal, 500, "Something went wrong inside the service",                                          \
    "Try again. If it stays, give the operator the requestId: it leads to the cause in the log.")      \
  X(invalid_body, 422, "The body has faults",                                                          \
    "errors[] names each of them: where it is, what kind it is, what would be right.")                 \
  X(invalid_cursor, 422, "The cursor cannot be used",                                                  \
    "Use nextCursor of the page before with the same key, filters and order, or start without a "      \
    "cursor.")                                                                                         \
  X(invalid_parameter, 422, "A query parameter has an invalid value",                                  \
    "errors[] names each parameter and what it takes.")                                                \
  X(key_expired, 401, "The API key has expired",                                                       \
    "Make a new key and use it, or extend this one.")                                                  \
  X(key_revoked, 401, "The API key was revoked",                                                       \
    "Make a new key and use it.")                                                                      \
  X(limit_reached, 409, "The account holds as many as it may",                                         \
    "Delete what is no longer needed, or ask the operator. The detail names the limit.")               \
  X(link_expired, 410, "The link is no longer valid",                                                  \
    "A link holds for 15 minutes and only as long as the key it was made for and the file itself. Get the"\
    " export again for a new one.")                                                                    \
  X(malformed_form, 400, "The body is not valid multipart/form-data",                                  \
    "The detail says what is wrong with it. Let a library write the parts and the boundary, and send"  \
    " its Content-Type as it is.")                                                                     \
  X(malformed_json, 400, "The body is not valid JSON",                                                 \
    "The service reads strict RFC 8259 JSON in UTF-8: no comments, trailing commas, repeated members," \
    " NaN, lone surrogates or U+0000, and at most 32 levels. The detail says where it stopped.")       \
  X(malformed_request, 400, "The request is not valid HTTP/1.1",                                       \
    "The detail says what the parser met. A proxy or a hand-written client is the usual cause.")       \
  X(method_not_allowed, 405, "The method is not allowed here",                                         \
    "The Allow header lists what the path takes.")                                                     \
  X(name_taken, 409, "Another one has that name",                                                      \
    "Choose another name, or use the one that is there.")                                              \
  X(not_found, 404, "There is no such object",                                                         \
    "Check the identifier, and that the key belongs to the account that holds the object.")            \
  X(operation_retired, 410, "The operation is no longer served",                                       \
    "Use the operation that replaced it: the Link header of rel successor-version names it.")          \
  X(path_not_found, 404, "There is no such path",                                                      \
    "Check the path against /openapi.json. Paths are case-sensitive.")                                 \
  X(path_too_long, 414, "The path is too long",                                                        \
    "Path and query together may take 8 KiB.")                                                         \
  X(precondition_failed, 412, "The object is not what the request expects",                            \
    "Get it again, decide anew and send its ETag in If-Match.")                                        \
  X(purchase_exists, 409, "There is another purchase of that purchaseId",                              \
    "Send ?ifExists=replace to replace it, or use an id of its own.")                                  \
  X(quota_exceeded, 429, "Too many requests",                                                          \
    "Wait for the seconds in Retry-After. RateLimit on every answer tells how much is left.")          \
  X(replay_in_progress, 409, "The webhook is being sent what it was told",                             \
    "Get it until replay is null, then ask again.")                                                    \
  X(scope_missing, 403, "The API key lacks a scope",                                                   \
    "The detail names the scope. Use a key that has it, or add it to this one.")                       \
  X(template_in_use, 409, "A workflow uses the template",                                              \
    "usedBy[] names the workflows. Finish them or take the template out of them first.")               \
  X(timeout, 503, "The request took too long",                                                         \
    "Try again after the seconds in Retry-After. A write may or may not have happened: sending it "    \
    "again with the same Idempotency-Key is safe.")                                                    \
  X(unauthorized, 401, "A valid API key is needed",                                                    \
    "Send `Authorization: Bearer sb_live_…` with a key of this service.")                              \
  X(unavailable, 503, "The service cannot answer right now",                                           \
    "Try again after the seconds in Retry-After.")                                                     \
  X(unknown_column, 422, "The file has a column that is unknown",                                      \
    "Name the columns as the members of the resource are named, a contact's own fields as"             \
    " `fields.<id>`; nothing of the file was applied.")                                                \
  X(unknown_parameter, 422, "A query parameter is unknown",                                            \
    "Remove it or correct its spelling: unknown parameters are refused so that a typo never silently " \
    "does nothing.")                                                                                   \
  X(unsupported_encoding, 415, "The body's Content-Encoding is not supported",                         \
    "Send the body plain, or compressed by gzip or zstd.")                                             \
  X(unsupported_media_type, 415, "The body's Content-Type is not supported",                           \
    "Send application/json; a PATCH also takes application/merge-patch+json. An upload takes what its"  \
    " documentation names.")                                                                           \
  X(upload_too_slow, 408, "The upload takes too long",                                                 \
    "The service waits 30 seconds for every 32 KiB. Send the file again over a better connection, or"  \
    " compressed.")                                                                                    \
  X(url_domain, 422, "The URL lies on none of the store's domains",                                    \
    "Use a URL on one of the store's domains, or add the domain to the store.")                      \
  X(webhook_not_enabled, 409, "The webhook is paused or disabled",                                     \
    "Set its status to enabled: a trial is sent at once, or not at all.")                              \
  X(workflow_finished, 409, "The workflow is finished",                                                \
    "It stays as it was. Create another, with its definition if you like.")                            \
  X(workflow_invalid, 422, "The definition has faults",                                                \
    "errors[] names each of them: where it is, what kind it is, what would be right.")
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

  // A member of the answer beyond those every problem has: `usedBy`, `violated-policies`. JSON.
  Problem with_member(std::string name, std::string json) &&;
  const std::vector<std::pair<std::string, std::string>>& members() const { return members_; }

 private:
  Code code_;
  std::string detail_;
  std::vector<Fault> faults_;
  std::vector<std::pair<std::string, std::string>> headers_;
  std::vector<std::pair<std::string, std::string>> members_;
};

}  // namespace shopbell
