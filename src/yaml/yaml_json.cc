#include "yaml/yaml_json.h"

#include <format>
#include <set>

#include <yaml-cpp/yaml.h>

#include "base/text.h"
#include "json/document.h"
#include "json/reading.h"
#include "json/writer.h"

namespace shopbell::yaml {

namespace {

constexpr std::size_t kLevels = 32;  // as in JSON bodies

// Thrown to end the conversion.
struct Refusal {
  std::size_t line;
  std::string why;
};

std::size_t line_of(const YAML::Mark& mark) {
  return mark.line < 0 ? 1 : static_cast<std::size_t>(mark.line) + 1;
}

// Takes digits from the start of the text; returns their number.
std::size_t take_digits(std::string_view& text) {
  std::size_t digits = 0;
  while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') ++digits;
  text.remove_prefix(digits);
  return digits;
}

bool take(std::string_view& text, std::string_view any_of) {
  if (text.empty() || !any_of.contains(text.front())) return false;
  text.remove_prefix(1);
  return true;
}

bool is_number(std::string_view text) {
  take(text, "-");
  const bool leading_zero = text.starts_with('0');
  const std::size_t digits = take_digits(text);
  if (digits == 0 || (leading_zero && digits > 1)) return false;
  if (take(text, ".") && take_digits(text) == 0) return false;
  if (take(text, "eE")) {
    take(text, "+-");
    if (take_digits(text) == 0) return false;
  }
  return text.empty();
}

class Converter {
 public:
  explicit Converter(std::size_t bytes_max) : bytes_max_{bytes_max} {}

  Json convert(const YAML::Node& root) {
    write(root, "", 1);
    return {.text = writer_.finish(), .lines = std::move(lines_)};
  }

 private:
  void write(const YAML::Node& node, const std::string& pointer, std::size_t level) {
    const std::size_t line = yaml::line_of(node.Mark());
    lines_.emplace(pointer, line);
    count(4, line);
    if (level > kLevels) throw Refusal{line, std::format("Has more than {} levels.", kLevels)};
    if (!node.Tag().empty() && node.Tag() != "!" && node.Tag() != "?")
      throw Refusal{line, std::format("The tag {} is not supported.", node.Tag())};
    if (node.IsMap()) {
      write_map(node, pointer, level);
    } else if (node.IsSequence()) {
      writer_.begin_list();
      std::size_t index = 0;
      for (const auto& element : node)
        write(element, json::pointer_to(pointer, std::to_string(index++)), level + 1);
      writer_.end();
    } else if (node.IsScalar()) {
      write_scalar(node, line);
    } else {
      writer_.null();
    }
  }

  void write_map(const YAML::Node& node, const std::string& pointer, std::size_t level) {
    std::set<std::string, std::less<>> names;
    writer_.begin_object();
    for (const auto& member : node) {
      const std::size_t line = yaml::line_of(member.first.Mark());
      if (!member.first.IsScalar()) throw Refusal{line, "The name of a member must be a text."};
      const std::string& name = member.first.Scalar();
      if (!names.insert(name).second)
        throw Refusal{line, std::format("The member {} is repeated.", name)};
      count_text(name, line);
      writer_.key(name);
      const std::string inner = json::pointer_to(pointer, name);
      lines_.emplace(inner, line);  // the line of the name, not of a value that begins below it
      write(member.second, inner, level + 1);
    }
    writer_.end();
  }

  void write_scalar(const YAML::Node& node, std::size_t line) {
    const std::string& text = node.Scalar();
    const bool is_quoted = node.Tag() == "!";
    count_text(text, line);
    if (!is_quoted && (text == "true" || text == "false")) {
      writer_.boolean(text == "true");
    } else if (!is_quoted && is_number(text)) {
      writer_.written(text);
    } else {
      writer_.text(text);
    }
  }

  void count_text(const std::string& text, std::size_t line) {
    if (!is_utf8(text)) throw Refusal{line, "Is not UTF-8."};
    count(text.size() + 3, line);
  }

  // Aliases let a short text stand for a very long one.
  void count(std::size_t bytes, std::size_t line) {
    bytes_ += bytes;
    if (bytes_ > bytes_max_)
      throw Refusal{line, std::format("The file has more than {} bytes as JSON.", bytes_max_)};
  }

  const std::size_t bytes_max_;
  std::size_t bytes_ = 0;
  json::Writer writer_;
  std::map<std::string, std::size_t, std::less<>> lines_;
};

std::expected<Json, Malformed> convert(std::string_view yaml, std::size_t bytes_max) {
  try {
    const auto documents = YAML::LoadAll(std::string{yaml});
    if (documents.empty()) return std::unexpected{Malformed{1, "The file is empty."}};
    if (documents.size() > 1)
      return std::unexpected{Malformed{line_of(documents[1].Mark()),
                                       "The file has several documents; it may have one."}};
    return Converter{bytes_max}.convert(documents.front());
  } catch (const Refusal& refusal) {
    return std::unexpected{Malformed{refusal.line, refusal.why}};
  } catch (const YAML::Exception& error) {
    return std::unexpected{Malformed{line_of(error.mark), "Is not YAML: " + error.msg + "."}};
  }
}

}  // namespace

std::size_t Json::line_of(std::string_view pointer) const {
  while (true) {
    if (const auto found = lines.find(pointer); found != lines.end()) return found->second;
    if (pointer.empty()) return 1;
    pointer = pointer.substr(0, pointer.rfind('/'));
  }
}

std::expected<Json, Malformed> to_json(std::string_view yaml, std::size_t json_bytes_max) {
  auto converted = convert(yaml, json_bytes_max);
  // JSON has escapes that YAML lacks, so it is taken as it is; YAML has only found its lines.
  if (yaml.size() <= json_bytes_max && json::Document::parse(yaml))
    return Json{.text = std::string{yaml},
                .lines = converted ? std::move(converted->lines) : Json{}.lines};
  return converted;
}

}  // namespace shopbell::yaml
