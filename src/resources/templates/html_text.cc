#include "resources/templates/html_text.h"

#include <algorithm>
#include <array>
#include <format>
#include <optional>
#include <span>
#include <utility>

#include "resources/templates/html_reader.h"

namespace shopbell::templates {

namespace {

using Names = std::span<const std::string_view>;

constexpr std::array<std::string_view, 5> kUnseen{"script", "style", "template", "textarea",
                                                  "title"};
constexpr std::array<std::string_view, 12> kVoid{"area",  "base", "br",   "col",    "hr",  "img",
                                                 "input", "link", "meta", "source", "wbr", "embed"};
constexpr std::array<std::string_view, 14> kParagraphs{"blockquote", "h1",      "h2",    "h3", "h4",
                                                       "h5",         "h6",      "hr",    "ol", "p",
                                                       "section",    "article", "table", "ul"};
constexpr std::array<std::string_view, 13> kLines{"address", "body", "center", "dd",     "div",
                                                  "dl",      "dt",   "footer", "header", "head",
                                                  "li",      "nav",  "tr"};

bool is_one_of(Names names, std::string_view name) { return std::ranges::contains(names, name); }

// True if a style or attribute hides the element.
bool is_hidden(const Tag& tag) {
  if (tag.attribute("hidden") != nullptr) return true;
  const std::string* style = tag.attribute("style");
  if (style == nullptr) return false;
  std::string compact;
  for (const char c : *style)
    if (c != ' ' && c != '\t' && c != '\n' && c != '\r') compact += static_cast<char>(c | 0x20);
  return compact.contains("display:none") || compact.contains("visibility:hidden");
}

// Collects the text: white space becomes one space, blocks start on lines of their own.
class Text {
 public:
  void add(std::string_view text) {
    for (const char c : text) {
      if (c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f') {
        space_ = true;
      } else {
        settle();
        text_ += c;
      }
    }
  }
  void space() { space_ = true; }
  // Starts a new line, behind `empty` empty ones.
  void line(std::size_t empty) {
    lines_ = std::max(lines_, empty + 1);
    space_ = false;
  }
  void line_break() {
    ++breaks_;
    space_ = false;
  }

  std::size_t size() const { return text_.size(); }
  std::string_view since(std::size_t start) const {
    return std::string_view{text_}.substr(std::min(start, text_.size()));
  }
  std::string finish() && { return std::move(text_); }

 private:
  // Writes the pending line breaks or space.
  void settle() {
    const std::size_t breaks = std::max(lines_, breaks_);
    if (!text_.empty()) {
      if (breaks > 0) {
        text_.append(breaks, '\n');
      } else if (space_) {
        text_ += ' ';
      }
    }
    lines_ = breaks_ = 0;
    space_ = false;
  }

  std::string text_;
  bool space_ = false;
  std::size_t lines_ = 0;   // pending, because of blocks
  std::size_t breaks_ = 0;  // pending <br>
};

class TextWriter {
 public:
  explicit TextWriter(std::string_view html) : reader_{html} {}

  std::string run() {
    while (auto part = reader_.next()) {
      if (!part->tag) {
        if (hidden_depth_ == 0) text_.add(part->text);
      } else if (hidden_depth_ > 0) {
        skip(*part->tag);
      } else if (part->tag->closes) {
        close(part->tag->name);
      } else {
        open(*part->tag);
      }
    }
    end_link();
    return std::move(text_).finish();
  }

 private:
  struct Link {
    std::string target;
    std::size_t start = 0;
    bool has_image = false;
  };

  void skip(const Tag& tag) {
    if (tag.name == hidden_) tag.closes ? --hidden_depth_ : ++hidden_depth_;
  }

  void open(const Tag& tag) {
    if (is_one_of(kUnseen, tag.name)) return reader_.skip_raw(tag.name);
    const bool contains_nothing = is_one_of(kVoid, tag.name);
    if (is_hidden(tag)) {
      if (contains_nothing) return;
      hidden_ = tag.name;
      hidden_depth_ = 1;
      return;
    }
    start_block(tag.name);
    if (tag.name == "a") start_link(tag);
    if (tag.name == "img") image(tag);
  }

  void start_block(std::string_view name) {
    if (name == "br") return text_.line_break();
    if (name == "td" || name == "th") return text_.space();
    if (is_one_of(kParagraphs, name)) {
      text_.line(1);
    } else if (is_one_of(kLines, name)) {
      text_.line(0);
    }
    if (name == "li") text_.add("- ");
  }

  void close(std::string_view name) {
    if (name == "a") end_link();
    if (name != "br" && name != "td" && name != "th" && name != "li") start_block(name);
    if (name == "li") text_.line(0);
  }

  void start_link(const Tag& tag) {
    end_link();
    const std::string* target = tag.attribute("href");
    if (target != nullptr) link_ = Link{.target = *target, .start = text_.size()};
  }

  // Adds the target behind the link's text, unless nobody can see or open the link.
  void end_link() {
    const auto link = std::exchange(link_, std::nullopt);
    if (!link) return;
    const std::string_view label = text_.since(link->start);
    const bool opens = link->target.starts_with("http://") ||
                       link->target.starts_with("https://") || link->target.starts_with("mailto:");
    const bool is_empty = label.find_first_not_of(" \n") == std::string_view::npos;
    if (!opens || label.contains(link->target) || (is_empty && !link->has_image)) return;
    text_.space();
    text_.add(is_empty ? link->target : std::format("({})", link->target));
  }

  void image(const Tag& tag) {
    if (link_) link_->has_image = true;
    if (const std::string* alternative = tag.attribute("alt")) text_.add(*alternative);
  }

  HtmlReader reader_;
  Text text_;
  std::optional<Link> link_;
  std::string hidden_;  // the name of the hidden element around the place
  std::size_t hidden_depth_ = 0;
};

}  // namespace

std::string html_to_text(std::string_view html) { return TextWriter{html}.run(); }

}  // namespace shopbell::templates
