// Runs the examples of docs/templates-language.md: each row of a table whose last two cells are a
// template and its text, and each block of Liquid that is followed by a block of text.
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "liquid/filters.h"
#include "liquid/render.h"

namespace shopbell::liquid {
namespace {

std::string page() {
  std::ifstream file{"docs/templates-language.md"};
  return {std::istreambuf_iterator<char>{file}, {}};
}

// The content of the first fenced block of that language after `from`, which then is behind it.
std::string next_block(const std::string& text, std::string_view language, std::size_t& from) {
  const std::string open = "\n```" + std::string{language} + "\n";
  const std::size_t begin = text.find(open, from);
  if (begin == std::string::npos) return {};
  const std::size_t end = text.find("\n```", begin + open.size());
  from = end;
  return text.substr(begin + open.size(), end - begin - open.size());
}

// The code of the cells in a row, with \| as |.
std::vector<std::string> code_cells(std::string_view row) {
  std::vector<std::string> cells;
  for (std::size_t at = row.find("| `"); at != std::string_view::npos; at = row.find("| `", at)) {
    const std::size_t begin = at + 3;
    const std::size_t end = row.find("` |", begin);
    if (end == std::string_view::npos) break;
    std::string code;
    for (const char c : row.substr(begin, end - begin)) {
      if (c == '|' && code.ends_with('\\')) code.pop_back();
      code += c;
    }
    cells.push_back(std::move(code));
    at = end + 2;
  }
  return cells;
}

class Examples {
 public:
  explicit Examples(const std::string& json) : document_{*json::Document::parse(json)} {
    document_.root().for_each([&](std::string_view name, json::Value value) {
      if (name != "products") return void(data_.roots.emplace(name, value));
      value.for_each(
          [&](std::string_view id, json::Value product) { data_.products.emplace(id, product); });
    });
  }

  std::string render(std::string source, Part part) {
    const auto compiled = compile(std::move(source), {.part = part});
    if (!compiled) return "error: " + compiled.error().front().message;
    const auto rendered = liquid::render(*compiled, data_,
                                         {.formats = formats_,
                                          .now = *parse_rfc3339("2026-11-18T15:30:00Z"),
                                          .zone = std::chrono::locate_zone("Europe/Vienna"),
                                          .locale = "en",
                                          .currency = "EUR"});
    return rendered ? rendered->text : "error: " + rendered.error().message;
  }

 private:
  json::Document document_;
  Data data_;
  LocalFormats formats_;
};

TEST(TemplateLanguagePage, every_example_prints_what_the_page_says) {
  const std::string text = page();
  std::size_t at = 0;
  Examples examples{next_block(text, "json", at)};
  std::size_t rows = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const auto cells = code_cells(std::string_view{text}.substr(begin, end - begin));
    begin = end + 1;
    if (cells.size() < 2 || !cells[cells.size() - 2].contains('{')) continue;
    ++rows;
    const std::string& source = cells[cells.size() - 2];
    EXPECT_EQ(examples.render(source, Part::html), cells.back()) << source;
  }
  EXPECT_GT(rows, 80U);
}

TEST(TemplateLanguagePage, the_first_mail_is_the_text_below_it) {
  const std::string text = page();
  std::size_t at = 0;
  Examples examples{next_block(text, "json", at)};
  at = 0;
  const std::string source = next_block(text, "liquid", at);
  EXPECT_EQ(examples.render(source, Part::text), next_block(text, "text", at));
}

TEST(TemplateLanguagePage, describes_every_filter) {
  const std::string text = page();
  for (const auto filter : filter_names())
    EXPECT_TRUE(text.contains("| `" + std::string{filter} + "`") ||
                text.contains(", `" + std::string{filter} + "`"))
        << filter;
}

}  // namespace
}  // namespace shopbell::liquid
