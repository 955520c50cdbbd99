#include "scan.h"

#include <algorithm>
#include <cctype>

#include "match.h"
#include "tree.h"

namespace shopbell::house {

namespace {

constexpr auto kNone = std::string_view::npos;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Returns the word that ends before `at`: the prefix of a literal, or the digits before a
// separator.
std::string_view word_before(std::string_view text, std::size_t at) {
  std::size_t start = at;
  while (start > 0 && (is_word(text[start - 1]) || text[start - 1] == '\'')) --start;
  return text.substr(start, at - start);
}

std::size_t after(std::string_view text, std::string_view what, std::size_t from) {
  const std::size_t at = text.find(what, from);
  return at == kNone ? text.size() : at + what.size();
}

std::size_t end_of_literal(std::string_view text, std::size_t start) {
  for (std::size_t i = start + 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == text[start]) {
      return i + 1;
    }
  }
  return text.size();
}

// Returns the end of the comment or literal that starts at `at`, or `at` if none starts there.
std::size_t end_of_prose(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  if (rest.starts_with("//")) return std::min(text.find('\n', at), text.size());
  if (rest.starts_with("/*")) return after(text, "*/", at + 2);
  if (rest.starts_with('"')) {
    if (!word_before(text, at).ends_with('R')) return end_of_literal(text, at);
    const std::size_t paren = std::min(text.find('(', at), text.size());
    return after(text, ")" + std::string{text.substr(at + 1, paren - at - 1)} + "\"", paren);
  }
  if (rest.starts_with('\'')) {
    const std::string_view before = word_before(text, at);
    const bool separator =
        !before.empty() && std::isdigit(static_cast<unsigned char>(before[0])) != 0;
    return separator ? at : end_of_literal(text, at);
  }
  return at;
}

void blank(std::string& text, std::size_t start, std::size_t end) {
  for (std::size_t i = start; i < end; ++i) {
    if (text[i] != '\n') text[i] = ' ';
  }
}

// Blanks preprocessor directives, because macros may contain unbalanced braces.
void blank_directives(std::string& code) {
  bool directive = false;
  std::size_t start = 0;
  while (start < code.size()) {
    const std::size_t end = std::min(code.find('\n', start), code.size());
    const std::string_view line = trimmed(std::string_view{code}.substr(start, end - start));
    const bool goes_on = line.ends_with('\\');
    directive = directive || line.starts_with('#');
    if (directive) blank(code, start, end);
    directive = directive && goes_on;
    start = end + 1;
  }
}

// Returns a function or class header in one line, without angle brackets and their content. The
// parentheses of std::function<void(int)> are not a parameter list, and the `class` of a template
// parameter starts no class.
std::string without_angles(std::string_view header) {
  std::string plain;
  std::vector<std::size_t> opened;
  for (std::size_t i = 0; i < header.size(); ++i) {
    if (header.substr(i).starts_with("->")) {
      ++i;
      plain.push_back(' ');
    } else if (header[i] == '>' && !opened.empty()) {
      plain.resize(opened.back());
      opened.pop_back();
    } else if (is_word(header[i]) || std::ispunct(static_cast<unsigned char>(header[i])) != 0) {
      if (header[i] == '<') opened.push_back(plain.size());
      plain.push_back(header[i]);
    } else if (!plain.ends_with(' ')) {
      plain.push_back(' ');
    }
  }
  return std::string{trimmed(plain)};
}

bool names_a_type(std::string_view text) {
  return std::ranges::any_of(std::vector<std::string_view>{"class", "struct", "union", "enum"},
                             [&](std::string_view word) { return find_word(text, word) != kNone; });
}

enum class Block {
  outer,  // the braces of a namespace, type or table, which may contain functions
  inner,  // braces in a header: a default argument or a member's initialiser
  function,
};

Block kind_of_block(std::string_view whole_header) {
  const std::string header = without_angles(whole_header);
  if (has_match(header, R"((^|[=(,]|return) ?\[[^\[\]]*\] ?(\(|mutable|$))"))
    return Block::function;
  if (std::ranges::count(header, '(') > std::ranges::count(header, ')')) return Block::inner;
  if (!header.contains('(')) return Block::outer;
  if (std::string_view{"=,"}.contains(header.back())) return Block::outer;
  // Type headers may have parentheses too: struct alignas(8) Row, template <…> requires (…) struct
  // Row.
  const std::string_view view = header;
  if (names_a_type(view.substr(0, view.find('('))) || names_a_type(view.substr(view.rfind(')')))) {
    return Block::outer;
  }
  const bool member = is_word(header.back()) && has_match(header, R"(\)[ \w]*:[^:])");
  return member ? Block::inner : Block::function;
}

std::size_t end_of_block(std::string_view code, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < code.size(); ++i) {
    if (code[i] == '{') ++depth;
    if (code[i] == '}' && --depth == 0) return i;
  }
  return code.size() - 1;
}

Function function_at(std::string_view code, std::size_t start, std::size_t open,
                     std::size_t close) {
  std::string_view header = trimmed(code.substr(start, open - start));
  for (const std::string_view access : {"public:", "protected:", "private:"}) {
    if (header.starts_with(access)) header = trimmed(header.substr(access.size()));
  }
  const auto first = line_at(code, static_cast<std::size_t>(header.data() - code.data()));
  const auto names = matches(without_angles(header), R"((operator ?[^\w ]+?|[\w:~]+) ?\()");
  return {.name = names.empty() ? "lambda" : names[0].parts[1],
          .line = first,
          .length = line_at(code, close) - first + 1};
}

}  // namespace

std::string code_only(std::string_view text) {
  std::string code{text};
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t end = end_of_prose(text, i);
    blank(code, i, end);
    i = std::max(end, i + 1);
  }
  return code;
}

std::vector<Include> includes_of(std::string_view text) {
  const std::string code = code_only(text);
  const auto plain = lines_of(text);
  const auto bare = lines_of(code);  // without comments and strings, to skip includes inside them
  const std::string pattern = R"rx(^\s*#\s*include\s*([<"])([^>"]+))rx";

  std::vector<Include> includes;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    if (!trimmed(bare[i]).starts_with('#')) continue;
    for (const auto& [at, parts] : matches(plain[i], pattern)) {
      includes.push_back({.target = parts[2], .line = i + 1, .quoted = parts[1] == "\""});
    }
  }
  return includes;
}

std::vector<Function> functions_of(std::string_view text) {
  std::string code = code_only(text);
  blank_directives(code);

  std::vector<Function> functions;
  std::size_t start = 0;  // offset at which the current function or class header starts
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (code[i] == ';' || code[i] == '}') start = i + 1;
    if (code[i] != '{') continue;
    const Block block = kind_of_block(std::string_view{code}.substr(start, i - start));
    if (block == Block::outer) {
      start = i + 1;
      continue;
    }
    const std::size_t close = end_of_block(code, i);
    if (block == Block::function) {
      functions.push_back(function_at(code, start, i, close));
      start = close + 1;
    }
    i = close;
  }
  return functions;
}

}  // namespace shopbell::house
