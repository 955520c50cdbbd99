// Problem: the exception that ends a failed request. Handlers and the code below them throw it; one
// place turns it into an RFC 9457 answer. Only the table below maps codes to statuses.
#pragma once

#include <cstddef>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shopbell {

// Columns: code, status, title, mend (how the caller can fix the problem).
// clang-format off
#define SHOPBELL_PROBLEMS(X)                                                                           \
  X(account_suspended, 403, "The account is suspended",                                                \
    "The operator of this service suspended the account. Ask the operator for the reason.")            \
  X(alias_taken, 409, "The alias is already in use",                                                   \
    "Choose another alias, or use the existing object.")                                               \
  X(body_too_large, 413, "The body is too large",                                                      \
    "Send a smaller body. The detail and the operation's documentation give the limit.")               \
  X(contact_erased, 422, "The contact was erased after the time of this change",                       \
    "Changes older than an erasure are rejected for 30 days. If the person is a customer again,"       \
    " send the current time as the time of the change.")                                               \
  X(contact_identity_conflict, 409, "The identifiers belong to two contacts",                          \
    "contactIds lists them. Send ?mergeContacts=true to merge them, or leave one identifier out.")     \
  X(contact_not_found, 422, "There is no such contact",                                                \
    "Send ?createContact=true to create it, or create the contact first.")                             \
  X(coupon_code_taken, 409, "Another coupon set has that code",                                        \
    "A code belongs to only one set, so that a purchase identifies the set. Choose another code.")     \
  X(coupon_set_in_use, 409, "A workflow uses the coupon set",                                          \
    "usedBy[] lists the workflows. Finish them or remove the set from them first.")                    \
  X(coupon_set_shared, 409, "The coupon set has one code for all contacts",                            \
    "Codes can be added only to a set of kind unique.")                                                \
  X(currency_in_use, 409, "The store has purchases in its currency",                                   \
    "The currency cannot change while the store has purchases: contacts' totals are stored in it.")    \
  X(event_exists, 409, "Another event with that eventId exists",                                       \
    "Give each event its own id. The same event may be sent again unchanged.")                         \
  X(event_type_in_use, 409, "The event type is in use",                                                \
    "Unfinished workflows use it. Finish them or remove the event type from them first.")              \
  X(event_type_not_receivable, 409, "The event type does not receive events",                          \
    "Send the event to an event type of direction receive.")                                           \
  X(export_queue_full, 429, "Too many exports are unfinished",                                         \
    "An account can have at most 5 unfinished exports. Retry after the number of seconds in"           \
    " Retry-After, or cancel one.")                                                                    \
  X(field_built_in, 409, "A built-in contact field cannot be changed",                                 \
    "Only custom fields can be changed or deleted.")                                                   \
  X(field_exists, 409, "A contact field with that id exists",                                          \
    "Choose another id, or use the existing field.")                                                   \
  X(field_in_use, 409, "A workflow uses the contact field",                                            \
    "usedBy[] lists the workflows. Finish them or remove the field from them first.")                  \
  X(file_unreadable, 422, "The file cannot be read",                                                   \
    "Send a non-empty CSV or NDJSON file in UTF-8, uncompressed or compressed with gzip or zstd."      \
    " The detail names the fault.")                                                                    \
  X(headers_too_large, 431, "The request's headers are too large",                                     \
    "Send fewer or shorter headers. All headers together may take 32 KiB.")                            \
  X(idempotency_in_progress, 409, "A request with this Idempotency-Key is still running",              \
    "Retry after the number of seconds in Retry-After. The retry then gets the first request's"        \
    " answer.")                                                                                        \
  X(idempotency_key_invalid, 422, "The Idempotency-Key is invalid",                                    \
    "Send the header once, with 1 to 255 visible ASCII characters, with or without double quotes.")    \
  X(idempotency_key_reused, 422, "The Idempotency-Key belongs to another request",                     \
    "The key was used with another method, path, query or body in the last 7 days. Use a new key"      \
    " for a new request.")                                                                             \
  X(import_queue_full, 429, "Too many imports are unfinished",                                         \
    "An account can have at most 10 unfinished imports. Retry after the number of seconds in"          \
    " Retry-After, or cancel one.")                                                                    \
  X(integration_disabled, 409, "The integration does not accept events",                               \
    "Set eventsEnabled of the custom integration to true.")                                            \
  X(integration_in_use, 409, "An event type of the integration is in use",                             \
    "Unfinished workflows use it. Finish them or remove the event type from them first.")              \
  X(internal, 500, "Internal error",                                                                   \
    "Retry. If the error persists, send the requestId to the operator, who can find the cause in"      \
    " the log.")                                                                                       \
  X(invalid_body, 422, "The body is invalid",                                                          \
    "errors[] lists each fault with its location, its code and what is expected.")                     \
  X(invalid_cursor, 422, "The cursor is invalid",                                                      \
    "Use nextCursor of the previous page with the same key, filters and order, or start without a"     \
    " cursor.")                                                                                        \
  X(invalid_parameter, 422, "A query parameter has an invalid value",                                  \
    "errors[] lists each parameter and the values it accepts.")                                        \
  X(key_expired, 401, "The API key has expired",                                                       \
    "Create a new key and use it, or extend this one.")                                                \
  X(key_revoked, 401, "The API key was revoked",                                                       \
    "Create a new key and use it.")                                                                    \
  X(key_too_wide, 403, "The API key would allow more than the calling key",                            \
    "errors[] lists each scope, expiry, address or rate that exceeds the calling key's. Use a key"     \
    " that has no such limit, or ask the operator.")                                                   \
  X(limit_reached, 409, "The account has reached a limit",                                             \
    "The detail names the limit. Delete objects that are no longer needed, or ask the operator.")      \
  X(link_expired, 410, "The link is no longer valid",                                                  \
    "A link works for 15 minutes, as long as its API key is valid and may read the data, and its file" \
    " exists. Get the export or import again for a new link.")                                         \
  X(malformed_form, 400, "The body is not valid multipart/form-data",                                  \
    "The detail says what is wrong. Let a library write the parts and the boundary, and send its"      \
    " Content-Type unchanged.")                                                                        \
  X(malformed_json, 400, "The body is not valid JSON",                                                 \
    "The service accepts strict RFC 8259 JSON in UTF-8: no comments, trailing commas, repeated"        \
    " members, NaN, lone surrogates or U+0000, and at most 32 levels. The detail names the fault.")    \
  X(malformed_request, 400, "The request is not valid HTTP/1.1",                                       \
    "The detail says what the parser rejected. A proxy or a hand-written client is the usual"          \
    " cause.")                                                                                         \
  X(method_not_allowed, 405, "The path does not support the method",                                   \
    "The Allow header lists the supported methods.")                                                   \
  X(name_taken, 409, "The name is already in use",                                                     \
    "Choose another name, or use the existing object.")                                                \
  X(not_found, 404, "There is no such object",                                                         \
    "Check the identifier, and that the key belongs to the account that owns the object.")             \
  X(operation_retired, 410, "The operation was removed",                                               \
    "Use its replacement: the Link header with rel=successor-version names it.")                       \
  X(path_not_found, 404, "There is no such path",                                                      \
    "Check the path against /openapi.json. Paths are case-sensitive.")                                 \
  X(path_too_long, 414, "The path is too long",                                                        \
    "Path and query together may take 8 KiB.")                                                         \
  X(precondition_failed, 412, "A precondition of the request is not met",                              \
    "Get the object again, redo the change on it and send its ETag in If-Match.")                      \
  X(purchase_exists, 409, "Another purchase with that purchaseId exists",                              \
    "Send ?ifExists=replace to replace it, or use another id.")                                        \
  X(quota_exceeded, 429, "Too many requests",                                                          \
    "Retry after the number of seconds in Retry-After. The RateLimit header of every answer gives"     \
    " the remaining quota.")                                                                           \
  X(replay_in_progress, 409, "A replay of the webhook is in progress",                                 \
    "Get the webhook until replay is null, then start the next replay.")                               \
  X(scope_missing, 403, "The API key lacks a scope",                                                   \
    "The detail names the scope. Use a key that has it, or add it to this one.")                       \
  X(template_in_use, 409, "A workflow uses the template",                                              \
    "usedBy[] lists the workflows. Finish them or remove the template from them first.")               \
  X(template_invalid, 422, "The template cannot be published or rendered",                             \
    "errors[] lists each fault with its location. Save a corrected content, then try again.")          \
  X(timeout, 503, "The request timed out",                                                             \
    "Retry after the number of seconds in Retry-After. A write may or may not have been committed;"    \
    " a retry with the same Idempotency-Key is safe.")                                                 \
  X(unauthorized, 401, "A valid API key is required",                                                  \
    "Send `Authorization: Bearer sb_live_…` with a key of this service.")                              \
  X(unavailable, 503, "The service is temporarily unavailable",                                        \
    "Retry after the number of seconds in Retry-After.")                                               \
  X(unknown_column, 422, "The file has an unknown column",                                             \
    "Name columns after the members of the resource, and a contact's custom fields `fields.<id>`."     \
    " Nothing of the file was applied.")                                                               \
  X(unknown_parameter, 422, "A query parameter is unknown",                                            \
    "Remove it or correct its spelling. Unknown parameters are rejected, so that a typo is never"      \
    " ignored.")                                                                                       \
  X(unsupported_encoding, 415, "The body's Content-Encoding is not supported",                         \
    "Send the body uncompressed, or compressed with gzip or zstd.")                                    \
  X(unsupported_media_type, 415, "The body's Content-Type is not supported",                           \
    "Send application/json; a PATCH also accepts application/merge-patch+json. The documentation"      \
    " of an upload lists the types that it accepts.")                                                  \
  X(upload_too_slow, 408, "The upload is too slow",                                                    \
    "Every 32 KiB must arrive within 30 seconds. Send the file again over a faster connection, or"     \
    " compressed.")                                                                                    \
  X(url_domain, 422, "The URL is not on one of the store's domains",                                   \
    "Use a URL on one of the store's domains, or add the domain to the store.")                        \
  X(webhook_not_enabled, 409, "The webhook is paused or disabled",                                     \
    "Set its status to enabled first. A test event is sent at once or not at all.")                    \
  X(workflow_finished, 409, "The workflow is finished",                                                \
    "A finished workflow cannot change. Create another one; it may have the same definition.")         \
  X(workflow_invalid, 422, "The workflow definition is invalid",                                       \
    "errors[] lists each fault with its location, its code and what is expected.")
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

// One fault of a request and its location. Clients and tests compare `code`; `detail` is for
// people.
struct Fault {
  enum class Where { pointer, parameter, header };
  Where where;
  std::string at;    // JSON pointer, parameter or header: "/lines/0/quantity", "limit", "If-Match"
  std::string code;  // "required", "too-long", …
  std::string detail;
  // The place in the text at `at`, from 1, if the text is the source of a template; else 0.
  std::size_t line = 0;
  std::size_t column = 0;
};

class Problem : public std::exception {
 public:
  Problem(Code code, std::string detail, std::vector<Fault> faults = {});

  const char* what() const noexcept override { return detail_.c_str(); }
  Code code() const { return code_; }
  int status() const { return kind_of(code_).status; }
  const std::string& detail() const { return detail_; }
  const std::vector<Fault>& faults() const { return faults_; }

  // Headers of the error answer: Allow, WWW-Authenticate, Retry-After.
  Problem with_header(std::string name, std::string value) &&;
  const std::vector<std::pair<std::string, std::string>>& headers() const { return headers_; }

  // An extension member of the answer, as JSON: `usedBy`, `violated-policies`.
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
