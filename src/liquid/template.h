// Template: the source of one part of a mail, compiled once per version and then rendered often.
// Immutable and cheap to copy; threads may share one.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "liquid/fault.h"

namespace shopbell::liquid {

// HTML escapes values. The others do not; in a subject each line break becomes a space. A preheader
// compiles as `text`.
enum class Part { html, subject, text };

inline constexpr std::size_t kSourceBytesMax = std::size_t{512} * 1024;
inline constexpr std::size_t kMarksMax = 20'000;  // outputs and tags of a template
inline constexpr std::size_t kNestingMax = 32;  // blocks, brackets and operators within each other
inline constexpr std::size_t kFaultsMax = 20;   // of one source; the others are not listed

struct Options {
  Part part = Part::html;
  // The names that a template may read without assigning them.
  std::vector<std::string_view> roots = {"contact",        "store", "trigger",  "event",
                                         "vars",           "run",   "products", "unsubscribe_url",
                                         "preferences_url"};
};

struct Compiled;

class Template {
 public:
  explicit Template(std::shared_ptr<const Compiled> compiled) : compiled_{std::move(compiled)} {}

  // Whether the template mentions that root: marketing needs `unsubscribe_url`.
  bool reads(std::string_view root) const;

  const Compiled& compiled() const { return *compiled_; }

 private:
  std::shared_ptr<const Compiled> compiled_;
};

// Returns all faults of the source, by place; at least one if it does not compile.
std::expected<Template, std::vector<Fault>> compile(std::string source, const Options& options);

}  // namespace shopbell::liquid
