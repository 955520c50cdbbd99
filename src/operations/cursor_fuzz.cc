// Fuzzes `cursor`: only cursors made for the same list and account are accepted.
#include <unistd.h>

#include "operations/page.h"

namespace {

namespace operations = shopbell::operations;
namespace keyring = shopbell::keyring;

struct List {
  operations::Operation operation{
      operations::Method::get,
      "/things/",
      operations::Access::scope("things:read"),
      {},
      {.id = "listThings", .parameters = operations::page_parameters()}};
  keyring::Keyring ring = keyring::Keyring::create(
      std::filesystem::temp_directory_path() / std::format("cursor-fuzz-{}", ::getpid()),
      shopbell::system_clock().now());

  operations::Invocation invocation(std::int64_t account, const std::string& cursor) {
    return {.operation = &operation,
            .caller = {.account = account},
            .query_parameters = {{"cursor", cursor}},
            .keyring = &ring};
  }
};

// The position in a cursor; nullopt if the cursor is refused.
std::optional<std::string> position(List& list, std::int64_t account, const std::string& cursor) {
  const operations::Invocation invocation = list.invocation(account, cursor);
  try {
    return operations::read_page_request(operations::Input{invocation}).after;
  } catch (const shopbell::Problem& problem) {
    if (problem.code() != shopbell::Code::invalid_cursor) __builtin_trap();
    return std::nullopt;
  }
}

std::string made_for(List& list, std::int64_t account, const std::string& at) {
  const operations::Invocation invocation = list.invocation(account, "");
  shopbell::json::Writer writer;
  writer.begin_object();
  return *operations::end_page(operations::Input{invocation}, writer, at).next_cursor;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static List list;
  const std::string text{reinterpret_cast<const char*>(data), size};
  if (position(list, 1, text)) __builtin_trap();  // unsigned text must be refused
  if (text.empty()) return 0;
  const std::string cursor = made_for(list, 1, text);
  if (position(list, 1, cursor) != text) __builtin_trap();
  if (position(list, 2, cursor)) __builtin_trap();
  std::string changed = cursor;
  changed[data[0] % changed.size()] ^= 1;
  if (position(list, 1, changed)) __builtin_trap();
  return 0;
}
