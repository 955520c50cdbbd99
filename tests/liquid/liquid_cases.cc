// liquid_cases: renders the cases of standard input, one JSON object a line, and compares the texts
// with the expected ones: {template, data, expected} or {template, data, error}. A case with an
// error must fail to compile or to render.
#include <iostream>
#include <optional>

#include "json/document.h"
#include "liquid/render.h"

namespace {

namespace liquid = shopbell::liquid;
using shopbell::json::Document;
using shopbell::json::Value;

// The rendered text, or the error.
std::expected<std::string, std::string> render(const Value& test, shopbell::LocalFormats& formats) {
  liquid::Data data;
  liquid::Options options{.roots = {}};
  test.member("data")->for_each([&](std::string_view name, Value value) {
    options.roots.push_back(name);
    data.roots.emplace(name, value);
  });
  const auto text_of = [](const liquid::Fault& fault) {
    return std::format("{}:{}: {}", fault.line, fault.column, fault.message);
  };
  const auto compiled = liquid::compile(std::string{test.member("template")->text()}, options);
  if (!compiled) return std::unexpected{text_of(compiled.error().front())};
  auto rendered = liquid::render(*compiled, data, {.formats = formats, .locale = "en"});
  if (!rendered) return std::unexpected{text_of(rendered.error())};
  return std::move(rendered->text);
}

bool check(const Value& test, shopbell::LocalFormats& formats) {
  const auto expected = test.member("expected");
  const auto seen = render(test, formats);
  const bool same = expected ? seen.has_value() && *seen == expected->text() : !seen.has_value();
  if (same) return true;
  std::cout << "differs: " << test.member("template")->to_json() << "\n  LiquidJS "
            << (expected ? expected->to_json() : "fails") << "\n  here     "
            << (seen ? *seen : "fails: " + seen.error()) << '\n';
  return false;
}

}  // namespace

int main() {
  shopbell::LocalFormats formats;
  std::size_t cases = 0;
  std::size_t differing = 0;
  for (std::string line; std::getline(std::cin, line); ++cases) {
    const auto document = Document::parse(line);
    if (!document || !check(document->root(), formats)) ++differing;
  }
  std::cout << "liquid: " << cases << " cases, " << differing << " differ\n";
  return cases == 0 || differing > 0 ? 1 : 0;
}
