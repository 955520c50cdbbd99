// Input: the input of one invocation of an operation: caller, parameters, body, conditions,
// idempotency key, preferences, deadline and services. HTTP requests, import rows, queued events
// and commands each build their own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "base/time.h"
#include "json/document.h"
#include "json/reading.h"
#include "keyring/keyring.h"
#include "operations/caller.h"
#include "operations/conditions.h"
#include "operations/upload.h"
#include "pg/pool.h"
#include "storage/storage.h"

namespace shopbell::operations {

struct Operation;

using Parameters = std::vector<std::pair<std::string, std::string>>;

// A key chosen by the caller, and the request it identifies. A repeated request with the same key
// must have the same `request` and body.
struct IdempotencyKey {
  std::string key;
  std::string request;  // over HTTP: method, path and query
};

struct Preferences {
  bool lenient = false;        // skip unknown members and invalid optional values, with a warning
  bool respond_async = false;  // accept an event before it is written
};

// The transaction that an operation is a part of, such as that of a chunk of import rows. Its
// writes commit together with everything else in it.
struct OuterTransaction {
  pg::Transaction* transaction = nullptr;
  bool wrote = false;  // set when the operation changed something
};

// Owns the data of an Input.
struct Invocation {
  const Operation* operation = nullptr;
  Caller caller;
  std::string request_id;
  std::string client_address;  // IP address; empty unless the caller sent a request
  Parameters path_parameters;
  Parameters query_parameters;
  std::optional<json::Document> body;
  std::string_view body_text;  // the bytes of the body, inflated
  bool has_lines = false;      // the body is NDJSON: several objects, one per line
  Upload* upload = nullptr;
  Conditions conditions;
  std::optional<IdempotencyKey> idempotency_key;
  Preferences preferences;
  pg::Steady::time_point deadline;
  pg::Pool* database = nullptr;
  const Clock* clock = nullptr;
  const keyring::Keyring* keyring = nullptr;
  storage::Storage* storage = nullptr;
  OuterTransaction* outer = nullptr;
  std::string_view base_path;  // prefix of every path in an output
};

// A view of an Invocation, cheap to copy. The Invocation must outlive it.
class Input {
 public:
  explicit Input(const Invocation& invocation) : invocation_{&invocation} {}

  const Operation& operation() const { return *invocation_->operation; }
  const Caller& caller() const { return invocation_->caller; }
  std::int64_t account() const { return invocation_->caller.account; }
  const std::string& request_id() const { return invocation_->request_id; }
  const std::string& client_address() const { return invocation_->client_address; }
  // Throws `scope-missing` if the caller lacks the scope.
  void require_scope(std::string_view scope) const;

  const std::string& path(std::string_view name) const;
  const Parameters& path_parameters() const { return invocation_->path_parameters; }
  // A declared query parameter; nullopt if it was not sent.
  std::optional<std::string_view> parameter(std::string_view name) const;
  // The parameters that share the operation's prefix, by the rest of their names, in the order
  // sent.
  std::vector<std::pair<std::string_view, std::string_view>> family() const;

  bool has_body() const { return invocation_->body.has_value(); }
  json::Value body() const;
  std::string_view body_text() const { return invocation_->body_text; }
  bool has_lines() const { return invocation_->has_lines; }
  // The body of an operation that takes an upload; none of it has been read yet.
  Upload& upload() const;
  bool has_upload() const { return invocation_->upload != nullptr; }
  // A reading as strict as the caller prefers.
  json::Reading reading() const;

  const Conditions& conditions() const { return invocation_->conditions; }
  const std::optional<IdempotencyKey>& idempotency_key() const {
    return invocation_->idempotency_key;
  }
  const Preferences& preferences() const { return invocation_->preferences; }
  std::string_view base_path() const { return invocation_->base_path; }

  const keyring::Keyring& keyring() const { return *invocation_->keyring; }
  const Clock& clock() const { return *invocation_->clock; }
  storage::Storage& storage() const { return *invocation_->storage; }
  OuterTransaction* outer() const { return invocation_->outer; }
  pg::Pool& database() const { return *invocation_->database; }
  pg::Scope scope() const { return {.account = account(), .deadline = deadline()}; }

 private:
  // The deadline of an upload starts with its last byte.
  pg::Steady::time_point deadline() const {
    return has_upload() ? invocation_->upload->last_read() + limits::kRequestDeadline
                        : invocation_->deadline;
  }

  const Invocation* invocation_;
};

}  // namespace shopbell::operations
