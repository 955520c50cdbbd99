#include "http/wire/message.h"

namespace shopbell::http {

std::string_view Request::header(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (key == name) return value;
  }
  return {};
}

std::string_view Request::query() const {
  const auto mark = target.find('?');
  return mark == std::string::npos ? std::string_view{} : std::string_view{target}.substr(mark + 1);
}

void Response::share_body() {
  fixed = std::make_shared<const StaticBody>(std::exchange(body, {}));
  etag = fixed->etag();
}

}  // namespace shopbell::http
