// Whatever stands in `cursor`: it is refused, or it is one that was made for this very list.
#include <unistd.h>

#include "http/page.h"

namespace {

using namespace std::chrono_literals;
namespace http = shopbell::http;
namespace keyring = shopbell::keyring;

struct List {
  http::Request request{.method = http::Method::get, .target = "/things/?limit=5"};
  http::Route route{http::Method::get,
                    "/things/",
                    http::Access::scope("things:read"),
                    {},
                    {.id = "listThings", .parameters = http::page_parameters()}};
  keyring::Keyring ring = keyring::Keyring::create(
      std::filesystem::temp_directory_path() / std::format("cursor-fuzz-{}", ::getpid()),
      shopbell::system_clock().now());

  http::Exchange exchange(std::int64_t account, const std::string& cursor) {
    return {.request = &request,
            .query_parameters = {{"cursor", cursor}},
            .caller = {.account = account},
            .keyring = &ring,
            .route = &route};
  }
};

// The position a cursor stands for; nothing when it is refused.
std::optional<std::string> position(List& list, std::int64_t account, const std::string& cursor) {
  const http::Exchange exchange = list.exchange(account, cursor);
  try {
    return http::read_page_wish(http::Call{exchange}).after;
  } catch (const shopbell::Problem& problem) {
    if (problem.code() != shopbell::Code::invalid_cursor) __builtin_trap();
    return std::nullopt;
  }
}

std::string made_for(List& list, std::int64_t account, const std::string& at) {
  const http::Exchange exchange = list.exchange(account, "");
  shopbell::json::Writer writer;
  writer.begin_object();
  const http::Response page = http::end_page(http::Call{exchange}, writer, at);
  const auto link = page.headers.front().second;
  const auto start = link.find("cursor=") + 7;
  return link.substr(start, link.find('>') - start);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static List list;
  const std::string text{reinterpret_cast<const char*>(data), size};
  if (position(list, 1, text)) __builtin_trap();  // nobody guesses a signature
  if (text.empty()) return 0;
  const std::string cursor = made_for(list, 1, text);
  if (position(list, 1, cursor) != text) __builtin_trap();
  if (position(list, 2, cursor)) __builtin_trap();
  std::string changed = cursor;
  changed[data[0] % changed.size()] ^= 1;
  if (position(list, 1, changed)) __builtin_trap();
  return 0;
}
