// Content: what a template says, in one or more locales. A template has numbered versions of its
// content: a draft, and the published ones, which never change.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/time.h"
#include "base/uuid.h"

namespace shopbell::templates {

struct Sender {
  std::optional<std::string> name;
  std::optional<std::string> email;
  std::optional<std::string> reply_to;
};

// The parts of a mail in one locale. All but `mjml` are Liquid.
struct LocaleContent {
  std::optional<std::string> subject;
  std::optional<std::string> preheader;
  std::optional<std::string> html;
  std::optional<std::string> text;  // without it, the text is derived from the HTML
  std::optional<std::string> mjml;  // the source of the HTML; stored only
};

struct Content {
  Uuid id;            // of the template
  std::string alias;  // of the template
  std::int64_t version = 1;
  std::string status = "draft";  // "draft", "published" or "superseded"
  std::string message_class = "marketing";
  Sender sender;
  std::optional<std::string> default_locale;
  std::map<std::string, LocaleContent> locales;  // by BCP 47 tag
  Instant created_at;
  std::optional<Instant> published_at;
};

}  // namespace shopbell::templates
