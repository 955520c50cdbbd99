#include "net/http_client.h"

#include <algorithm>

#include <boost/asio/this_coro.hpp>

#include "base/text.h"
#include "net/exchange.h"

namespace shopbell::net {

std::string_view Answer::header(std::string_view name) const {
  const std::string wanted = lower_ascii(name);
  const auto found = std::ranges::find_if(
      headers, [&](const auto& header) { return lower_ascii(header.first) == wanted; });
  return found == headers.end() ? std::string_view{} : std::string_view{found->second};
}

HttpClient::HttpClient(asio::io_context& loop, Settings settings)
    : loop_(loop),
      settings_(std::move(settings)),
      multi_(std::make_shared<Multi>(loop, settings_.connections)) {}

HttpClient::~HttpClient() = default;

asio::awaitable<std::expected<Answer, Trouble>> HttpClient::request(Request request, Sink sink) {
  // libcurl would guess a missing scheme.
  if (!request.url.starts_with("http://") && !request.url.starts_with("https://")) {
    co_return std::unexpected{
        Trouble{Failure::malformed_request, "the URL must start with http:// or https://"}};
  }
  std::optional<OutsideTarget> target;
  if (settings_.outside) {
    auto judged = OutsideTarget::of(request.url, *settings_.outside);
    if (!judged) co_return std::unexpected{Trouble{Failure::forbidden, std::move(judged.error())}};
    target = *std::move(judged);
  }
  Exchange exchange{
      loop_, multi_, std::move(request), std::move(sink), settings_.ca_file, std::move(target)};
  co_return co_await exchange.run();
}

}  // namespace shopbell::net
