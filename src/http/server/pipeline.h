// Pipeline: processes every request in this order: request id, the head itself (414, 431, 400),
// path (404) and method (405), key (401), rate (429), scope (403), the body's type (415), size
// (413) and form (400), parameters (422), then the operation. It reads the body only after the
// scope: callers without a valid key cannot make the service buffer anything. The pipeline alone
// turns exceptions into problems, requests into inputs, and outputs into responses.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>

#include <boost/asio/awaitable.hpp>

#include "base/time.h"
#include "http/server/router.h"
#include "http/wire/message.h"
#include "http/wire/parser.h"
#include "http/wire/request_upload.h"
#include "observe/metrics.h"
#include "rates/rate_limit.h"

namespace shopbell::http {

class Pipeline {
 public:
  struct Parts {
    const Router* router;
    std::string base_path;            // "" or "/shop"
    pg::Pool* database;               // null on the private listener, which has no account routes
    operations::Authenticator* keys;  // null on the private listener
    rates::RateLimits* rates;         // null on the private listener
    const Clock* clock;
    const keyring::Keyring* keyring;  // null on the private listener
    storage::Storage* storage;        // null on the private listener
    RequestMemory* memory;            // null on the private listener, whose routes have no bodies
    observe::Metrics* metrics;
    bool log_requests = true;
    bool retire_deprecated = false;
  };
  explicit Pipeline(Parts parts) : parts_{std::move(parts)} {}

  // Returns the rule for the body of a request with this method and target.
  BodyRule body_rule(Method method, std::string_view target) const;

  // Never throws. `body` is the part of the body that is not in `request` yet, if any.
  boost::asio::awaitable<Response> serve(Request& request, BodySource* body = nullptr);

  RequestMemory* memory() const { return parts_.memory; }

 private:
  // A request in progress, with the results of the steps so far.
  struct Exchange {
    Request* request = nullptr;
    BodySource* body = nullptr;
    pg::Steady::time_point received;  // when the last byte of the request arrived
    const Route* route = nullptr;
    operations::Invocation invocation;
    std::optional<RequestUpload> upload;
    std::string inflated_body;  // set if the body was compressed
    RequestMemory::Hold memory;
    std::string rate_policy;  // value of RateLimit-Policy
    std::string rate_left;

    bool is_authenticated() const { return invocation.caller.account != 0; }
    bool is_deprecated() const;
  };

  boost::asio::awaitable<Response> answer(Exchange& exchange);
  boost::asio::awaitable<Response> invoke(Exchange& exchange, bool too_large);
  boost::asio::awaitable<void> authenticate(Exchange& exchange);
  boost::asio::awaitable<void> identify(Exchange& exchange);
  void admit_anonymous(const Request& request) const;
  boost::asio::awaitable<void> receive_body(Exchange& exchange);
  void admit_lines(Exchange& exchange) const;
  void finish(const Exchange& exchange, Response& response) const;
  void record(const Exchange& exchange, const Response& response);

  Parts parts_;
  std::map<std::tuple<const Route*, Method, int>, observe::Duration*> durations_;
};

}  // namespace shopbell::http
