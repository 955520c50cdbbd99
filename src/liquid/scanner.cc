#include "liquid/scanner.h"

#include <algorithm>
#include <format>

#include "liquid/characters.h"

namespace shopbell::liquid {

namespace {

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '?' || static_cast<unsigned char>(c) >= 0x80;
}

class Scanner {
 public:
  explicit Scanner(std::string_view source) : source_{source} {}

  Scanned run() {
    while (at_ < source_.size() && !scanned_.fault) next();
    return std::move(scanned_);
  }

 private:
  void next() {
    const std::string_view rest = source_.substr(at_);
    if ((rest.starts_with("{%") || rest.starts_with("{{")) && ++marks_ > kMarksMax)
      return fail(at_, std::format("A template has at most {} outputs and tags.", kMarksMax));
    if (rest.starts_with("{%")) return read_tag();
    if (rest.starts_with("{{")) return read_output();
    const std::size_t end = std::min(next_delimiter(at_), source_.size());
    add_text(at_, end);
    at_ = end;
  }

  std::size_t next_delimiter(std::size_t from) const {
    for (std::size_t at = source_.find('{', from); at != npos; at = source_.find('{', at + 1))
      if (at + 1 < source_.size() && (source_[at + 1] == '{' || source_[at + 1] == '%')) return at;
    return npos;
  }

  void add_text(std::size_t begin, std::size_t end) {
    std::string_view text = source_.substr(begin, end - begin);
    if (trim_next_) text.remove_prefix(blanks_at_start(text));
    trim_next_ = false;
    if (!text.empty()) add(Piece::Kind::text, begin, text);
  }

  void add(Piece::Kind kind, std::size_t place, std::string_view content) {
    scanned_.pieces.push_back({kind, static_cast<Place>(place), content});
  }

  void fail(std::size_t place, std::string message) {
    scanned_.fault = SyntaxFault{static_cast<Place>(place), std::move(message)};
  }

  // Adds the piece between `at_` and `end`, where its closing delimiter starts.
  std::string_view add_delimited(Piece::Kind kind, std::size_t end) {
    const std::size_t begin = at_;
    std::string_view content = source_.substr(begin + 2, end - begin - 2);
    const bool trims_before = content.starts_with('-');
    const bool trims_after = content.ends_with('-');
    if (trims_before) content.remove_prefix(1);
    if (trims_after && !content.empty()) content.remove_suffix(1);
    content.remove_prefix(blanks_at_start(content));
    content.remove_suffix(blanks_at_end(content));
    if (trims_before) trim_last_text();
    trim_next_ = trims_after;
    add(kind, begin, content);
    at_ = end + 2;
    return content;
  }

  void trim_last_text() {
    auto& pieces = scanned_.pieces;
    if (pieces.empty() || pieces.back().kind != Piece::Kind::text) return;
    std::string_view& text = pieces.back().content;
    text.remove_suffix(blanks_at_end(text));
  }

  void read_tag() {
    const std::size_t end = source_.find("%}", at_ + 2);
    if (end == npos) return fail(at_, "This tag is not closed: `%}` is missing.");
    const std::size_t begin = at_;
    const std::string_view content = add_delimited(Piece::Kind::tag, end);
    if (content.substr(0, name_length(content)) == "raw") read_raw(begin);
  }

  // The text up to `endraw` is printed as it is, without trimming.
  void read_raw(std::size_t tag) {
    trim_next_ = false;
    for (std::size_t open = source_.find("{%", at_); open != npos;
         open = source_.find("{%", open + 2)) {
      std::string_view content = source_.substr(open + 2);
      if (content.starts_with('-')) content.remove_prefix(1);
      content.remove_prefix(blanks_at_start(content));
      if (!content.starts_with("endraw")) continue;
      const std::string_view rest = content.substr(6);
      if (name_length(rest) > 0 && !rest.starts_with("-%}")) continue;
      const std::size_t end = source_.find("%}", open + 2);
      if (end == npos) break;
      if (open > at_) add(Piece::Kind::text, at_, source_.substr(at_, open - at_));
      at_ = end + 2;
      trim_next_ = source_[end - 1] == '-';
      add(Piece::Kind::tag, open, "endraw");
      return;
    }
    fail(tag, "`raw` is not closed: `{% endraw %}` is missing.");
  }

  void read_output() {
    const std::size_t end = end_of_output(at_ + 2);
    if (end == npos) return fail(at_, "This output is not closed: `}}` is missing.");
    add_delimited(Piece::Kind::output, end);
  }

  // Delimiters inside quotes do not count.
  std::size_t end_of_output(std::size_t from) const {
    for (std::size_t at = from; at + 1 < source_.size(); ++at) {
      const char c = source_[at];
      if (c == '}' && source_[at + 1] == '}') return at;
      if (c == '"' || c == '\'') at = end_of_quote(at);
    }
    return npos;
  }

  // Returns the position of the closing quote, or the end of the source.
  std::size_t end_of_quote(std::size_t open) const {
    std::size_t at = open + 1;
    while (at < source_.size() && source_[at] != source_[open]) at += source_[at] == '\\' ? 2 : 1;
    return std::min(at, source_.size());
  }

  std::string_view source_;
  std::size_t at_ = 0;
  std::size_t marks_ = 0;
  bool trim_next_ = false;
  Scanned scanned_;
};

}  // namespace

std::size_t name_length(std::string_view text) {
  std::size_t length = 0;
  while (length < text.size() && is_name_character(text[length])) {
    const std::string_view rest = text.substr(length);
    if (static_cast<unsigned char>(rest[0]) >= 0x80 && blanks_at_start(rest) > 0) break;
    ++length;
  }
  return length;
}

Scanned scan(std::string_view source) { return Scanner{source}.run(); }

}  // namespace shopbell::liquid
