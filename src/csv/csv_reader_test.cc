#include "csv/csv_reader.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <sys/resource.h>

#include "csv/seen_rows.h"

namespace shopbell::csv {

namespace {

using std::string_literals::operator""s;
using Texts = std::vector<std::string>;

// All rows of the blocks. Each block is freed before the next one is fed.
std::vector<RowCopy> read_blocks(const Texts& blocks, ReadLimits limits = {}, Place start = {},
                                 char delimiter = ',') {
  std::vector<RowCopy> rows;
  Reader reader{delimiter, limits, start};
  for (const std::string& block : blocks) {
    const auto copy =
        std::make_unique<char[]>(block.size());  // lets the sanitizer detect reads beyond it
    std::ranges::copy(block, copy.get());
    reader.feed({copy.get(), block.size()});
    collect(reader, rows);
  }
  reader.finish();
  collect(reader, rows);
  return rows;
}

std::vector<RowCopy> read(const std::string& text, ReadLimits limits = {}) {
  return read_blocks({text}, limits);
}

// The texts of all cells: one list per row, with the name of its fault, if any.
std::vector<Texts> texts(const std::vector<RowCopy>& rows) {
  std::vector<Texts> all;
  for (const RowCopy& row : rows) {
    Texts& cells = all.emplace_back();
    if (row.fault) cells.push_back("! " + std::string{name_of(row.fault->code)});
    for (const auto& [text, quoted] : row.cells) cells.push_back(quoted ? "'" + text : text);
  }
  return all;
}

std::vector<Texts> rows_of(const std::string& text) { return texts(read(text)); }

// Splits the text into blocks of random sizes, including empty ones.
Texts cut(const std::string& text) {
  Texts blocks;
  for (std::size_t from = 0; from < text.size();) {
    const auto bytes = *rc::gen::inRange<std::size_t>(1, 12);
    blocks.push_back(text.substr(from, bytes));
    if (bytes == 7) blocks.emplace_back();
    from += bytes;
  }
  return blocks;
}

// Generates files with many special characters.
rc::Gen<std::string> some_file() {
  return rc::gen::map(rc::gen::container<Texts>(
                          rc::gen::elementOf(Texts{",",    ",",        "\n",   "\n",
                                                   "\r\n", "\r",       "\"",   "\"",
                                                   "\"\"", "a",        "bc",   "defghijklmnop",
                                                   " ",    ";",        "\\N",  "\xEF\xBB\xBF",
                                                   "\xEF", "\xC3\xA4", "\xFF", "\0"s,
                                                   "1.5"})),
                      [](const Texts& parts) {
                        std::string text;
                        for (const std::string& part : parts) text += part;
                        return text;
                      });
}

std::size_t most_memory_kibibytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::size_t>(usage.ru_maxrss);
}

ReadLimits some_limits() {
  return *rc::gen::element(ReadLimits{}, ReadLimits{.cell_bytes = 5},
                           ReadLimits{.cell_bytes = 100, .row_bytes = 9}, ReadLimits{.columns = 2});
}

TEST(CsvReader, parses_rows_and_cells) {
  EXPECT_EQ(rows_of("a,b\nc,d\n"), (std::vector<Texts>{{"a", "b"}, {"c", "d"}}));
  EXPECT_EQ(rows_of("a,b\nc,d"), (std::vector<Texts>{{"a", "b"}, {"c", "d"}}));
  EXPECT_EQ(rows_of(",\n,"), (std::vector<Texts>{{"", ""}, {"", ""}}));
  EXPECT_EQ(rows_of("a"), (std::vector<Texts>{{"a"}}));
  EXPECT_EQ(rows_of(" a , b "), (std::vector<Texts>{{" a ", " b "}}));
  EXPECT_EQ(rows_of("a long cell of text,another one\n"),
            (std::vector<Texts>{{"a long cell of text", "another one"}}));
}

TEST(CsvReader, accepts_lf_crlf_and_cr) {
  EXPECT_EQ(rows_of("a\nb\r\nc\rd\r"), (std::vector<Texts>{{"a"}, {"b"}, {"c"}, {"d"}}));
  EXPECT_EQ(rows_of("a\r\r\nb\n\rc"), (std::vector<Texts>{{"a"}, {"b"}, {"c"}}));
}

TEST(CsvReader, skips_blank_lines) {
  EXPECT_EQ(rows_of(""), std::vector<Texts>{});
  EXPECT_EQ(rows_of("\n\r\n\r\n"), std::vector<Texts>{});
  EXPECT_EQ(rows_of("\n\na\n\n\nb\n\n"), (std::vector<Texts>{{"a"}, {"b"}}));
  EXPECT_EQ(rows_of("\"\"\n \n"), (std::vector<Texts>{{"'"}, {" "}}));
}

TEST(CsvReader, distinguishes_quoted_cells) {
  EXPECT_EQ(rows_of("\"\",,\"\\N\",\\N\n"), (std::vector<Texts>{{"'", "", "'\\N", "\\N"}}));
  EXPECT_EQ(rows_of("\"a,b\",\"c\nd\r\ne\",\"\"\"f\"\"g\"\n"),
            (std::vector<Texts>{{"'a,b", "'c\nd\r\ne", "'\"f\"g"}}));
  EXPECT_EQ(rows_of("\"\"\"\"\n"), (std::vector<Texts>{{"'\""}}));
  // A quote inside an unquoted cell is an ordinary character.
  EXPECT_EQ(rows_of("5\" disk, \"b\"\n"), (std::vector<Texts>{{"5\" disk", " \"b\""}}));
}

TEST(CsvReader, splits_only_at_the_delimiter) {
  for (const char delimiter : {',', ';', '\t', '|'}) {
    EXPECT_TRUE(is_delimiter(delimiter));
    std::string text = "a,;\t|b";
    std::erase(text, delimiter);
    const std::string file = text + delimiter + "c\n";
    EXPECT_EQ(texts(read_blocks({file}, {}, {}, delimiter)), (std::vector<Texts>{{text, "c"}}));
  }
  for (const char other : {'\n', '"', ' ', ':', 'a', '\0'}) EXPECT_FALSE(is_delimiter(other));
}

TEST(CsvReader, skips_a_bom_only_at_the_start) {
  const std::string bom = "\xEF\xBB\xBF";
  EXPECT_EQ(rows_of(bom + "a\n" + bom + "b"), (std::vector<Texts>{{"a"}, {bom + "b"}}));
  EXPECT_EQ(rows_of(bom + "\"a\""), (std::vector<Texts>{{"'a"}}));
  EXPECT_EQ(rows_of(bom), std::vector<Texts>{});
  EXPECT_EQ(read(bom + "a")[0].start, (Place{3, 1}));
  EXPECT_EQ(texts(read_blocks({"\xEF", "\xBB", "\xBF", "a"})), (std::vector<Texts>{{"a"}}));
  // A BOM after the start of the file is text, also for a reader that resumes there.
  EXPECT_EQ(texts(read_blocks({bom + "a"}, {}, {3, 1})), (std::vector<Texts>{{bom + "a"}}));
  for (const auto& [file, offset] :
       {std::pair{"\xEF"s, 0}, {"\xEF\xBB"s, 0}, {"\xEF\xBBx,y"s, 0}}) {
    const auto rows = read(file);
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].fault, (Fault{FaultCode::invalid_utf8, 0, 0}));
    EXPECT_EQ(rows[0].raw, file);
    EXPECT_EQ(rows[0].start.offset, offset);
  }
}

