#include "app/service/private_routes.h"

#include "json/writer.h"

namespace shopbell::app {

namespace {

using Answer = boost::asio::awaitable<http::Response>;

Answer health() { co_return http::Response::json(R"({"alive":true})"); }

Answer ready(const Readiness& readiness) {
  const auto troubles = readiness.troubles();
  json::Writer writer;
  writer.begin_object().key("ready").boolean(troubles.empty()).key("troubles").begin_list();
  for (const auto& trouble : troubles) writer.text(trouble);
  writer.end();
  if (const auto degraded = readiness.degraded(); !degraded.empty()) {
    writer.key("degraded").begin_list();
    for (const auto& trouble : degraded) writer.text(trouble);
    writer.end();
  }
  writer.end();
  http::Response response = http::Response::json(writer.finish());
  if (!troubles.empty()) response.status = 503;
  co_return response;
}

Answer metrics_text(const observe::Metrics& metrics) {
  co_return http::Response{.content_type = "text/plain; version=0.0.4; charset=utf-8",
                           .body = metrics.text()};
}

}  // namespace

bool Readiness::set_schema_trouble(std::string why) {
  const std::scoped_lock lock{mutex_};
  return std::exchange(schema_trouble_, std::move(why)) != schema_trouble_;
}

std::vector<std::string> Readiness::troubles() const {
  std::vector<std::string> troubles;
  if (draining_) troubles.emplace_back("stopping");
  if (auto why = database_.trouble(); !why.empty()) troubles.push_back(std::move(why));
  const std::scoped_lock lock{mutex_};
  if (!schema_trouble_.empty()) troubles.push_back(schema_trouble_);
  return troubles;
}

std::vector<std::string> Readiness::degraded() const {
  std::vector<std::string> troubles;
  for (const auto& tell : watched_)
    if (std::string why = tell(); !why.empty()) troubles.push_back(std::move(why));
  return troubles;
}

std::vector<http::Route> private_routes(const Readiness& readiness,
                                        const observe::Metrics& metrics) {
  using http::Request;
  using operations::Parameters;
  return {http::page_route("getHealth", "/health",
                           [](const Request&, const Parameters&) { return health(); }),
          http::page_route(
              "getReady", "/ready",
              [&readiness](const Request&, const Parameters&) { return ready(readiness); }),
          http::page_route("getMetrics", "/metrics", [&metrics](const Request&, const Parameters&) {
            return metrics_text(metrics);
          })};
}

}  // namespace shopbell::app
