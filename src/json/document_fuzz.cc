// Fuzzes Document: no crash on any input, and every accepted document can be traversed.
#include "json/document.h"

namespace {
std::size_t walk(shopbell::json::Value value) {
  std::size_t seen = 1;
  if (value.type() == shopbell::json::Type::text) seen += value.text().size();
  if (value.type() == shopbell::json::Type::number) seen += value.number_text().size();
  value.for_each([&](std::string_view name, shopbell::json::Value inner) {
    seen += name.size() + walk(inner);
  });
  return seen;
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto document =
      shopbell::json::Document::parse({reinterpret_cast<const char*>(data), size});
  if (document && walk(document->root()) == 0) __builtin_trap();
  return 0;
}
