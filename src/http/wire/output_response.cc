#include "http/wire/output_response.h"

#include <algorithm>
#include <format>
#include <utility>

namespace shopbell::http {

namespace {

// The request's target with another cursor.
std::string next_target(const Request& request, const std::string& cursor) {
  std::string target{request.path()};
  char before = '?';
  std::string_view query = request.query();
  while (!query.empty()) {
    const auto end = std::min(query.find('&'), query.size());
    const std::string_view pair = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    if (pair.empty() || pair.starts_with("cursor=")) continue;
    target += std::exchange(before, '&');
    target += pair;
  }
  return std::format("{}{}cursor={}", target, before, cursor);
}

}  // namespace

Response response_of(operations::Output output, const Request& request) {
  Response response{.status = static_cast<int>(output.outcome),
                    .content_type = std::move(output.content_type),
                    .body = std::move(output.body),
                    .etag = std::move(output.etag),
                    .stream = std::move(output.stream)};
  const auto add = [&](std::string name, std::string value) {
    response.headers.emplace_back(std::move(name), std::move(value));
  };
  for (auto& preference : output.preferences_applied)
    add("Preference-Applied", std::move(preference));
  if (!output.location.empty()) add("Location", std::move(output.location));
  for (auto& applied : output.applied) add("Shopbell-Applied", std::move(applied));
  if (output.next_cursor)
    add("Link", std::format("<{}>; rel=\"next\"", next_target(request, *output.next_cursor)));
  if (!output.attachment.empty()) {
    add("Content-Disposition", std::format("attachment; filename=\"{}\"", output.attachment));
    add("X-Content-Type-Options", "nosniff");
  }
  // Keep presigned links and downloaded files out of caches.
  if (!output.attachment.empty() || output.outcome == operations::Outcome::redirect)
    add("Cache-Control", "no-store");
  if (output.replayed) add("Idempotent-Replayed", "true");
  return response;
}

}  // namespace shopbell::http
