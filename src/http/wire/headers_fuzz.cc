// Fuzzes the headers that Shopbell parses itself: no crash, and only the expected problems.
#include "base/ip.h"
#include "base/limits.h"
#include "compress/compress.h"
#include "http/wire/body.h"
#include "http/wire/client_address.h"
#include "http/wire/conditional.h"
#include "http/wire/idempotency_key.h"

namespace http = shopbell::http;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string value{reinterpret_cast<const char*>(data), size};
  http::Request request{.method = http::Method::patch};
  for (const char* name : {"prefer", "if-match", "if-none-match", "idempotency-key", "content-type",
                           "content-encoding"})
    request.headers.emplace_back(name, value);
  request.body = "{}";
  shopbell::compress::choose(value);
  http::prefers_leniency(request);
  try {
    const auto key = http::idempotency_key(request);
    if (!key || key->empty() || key->size() > shopbell::limits::kIdempotencyKeyBytes)
      __builtin_trap();
  } catch (const shopbell::Problem& problem) {
    if (problem.code() != shopbell::Code::idempotency_key_invalid) __builtin_trap();
  }
  try {
    std::string plain;
    http::check_body(request, shopbell::operations::Body{});
    http::read_body(request, shopbell::operations::Body{}, plain);
  } catch (const shopbell::Problem& problem) {
    if (problem.status() != 415 && problem.status() != 400) __builtin_trap();
  }
  const auto conditions = http::conditions_of(request);
  if (value == "*" && !conditions.if_none_match->names("\"1\"")) __builtin_trap();
  const std::vector<std::string> trusted{"10.0.0.0/8"};
  const std::vector<std::string_view> forwarded{value};
  const std::string address = http::client_address("10.0.0.1", trusted, forwarded);
  if (shopbell::normal_address(address).empty()) __builtin_trap();
  shopbell::address_in(address, value);
  return 0;
}
