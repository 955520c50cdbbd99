// Writer: builds one JSON text member by member. All texts must be UTF-8.
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
  // The name of the next value; only inside an object.
  Writer& key(std::string_view name);

  Writer& text(std::string_view value);
  Writer& integer(std::int64_t value);
  Writer& boolean(bool value) { return written(value ? "true" : "false"); }
  Writer& null() { return written("null"); }
  // Any valid JSON; written without the blanks between its values.
  Writer& json(std::string_view value);
  // JSON that a Writer or Value::to_json() wrote; copied unchanged.
  Writer& written(std::string_view value);

  enum class Layout { compact, indented };
  // Returns the text and empties the writer.
  std::string finish(Layout layout = Layout::compact);

 private:
  Writer& begin(char open, char close);
  void separate();

  std::string json_;
  std::string open_;  // closing brackets of all open lists and objects
};

// Appends the text in quotes to `json`. Throws when the text is not UTF-8.
void append_quoted(std::string& json, std::string_view text);

}  // namespace shopbell::json
