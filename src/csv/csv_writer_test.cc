#include "csv/csv_writer.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "csv/csv_reader.h"

namespace shopbell::csv {

namespace {

using Row = std::vector<std::optional<std::string>>;

std::string written(const std::vector<Row>& rows, Style style = {}) {
  std::string out;
  Writer writer{out, style};
  for (const Row& row : rows) {
    const std::vector<std::optional<std::string_view>> views(row.begin(), row.end());
    writer.row(views);
  }
  return out;
}

// An unquoted cell that is empty or \N has no value.
std::vector<Row> read(std::string_view file, char delimiter) {
  std::vector<Row> rows;
  Reader reader{delimiter};
  const auto collect = [&] {
    while (const auto* row = reader.next()) {
      EXPECT_FALSE(row->fault);
      Row& cells = rows.emplace_back();
      for (const Cell& cell : row->cells) {
        const bool none = !cell.quoted && (cell.text.empty() || cell.text == kClear);
        cells.push_back(none ? std::nullopt : std::optional{std::string{cell.text}});
      }
    }
  };
  reader.feed(file);
  collect();
  reader.finish();
  collect();
  return rows;
}

TEST(CsvWriter, quotes_only_where_necessary) {
  EXPECT_EQ(written({{"a", "b c", " d "}}), "a,b c, d \r\n");
  EXPECT_EQ(written({{"a,b", "c\"d", "e\nf", "g\rh"}}), "\"a,b\",\"c\"\"d\",\"e\nf\",\"g\rh\"\r\n");
  EXPECT_EQ(written({{"a;b", "c,d"}}, {.delimiter = ';'}), "\"a;b\";c,d\r\n");
  EXPECT_EQ(written({{"a"}, {"b"}}, {.line_end = "\n"}), "a\nb\n");
}

TEST(CsvWriter, distinguishes_null_from_an_empty_text) {
  EXPECT_EQ(written({{std::nullopt, "", "\\N"}}), ",\"\",\"\\N\"\r\n");
  EXPECT_EQ(written({{std::nullopt, "", "\\N"}}, {.null = kClear}), "\\N,\"\",\"\\N\"\r\n");
  EXPECT_EQ(written({{""}, {std::nullopt}}), "\"\"\r\n\"\"\r\n");
  EXPECT_EQ(written({{std::nullopt, std::nullopt}}), ",\r\n");
  EXPECT_EQ(written({{std::nullopt}}, {.null = kClear}), "\\N\r\n");
}

TEST(CsvWriter, escapes_formulas) {
  const Style guarded{.formulas = Formulas::guarded};
  EXPECT_EQ(written({{"=1+1", "+a", "-a", "@a", "\ta", "\ra"}}, guarded),
            "'=1+1,'+a,'-a,'@a,'\ta,\"'\ra\"\r\n");
  EXPECT_EQ(written({{"=A1,\"x\""}}, guarded), "\"'=A1,\"\"x\"\"\"\r\n");
  EXPECT_EQ(written({{"=1+1"}}), "=1+1\r\n");
}

TEST(CsvWriter, does_not_escape_numbers_and_other_texts) {
  for (const char* text : {"-12.5", "+4930123456", "-1e-7", "+0", "-1E+20", "12", "a=b", "a", "'",
                           "1-2", " =1", "-0.10"}) {
    EXPECT_FALSE(is_formula(text)) << text;
    EXPECT_EQ(written({{text}}, {.formulas = Formulas::guarded}), std::string{text} + "\r\n");
  }
  for (const char* text : {"-", "+", "-1-1", "-1.", "-.5", "--1", "-1e", "-1e5x",
                           "+1+cmd|' /C x'!A", "-1 ", "=1", "@", "\t", "\r", "-1,5"}) {
    EXPECT_TRUE(is_formula(text)) << text;
  }
  EXPECT_TRUE(is_formula(std::string_view{"\0=1", 3}));
  EXPECT_FALSE(is_formula(""));
}

TEST(CsvWriter, round_trips) {
  const auto text = rc::gen::map(
      rc::gen::scale(
          0.1, rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
                   "a", "bcd", "\"", ",", ";", "\t", "|", "\n", "\r", "\\N", " ", "\xEF\xBB\xBF",
                   "\xC3\xA4", "=", "'"))),
      [](const std::vector<std::string>& parts) {
        std::string all;
        for (const std::string& part : parts) all += part;
        return all;
      });
  const auto cell = rc::gen::weightedOneOf<std::optional<std::string>>(
      {{1, rc::gen::just(std::optional<std::string>{})},
       {3, rc::gen::map(text, [](std::string it) { return std::optional{std::move(it)}; })}});
  EXPECT_TRUE(rc::check([&] {
    auto rows = *rc::gen::scale(0.3, rc::gen::container<std::vector<Row>>(
                                         rc::gen::nonEmpty(rc::gen::container<Row>(cell))));
    const Style style{.delimiter = *rc::gen::element(',', ';', '\t', '|'),
                      .null = *rc::gen::element<std::string_view>("", kClear),
                      .line_end = *rc::gen::element<std::string_view>("\r\n", "\n", "\r")};
    const auto again = read(written(rows, style), style.delimiter);
    for (Row& row : rows) {  // a row with one missing value is read as an empty text
      if (row.size() == 1 && !row[0] && style.null.empty()) row[0] = "";
    }
    RC_ASSERT(again == rows);
  }));
}

}  // namespace
}  // namespace shopbell::csv
