// Records: reads a file as a sequence of records with their positions. A record is a CSV row, the
// CSV rows of one purchase, or an NDJSON line. Only the part being read is in memory.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "resources/imports/header.h"
#include "resources/imports/import.h"
#include "resources/imports/source.h"

namespace shopbell::imports {

struct Record {
  std::int64_t row = 0;            // 1-based number of the first row, not counting the header
  std::vector<std::string> lines;  // text of the rows as in the file
  std::uint64_t end = 0;           // offset in the file after the record
  std::string json;                // JSON object of the record
  std::optional<RowError> fault;   // set if the record cannot be read
  std::int64_t left_out = 0;       // number of further rows, whose text is not kept

  std::int64_t rows() const { return std::ssize(lines) + left_out; }
};

class Records {
 public:
  // `grouped` is a column: adjacent rows with the same value form one record with a list of lines.
  // Empty: each row is a record.
  Records(storage::Storage& storage, const Import& import, FindKind find, std::string grouped = "");
  ~Records();
  Records(const Records&) = delete;
  Records& operator=(const Records&) = delete;

  // Reads the header, and continues at the position that an earlier attempt reached. Throws the
  // Problem that makes the whole file unusable.
  boost::asio::awaitable<void> open(std::int64_t position, std::int64_t row);

  // Returns up to `most` records, and stops soon after `bytes`. Empty at the end of the file.
  boost::asio::awaitable<std::vector<Record>> next(std::size_t most, std::size_t bytes);

  // Null if the file is not CSV.
  const Header* header() const { return header_ ? &*header_ : nullptr; }
  char delimiter() const { return delimiter_; }

 private:
  boost::asio::awaitable<void> read_header();
  void take_row(const csv::Row& row);
  void take_broken(Record record);
  void add_row(const csv::Row& row);
  std::string line_of(const csv::Row& row) const;
  void take_line(std::string_view line, std::uint64_t end);
  void start_record(const csv::Row& row, std::string group);
  void add_element(std::span<const csv::Cell> cells);
  void end_group();
  bool parse(std::size_t most, std::size_t bytes);
  bool parse_csv(std::size_t most, std::size_t bytes);
  bool parse_lines(std::size_t most, std::size_t bytes);
  void keep(Record record);

  Source source_;
  const bool csv_;
  std::optional<char> delimiter_option_;
  const FindKind find_;
  const std::string grouped_;

  std::optional<Header> header_;
  bool from_report_ = false;  // the file is a report of an earlier import
  char delimiter_ = ',';
  bool past_header_ = false;
  std::unique_ptr<csv::Reader> reader_;
  std::string block_;
  std::string line_;       // start of an NDJSON line that continues in the next block
  bool too_long_ = false;  // line_ exceeds the limit; its text is dropped
  std::uint64_t position_ = 0;
  std::int64_t row_ = 0;
  bool ended_ = false;

  // The unfinished record, which the next rows may belong to.
  struct Group {
    Record record;
    std::string name;
    std::string members;  // members of a JSON object
    std::string elements;
    std::size_t bytes = 0;
  };
  std::optional<Group> group_;
  std::vector<Record> broken_;  // unreadable rows after the group that may belong to it
  std::size_t broken_bytes_ = 0;

  std::vector<Record> ready_;
  std::size_t ready_bytes_ = 0;
};

}  // namespace shopbell::imports
