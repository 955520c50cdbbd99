// HtmlReader: splits HTML into tags and texts. It accepts any text and reads each byte once.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shopbell::templates {

struct Tag {
  std::string name;  // in lower case
  bool closes = false;
  std::vector<std::pair<std::string, std::string>> attributes;  // names in lower case

  // The value of an attribute; nullptr if the tag does not have it.
  const std::string* attribute(std::string_view attribute_name) const;
};

struct HtmlPart {
  std::optional<Tag> tag;
  std::string text;  // without entities; only if there is no tag
};

class HtmlReader {
 public:
  explicit HtmlReader(std::string_view html) : html_{html} {}

  // Returns the next tag or text; nullopt at the end. Skips comments and declarations.
  std::optional<HtmlPart> next();
  // Skips to the end of the element whose start tag was read last: its content is not HTML.
  void skip_raw(std::string_view name);

 private:
  bool skip_declaration();
  Tag read_tag();
  std::pair<std::string, std::string> read_attribute();
  void skip_spaces();
  bool at_end() const { return at_ >= html_.size(); }

  std::string_view html_;
  std::size_t at_ = 0;
};

// Replaces entities by their characters; unknown ones stay.
std::string without_entities(std::string_view html);

}  // namespace shopbell::templates
