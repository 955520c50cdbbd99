// csv_rows: prints the CSV reader's result as JSON. Standard input has files, each after a line
// "DELIMITER BLOCK_BYTES FILE_BYTES", with the delimiter as its character code. Standard output
// gets a line per file: a list of rows, each with offset, line, and either its cells (text, quoted
// or not) or the name of its fault.
#include <iostream>

#include "csv/csv_reader.h"
#include "json/writer.h"

namespace {

using shopbell::csv::Reader;
using shopbell::csv::Row;

void write(const Row& row, shopbell::json::Writer& json) {
  json.begin_object();
  json.key("offset").integer(static_cast<std::int64_t>(row.start.offset));
  json.key("line").integer(static_cast<std::int64_t>(row.start.line));
  if (row.fault) json.key("fault").text(name_of(row.fault->code));
  json.key("cells").begin_list();
  for (const auto& cell : row.cells) {
    json.begin_list().text(cell.text).boolean(cell.quoted).end();
  }
  json.end().end();
}

std::string rows_of(std::string_view file, char delimiter, std::size_t block_bytes) {
  shopbell::json::Writer json;
  json.begin_list();
  Reader reader{delimiter};
  while (!file.empty()) {
    const std::string block{file.substr(0, block_bytes)};
    reader.feed(block);
    while (const Row* row = reader.next()) write(*row, json);
    file.remove_prefix(block.size());
  }
  reader.finish();
  while (const Row* row = reader.next()) write(*row, json);
  return json.end().finish();
}

}  // namespace

int main() {
  int delimiter = 0;
  std::size_t block_bytes = 0;
  std::size_t file_bytes = 0;
  while (std::cin >> delimiter >> block_bytes >> file_bytes) {
    std::string file(file_bytes, '\0');
    std::cin.ignore(1);  // skips the line break after the line of numbers
    if (!std::cin.read(file.data(), static_cast<std::streamsize>(file_bytes))) return 1;
    std::cout << rows_of(file, static_cast<char>(delimiter), block_bytes) << '\n';
  }
  return 0;
}
