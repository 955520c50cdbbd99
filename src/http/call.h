// Call: one request on its way through a handler: who calls, with what, until when, and the
// database to answer from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "base/limits.h"
#include "base/time.h"
#include "base/uuid.h"
#include "http/upload.h"
#include "http/wire/message.h"
#include "json/document.h"
#include "json/reading.h"
#include "keyring/keyring.h"
#include "pg/pool.h"
#include "rates/token_bucket.h"
#include "storage/storage.h"

namespace shopbell::http {

// Who is calling: everything that follows from the key, and from nothing else.
struct Principal {
  std::int64_t account = 0;
  Uuid key_id;
  std::vector<std::string> scopes;
  rates::Rate account_rate;
  std::optional<rates::Rate> key_rate;  // none: only the account's holds

  bool may(std::string_view scope) const;
};

// Turns the token of an Authorization header, sent from an address, into a Principal, or throws the
// Problem that refuses it.
class Authenticator {
 public:
  virtual ~Authenticator() = default;
  virtual boost::asio::awaitable<Principal> identify(std::string token, std::string address,
                                                     pg::Steady::time_point deadline) = 0;
  // The caller uses an operation that has a successor.
  virtual void note_deprecated_use(const Principal& caller) = 0;
};

struct Route;

// What a request is a part of, when it is one (a row of an import): what it writes happens with all
// the rest of that transaction, or not at all.
struct Whole {
  pg::Transaction* transaction = nullptr;
  bool wrote = false;  // the request changed something
};

// The state of a request. The pipeline owns it; handlers see it through Call.
struct Exchange {
  const Request* request = nullptr;
  std::string request_id;
  std::vector<std::pair<std::string, std::string>> path_parameters;
  std::vector<std::pair<std::string, std::string>> query_parameters;
  Principal caller;
  pg::Steady::time_point deadline;
  pg::Pool* database = nullptr;
  const Clock* clock = nullptr;
  const keyring::Keyring* keyring = nullptr;
  storage::Storage* storage = nullptr;
  Whole* whole = nullptr;
  const Route* route = nullptr;
  std::string_view base_path;
  std::optional<json::Document> body;
  std::string plain_body;    // when it came compressed
  Upload* upload = nullptr;  // of a route that reads one
  std::string rate_policy;   // of the caller, for the answer's headers
  std::string rate_left;
};

class Call {
 public:
  explicit Call(const Exchange& exchange) : exchange_{&exchange} {}

  const Request& request() const { return *exchange_->request; }
  const std::string& request_id() const { return exchange_->request_id; }
  const Principal& caller() const { return exchange_->caller; }
  std::int64_t account() const { return exchange_->caller.account; }
  // Ends the request with `scope-missing` when the key lacks a scope that this very request needs.
  void require_scope(std::string_view scope) const;
  const std::string& path(std::string_view name) const;
  const auto& path_parameters() const { return exchange_->path_parameters; }
  // A query parameter the route declares; nothing when the request does not have it.
  std::optional<std::string_view> parameter(std::string_view name) const;
  // The parameters of the route's family, by the rest of their names, in the order sent.
  std::vector<std::pair<std::string_view, std::string_view>> family() const;
  // The JSON of the body, which the pipeline has read.
  json::Value body() const;
  // Its bytes, plain: how they were compressed is no part of a request.
  std::string_view body_text() const;
  // The body of a route that takes an upload; none of it has been read yet.
  Upload& upload() const;
  bool has_upload() const { return exchange_->upload != nullptr; }
  // A reading of it as strict as the caller wishes (`Prefer: handling=lenient`).
  json::Reading reading() const;
  const Route& route() const { return *exchange_->route; }
  std::string_view base_path() const { return exchange_->base_path; }
  const keyring::Keyring& keyring() const { return *exchange_->keyring; }
  const Clock& clock() const { return *exchange_->clock; }
  storage::Storage& storage() const { return *exchange_->storage; }
  Whole* whole() const { return exchange_->whole; }

  pg::Pool& database() const { return *exchange_->database; }
  pg::Scope scope() const { return {.account = account(), .deadline = deadline()}; }

 private:
  pg::Steady::time_point deadline() const {
    return has_upload() ? exchange_->upload->last_read() + limits::kRequestDeadline
                        : exchange_->deadline;
  }

  const Exchange* exchange_;
};

}  // namespace shopbell::http