TEST(CsvReader, reports_the_position_of_each_row) {
  const auto rows = read("id,text\r\n\r\n1,\"two\r\nlines\rthree\n\"\n2,x");
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].start, (Place{0, 1}));
  EXPECT_EQ(rows[0].end, (Place{9, 2}));
  EXPECT_EQ(rows[0].raw, "id,text");
  EXPECT_EQ(rows[1].start, (Place{11, 3}));
  EXPECT_EQ(rows[1].end, (Place{33, 7}));
  EXPECT_EQ(rows[1].raw, "1,\"two\r\nlines\rthree\n\"");
  EXPECT_EQ(rows[2].start, (Place{33, 7}));
  EXPECT_EQ(rows[2].end, (Place{36, 7}));
}

TEST(CsvReader, reports_a_fault_with_its_position_and_continues) {
  const std::string good = "x,y\n";
  struct Case {
    std::string row;
    FaultCode code;
    std::uint64_t offset;
    std::size_t column;
  };
  for (const Case& it : {Case{"a,\"b\"c,d", FaultCode::text_after_quote, 9, 1},
                         {"\"b\" ", FaultCode::text_after_quote, 7, 0},
                         {"\"b\"c\"d,\"e\nf\"", FaultCode::text_after_quote, 7, 0},
                         {"a,b\0c"s, FaultCode::nul_byte, 7, 1},
                         {"a,\"b\0\"\"\""s, FaultCode::nul_byte, 8, 1},
                         {"a,b\xFF,c", FaultCode::invalid_utf8, 6, 1},
                         {"\xC3,\xA4", FaultCode::invalid_utf8, 4, 0},
                         {"\xED\xA0\x80", FaultCode::invalid_utf8, 4, 0},
                         {"a,1234567890123456", FaultCode::cell_too_long, 6, 1},
                         {"a,\"12345678901\n2345\"", FaultCode::cell_too_long, 7, 1},
                         {"a,b,c,d,e", FaultCode::too_many_columns, 12, 4},
                         {"a,b,c,d,", FaultCode::too_many_columns, 12, 4},
                         {"1234567890,1234567890,1234567890", FaultCode::row_too_long, 4, 0}}) {
    const auto rows =
        read(good + it.row + "\n" + good, {.cell_bytes = 15, .row_bytes = 30, .columns = 4});
    ASSERT_EQ(rows.size(), 3U) << it.row;
    EXPECT_EQ(rows[1].fault, (Fault{it.code, it.offset, it.column})) << it.row;
    EXPECT_EQ(rows[1].raw, it.code == FaultCode::row_too_long ? "" : it.row);
    EXPECT_TRUE(rows[1].cells.empty());
    EXPECT_EQ(rows[2].start.offset, 4 + it.row.size() + 1);
    EXPECT_EQ(texts({rows[2]}), (std::vector<Texts>{{"x", "y"}}));
  }
}

