// For any URL that is accepted, libcurl must read the same host and port from it, and an address in
// it must be public.
#include <cstdlib>

#include <curl/curl.h>

#include "base/text.h"
#include "net/outside.h"

namespace {

std::string part(CURLU* parsed, CURLUPart which) {
  char* text = nullptr;
  if (curl_url_get(parsed, which, &text, CURLU_DEFAULT_PORT) != CURLUE_OK) return {};
  std::string copy{text};
  curl_free(text);
  return copy;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string url{reinterpret_cast<const char*>(data), size};
  shopbell::net::is_listable_host(url);
  if (shopbell::net::why_not_outside(url, {})) return 0;

  CURLU* const parsed = curl_url();
  if (curl_url_set(parsed, CURLUPART_URL, url.c_str(), CURLU_PATH_AS_IS) != CURLUE_OK)
    __builtin_trap();
  std::string host = shopbell::lower_ascii(part(parsed, CURLUPART_HOST));
  const std::string port = part(parsed, CURLUPART_PORT);
  if (!part(parsed, CURLUPART_USER).empty() || !part(parsed, CURLUPART_PASSWORD).empty() ||
      !part(parsed, CURLUPART_ZONEID).empty())
    __builtin_trap();
  if (std::atoi(port.c_str()) != 80 && std::atoi(port.c_str()) != 443) __builtin_trap();
  if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
  if (const auto address = shopbell::Ip::parse(host)) {
    if (!shopbell::is_public(*address)) __builtin_trap();
  } else if (!shopbell::lower_ascii(url).contains("://" + host) || !host.contains('.')) {
    __builtin_trap();
  }
  curl_url_cleanup(parsed);
  return 0;
}
