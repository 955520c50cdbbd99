#include "resources/templates/compiled_content.h"

#include <algorithm>
#include <format>
#include <iterator>

#include "base/text.h"
#include "json/document.h"
#include "liquid/escape.h"
#include "resources/templates/html_reader.h"
#include "resources/templates/html_text.h"

namespace shopbell::templates {

namespace {

struct PartKind {
  std::string_view name;
  std::optional<std::string> LocaleContent::* source;
  std::optional<liquid::Template> CompiledLocale::* compiled;
  liquid::Part part;
};

constexpr PartKind kParts[] = {
    {"subject", &LocaleContent::subject, &CompiledLocale::subject, liquid::Part::subject},
    {"preheader", &LocaleContent::preheader, &CompiledLocale::preheader, liquid::Part::text},
    {"html", &LocaleContent::html, &CompiledLocale::html, liquid::Part::html},
    {"text", &LocaleContent::text, &CompiledLocale::text, liquid::Part::text}};

// The position behind the start tag of the body, or the start.
std::size_t start_of_body(std::string_view html) {
  const std::string lower = lower_ascii(html);
  const std::size_t body = lower.find("<body");
  if (body == std::string::npos) return 0;
  const std::size_t end = lower.find('>', body);
  return end == std::string::npos ? 0 : end + 1;
}

// Mail programs show the first text of the HTML behind the subject.
std::string with_preheader(std::string html, std::string_view preheader) {
  if (preheader.empty()) return html;
  std::string hidden = R"(<div style="display:none;max-height:0;overflow:hidden">)";
  liquid::append_escaped(hidden, preheader);
  hidden += "</div>";
  return html.insert(start_of_body(html), hidden);
}

// Renders the parts of one mail, and stops at the first fault.
class MailRenderer {
 public:
  MailRenderer(std::string locale, const liquid::Data& data, const liquid::Context& context)
      : locale_{std::move(locale)}, data_{data}, context_{context} {}

  // Returns an empty text if there is no such part, or after a fault.
  std::string part(std::string_view name, const std::optional<liquid::Template>& compiled) {
    if (!compiled || fault_) return {};
    auto rendered = liquid::render(*compiled, data_, context_);
    if (!rendered) {
      fault_ = PartFault{locale_, std::string{name}, std::move(rendered.error())};
      return {};
    }
    for (auto& id : rendered->products_asked)
      if (!std::ranges::contains(products_asked_, id)) products_asked_.push_back(std::move(id));
    return std::move(rendered->text);
  }

  std::optional<PartFault>& fault() { return fault_; }
  std::vector<std::string>& products_asked() { return products_asked_; }

 private:
  std::string locale_;
  const liquid::Data& data_;
  const liquid::Context& context_;
  std::optional<PartFault> fault_;
  std::vector<std::string> products_asked_;
};

}  // namespace

std::expected<CompiledContent, std::vector<PartFault>> compile(const Content& content) {
  CompiledContent compiled;
  std::vector<PartFault> faults;
  for (const auto& [locale, sources] : content.locales) {
    CompiledLocale& parts = compiled.locales[locale];
    for (const auto& kind : kParts) {
      const auto& source = sources.*kind.source;
      if (!source) continue;
      auto result = liquid::compile(*source, {.part = kind.part});
      if (result) {
        parts.*kind.compiled = std::move(*result);
        continue;
      }
      for (auto& fault : result.error())
        faults.push_back({locale, std::string{kind.name}, std::move(fault)});
    }
  }
  if (!faults.empty()) return std::unexpected{std::move(faults)};
  if (content.default_locale) {
    compiled.default_locale = *content.default_locale;
  } else if (!compiled.locales.empty()) {
    compiled.default_locale = compiled.locales.begin()->first;
  }
  return compiled;
}

std::string choose_locale(const CompiledContent& content, std::string_view wanted) {
  const std::string_view language = wanted.substr(0, wanted.find('-'));
  for (const auto tag : {wanted, language}) {
    const auto found = std::ranges::find_if(content.locales, [&](const auto& locale) {
      return lower_ascii(locale.first) == lower_ascii(tag);
    });
    if (found != content.locales.end()) return found->first;
  }
  return content.default_locale;
}

std::expected<RenderedMail, PartFault> render(const CompiledContent& content,
                                              const std::string& locale, const liquid::Data& data,
                                              liquid::Context context) {
  const CompiledLocale& parts = content.locales.at(locale);
  context.locale = locale;
  MailRenderer renderer{locale, data, context};
  RenderedMail mail{.locale = locale, .subject = renderer.part("subject", parts.subject)};
  mail.preheader = renderer.part("preheader", parts.preheader);
  const std::string html = renderer.part("html", parts.html);
  mail.text = renderer.part("text", parts.text);
  if (renderer.fault()) return std::unexpected{std::move(*renderer.fault())};
  if (!parts.text && parts.html) {
    mail.text = html_to_text(html);
    mail.is_text_derived = true;
  }
  if (parts.html) mail.html = with_preheader(html, mail.preheader);
  mail.products_asked = std::move(renderer.products_asked());
  return mail;
}

std::vector<std::string> parts_without_unsubscribe_link(const CompiledLocale& locale) {
  constexpr std::string_view kLink = "https://shown.invalid/unsubscribe";
  const auto link = json::Document::parse(std::format("\"{}\"", kLink));
  liquid::Data data;
  data.roots.emplace("unsubscribe_url", link->root());
  LocalFormats formats;
  const auto shows = [&](const liquid::Template& part, bool is_html) {
    const auto rendered = liquid::render(part, data, {.formats = formats, .now = Instant{}});
    // Without data, some templates cannot be rendered: they divide by a number of the data.
    if (!rendered) return part.reads("unsubscribe_url");
    return (is_html ? html_to_text(rendered->text) : rendered->text).contains(kLink);
  };
  std::vector<std::string> missing;
  if (locale.html && !shows(*locale.html, true)) missing.emplace_back("html");
  if (locale.text && !shows(*locale.text, false)) missing.emplace_back("text");
  return missing;
}

}  // namespace shopbell::templates
