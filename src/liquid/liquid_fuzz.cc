// Fuzzes the template language: compiles a source, and renders it with small budgets. Checks that
// faults have a place in the source, that the text keeps its limit, and that no value of the data
// brings a tag into HTML, unless a template says so.
#include <cstdint>

#include "liquid/render.h"

namespace {

namespace json = shopbell::json;
namespace liquid = shopbell::liquid;

// The data have characters that only escaping keeps out of HTML: U+2603 marks them.
constexpr std::string_view kData = R"({
  "contact": {"firstName": "<☃a&\"'>", "fields": {"n": 3, "amount": "17.90", "no": false, "none": null},
              "tags": ["b", "<☃b>", "a"]},
  "event": {"at": "2026-11-18T15:30:00Z", "data": {"currency": "EUR", "total": 12.5, "lines": [
    {"productId": "p1", "name": "<☃c>", "quantity": 2, "unitPrice": "1.50"},
    {"productId": "p2", "name": "x", "quantity": 1}, [1, [2, "<☃d>"]], "<☃e>", null]}},
  "store": {"name": "ä€😀<☃f>"}
})";
constexpr std::string_view kUnescaped = "<\u2603";

void require(bool truth) {
  if (!truth) __builtin_trap();
}

void check_faults(const std::vector<liquid::Fault>& faults, std::string_view source) {
  require(!faults.empty() && faults.size() <= liquid::kFaultsMax);
  const auto lines = static_cast<std::size_t>(std::ranges::count(source, '\n')) + 1;
  for (const auto& fault : faults)
    require(fault.line >= 1 && fault.line <= lines && fault.column >= 1 && !fault.message.empty());
}

// A template may print values unescaped with `raw`, and may write `<` itself.
bool may_print_tags(std::string_view source) {
  return source.contains("raw") || source.contains('<');
}

void check(const std::string& source, liquid::Part part) {
  static const json::Document document = *json::Document::parse(kData);
  static shopbell::LocalFormats formats;
  const auto compiled = liquid::compile(source, {.part = part});
  if (!compiled) return check_faults(compiled.error(), source);
  liquid::Data data;
  document.root().for_each(
      [&](std::string_view name, json::Value value) { data.roots.emplace(name, value); });
  const liquid::Context context{
      .formats = formats,
      .now = shopbell::Instant{std::chrono::seconds{1'795'000'000}},
      .zone = nullptr,
      .locale = "de",
      .currency = "EUR",
      .budgets = {.steps = 5'000, .value_bytes = 16'384, .output_bytes = 8'192, .products = 3}};
  const auto rendered = liquid::render(*compiled, data, context);
  if (!rendered) return check_faults({rendered.error()}, source);
  require(rendered->text.size() <= context.budgets.output_bytes);
  require(rendered->products_asked.size() <= context.budgets.products);
  if (part == liquid::Part::html && !may_print_tags(source))
    require(!rendered->text.contains(kUnescaped));
  if (part == liquid::Part::subject)
    require(rendered->text.find_first_of("\r\n") == std::string::npos);
  const auto again = liquid::render(*compiled, data, context);
  require(again && again->text == rendered->text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0) return 0;
  const std::string source{reinterpret_cast<const char*>(bytes) + 1, size - 1};
  constexpr std::array kParts{liquid::Part::html, liquid::Part::subject, liquid::Part::text};
  check(source, kParts[bytes[0] % kParts.size()]);
  return 0;
}
