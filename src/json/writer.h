// Writer: one JSON text, written member by member. Text handed in must be UTF-8.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace shopbell::json {

class Writer {
 public:
  Writer& begin_object() { return begin('{', '}'); }
  Writer& begin_list() { return begin('[', ']'); }
  Writer& end();
  // The name of the next value; inside objects only.
  Writer& key(std::string_view name);

  Writer& text(std::string_view value);
  Writer& integer(std::int64_t value);
  Writer& boolean(bool value) { return written(value ? "true" : "false"); }
  Writer& null() { return written("null"); }
  // JSON from anywhere; it stands here without the blanks between its values.
  Writer& json(std::string_view value);
  // JSON that a Writer or Value::to_json() wrote, as it is.
  Writer& written(std::string_view value);

  enum class Layout { compact, indented };
  // All of it; the writer is empty then.
  std::string finish(Layout layout = Layout::compact);

 private:
  Writer& begin(char open, char close);
  void separate();

  std::string json_;
  std::string open_;  // what closes each list and object that is open
};

// A text in quotes behind what is there already. Throws when it is not UTF-8.
void append_quoted(std::string& json, std::string_view text);

}  // namespace shopbell::json
