// Pipeline: what every request goes through, in this order: request id, the message itself (414,
// 431, 400), path (404) and method (405), key (401), rate (429), scope (403), the body's type
// (415), size (413) and form (400), parameters (422), then the operation's own handler. Whatever is
// thrown on the way becomes a problem here, and nowhere else.
#pragma once

#include <map>
#include <string>
#include <tuple>

#include <boost/asio/awaitable.hpp>

#include "base/time.h"
#include "http/call.h"
#include "http/server/router.h"
#include "http/wire/message.h"
#include "http/wire/parser.h"
#include "observe/metrics.h"
#include "rates/rate_limit.h"

namespace shopbell::http {

class Pipeline {
 public:
  struct Parts {
    const Router* router;
    std::string base_path;     // "" or "/shop"
    pg::Pool* database;        // none on the private listener, which has no account routes
    Authenticator* keys;       // likewise
    rates::RateLimits* rates;  // likewise
    const Clock* clock;
    const keyring::Keyring* keyring;  // likewise
    storage::Storage* storage;        // likewise
    observe::Metrics* metrics;
    bool log_requests = true;
    bool retire_deprecated = false;
  };
  explicit Pipeline(Parts parts) : parts_{std::move(parts)} {}

  // How the body of such a request is read, known before it is.
  BodyRule body_rule(Method method, std::string_view target) const;

  // Always an answer, never an exception. `body` is there when it streams: then the request is no
  // more than its head.
  boost::asio::awaitable<Response> serve(const Request& request, BodySource* body = nullptr);

 private:
  boost::asio::awaitable<Response> answer(Exchange& exchange, const Route*& found);
  boost::asio::awaitable<void> authenticate(Exchange& exchange, const Route& route);
  void admit_lines(Exchange& exchange) const;
  void finish(const Exchange& exchange, Response& response) const;
  void record(const Exchange& exchange, const Route* route, const Response& response,
              pg::Steady::time_point started);

  Parts parts_;
  std::map<std::tuple<const Route*, Method, int>, observe::Duration*> durations_;
};

}  // namespace shopbell::http