TEST(CsvReader, accepts_a_row_exactly_at_the_limits) {
  const ReadLimits limits{.cell_bytes = 15, .row_bytes = 30, .columns = 4};
  const std::string row = "a,123456789012345,\"1\"\"345678\",";
  ASSERT_EQ(row.size(), 30U);
  EXPECT_EQ(texts(read(row + "\r\n", limits)),
            (std::vector<Texts>{{"a", "123456789012345", "'1\"345678", ""}}));
  EXPECT_EQ(texts(read_blocks({row, "\r", "\n"}, limits)).size(), 1U);
}

TEST(CsvReader, reports_the_unclosed_quote) {
  for (const ReadLimits limits : {ReadLimits{}, {.row_bytes = 8}}) {
    const auto rows = read("a,b\nc,\"d\"\"e\nf,g\n", limits);
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[1].fault, (Fault{FaultCode::unclosed_quote, 6, 1}));
    EXPECT_EQ(rows[1].start, (Place{4, 2}));
    EXPECT_EQ(rows[1].end, (Place{16, 4}));
  }
}

TEST(CsvReader, uses_bounded_memory_for_an_endless_row) {
  const std::string block(std::size_t{64} * 1024, 'a');
  Reader reader{','};
  const std::size_t before = most_memory_kibibytes();
  std::uint64_t bytes = 0;
  for (int i = 0; i < 4096; ++i) {  // feeds 256 MiB
    reader.feed(block);
    ASSERT_EQ(reader.next(), nullptr);
    bytes += block.size();
  }
  EXPECT_LT(most_memory_kibibytes() - before, 64U * 1024);
  reader.feed("\nx\n");
  const Row* row = reader.next();
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->fault, (Fault{FaultCode::row_too_long, 0, 0}));
  EXPECT_EQ(row->end, (Place{bytes + 1, 2}));
  row = reader.next();
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->raw, "x");
}

TEST(CsvReader, block_sizes_do_not_change_the_rows) {
  EXPECT_TRUE(rc::check([] {
    const std::string file = *some_file();
    const ReadLimits limits = some_limits();
    const auto whole = read(file, limits);
    RC_ASSERT(read_blocks(cut(file), limits) == whole);
    Texts bytes;
    for (const char byte : file) bytes.emplace_back(1, byte);
    RC_ASSERT(read_blocks(bytes, limits) == whole);
  }));
}

TEST(CsvReader, resumes_at_any_row) {
  EXPECT_TRUE(rc::check([] {
    const std::string file = *some_file();
    const ReadLimits limits = some_limits();
    const auto rows = read(file, limits);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::vector<RowCopy> left(rows.begin() + static_cast<std::ptrdiff_t>(i), rows.end());
      RC_ASSERT(read_blocks({file.substr(rows[i].start.offset)}, limits, rows[i].start) == left);
    }
  }));
}

TEST(CsvReader, skips_only_line_ends_between_rows) {
  EXPECT_TRUE(rc::check([] {
    const std::string file = *some_file();
    std::size_t offset = file.starts_with("\xEF\xBB\xBF") ? 3 : 0;
    for (const RowCopy& row : read(file)) {
      RC_ASSERT(file.substr(offset, row.start.offset - offset).find_first_not_of("\r\n") ==
                std::string::npos);
      RC_ASSERT(file.substr(row.start.offset, row.raw.size()) == row.raw);
      offset = row.start.offset + row.raw.size();
    }
    RC_ASSERT(file.substr(offset).find_first_not_of("\r\n") == std::string::npos);
  }));
}

}  // namespace
}  // namespace shopbell::csv
