// CompiledContent: a content with its Liquid compiled, ready to be rendered often. Pure: previews
// and the sender render with the same function, from the same input to the same mail.
#pragma once

#include <expected>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "liquid/render.h"
#include "liquid/template.h"
#include "resources/templates/content.h"

namespace shopbell::templates {

struct CompiledLocale {
  std::optional<liquid::Template> subject;
  std::optional<liquid::Template> preheader;
  std::optional<liquid::Template> html;
  std::optional<liquid::Template> text;
};

struct CompiledContent {
  std::string default_locale;
  std::map<std::string, CompiledLocale> locales;
};

// An error in one part, such as "html", of one locale.
struct PartFault {
  std::string locale;
  std::string part;
  liquid::Fault fault;
};

// Returns all faults of all parts if one of them does not compile.
std::expected<CompiledContent, std::vector<PartFault>> compile(const Content& content);

// The locale for a contact: its own, else its language, else the default. `wanted` may be empty.
// The content must have a locale.
std::string choose_locale(const CompiledContent& content, std::string_view wanted);

struct RenderedMail {
  std::string locale;
  std::string subject;
  std::string preheader;
  std::optional<std::string> html;  // with the preheader, which mail programs hide
  std::string text;
  bool is_text_derived = false;
  std::vector<std::string> products_asked;  // see liquid::Rendered
};

// Renders the parts in one of the content's locales, which replaces that of the context.
std::expected<RenderedMail, PartFault> render(const CompiledContent& content,
                                              const std::string& locale, const liquid::Data& data,
                                              liquid::Context context);

// The parts, "html" and "text", that do not show the link to unsubscribe when there are no data.
std::vector<std::string> parts_without_unsubscribe_link(const CompiledLocale& locale);

}  // namespace shopbell::templates
