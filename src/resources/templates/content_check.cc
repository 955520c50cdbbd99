#include "resources/templates/content_check.h"

#include <format>

#include "base/problem.h"

namespace shopbell::templates {

namespace {

void refuse_part(json::Reading& reading, const PartFault& found) {
  const json::Reading::Place locales{reading, "locales"};
  const json::Reading::Place locale{reading, found.locale};
  const json::Reading::Place part{reading, found.part};
  const auto& [line, column, message] = found.fault;
  reading.refuse_line("invalid-liquid", std::format("{}:{}: {}", line, column, message), line,
                      column);
}

void check_default_locale(json::Reading& reading, Content& content) {
  if (content.default_locale) {
    if (!content.locales.contains(*content.default_locale))
      reading.refuse_at("defaultLocale", "unknown-reference", "Is not one of the locales.");
  } else if (content.locales.size() > 1) {
    reading.refuse_at("defaultLocale", "required", "Name one of the locales.");
  } else if (!content.locales.empty()) {
    content.default_locale = content.locales.begin()->first;
  }
}

bool is_blank(const std::optional<std::string>& text) {
  return !text || text->find_first_not_of(" \t\r\n") == std::string::npos;
}

void check_locale(json::Reading& reading, const LocaleContent& sources,
                  const CompiledLocale& compiled, bool is_marketing) {
  if (is_blank(sources.subject)) reading.refuse_at("subject", "required", "A mail has a subject.");
  if (is_blank(sources.html) && is_blank(sources.text))
    reading.refuse_at("html", "required", "A mail has an HTML or a text part.");
  if (!is_marketing) return;
  for (const auto& part : parts_without_unsubscribe_link(compiled))
    reading.refuse_at(part, "no-unsubscribe-link",
                      "Must show {{ unsubscribe_url }}, such as <a href=\"{{ unsubscribe_url "
                      "}}\">Unsubscribe</a>, outside of conditions and hidden elements.");
}

}  // namespace

void check_content(json::Reading& reading, Content& content) {
  check_default_locale(reading, content);
  const auto compiled = compile(content);
  if (compiled) return;
  for (const auto& fault : compiled.error()) refuse_part(reading, fault);
}

void check_publishable(json::Reading& reading, const Content& content) {
  const auto compiled = compile(content);
  if (!compiled) {
    for (const auto& fault : compiled.error()) refuse_part(reading, fault);
    return;
  }
  if (content.locales.empty())
    return reading.refuse_at("locales", "required", "A mail has at least one locale.");
  const json::Reading::Place locales{reading, "locales"};
  for (const auto& [name, sources] : content.locales) {
    const json::Reading::Place locale{reading, name};
    check_locale(reading, sources, compiled->locales.at(name),
                 content.message_class == "marketing");
  }
}

void check_new_content(json::Reading& reading, Template& message) {
  const json::Reading::Place place{reading, "content"};
  if (message.content) check_content(reading, *message.content);
}

void check_new_publishable(json::Reading& reading, const Template& message) {
  const json::Reading::Place place{reading, "content"};
  if (message.content) check_publishable(reading, *message.content);
}

void refuse_invalid(const json::Reading& reading) {
  const auto& faults = reading.faults();
  if (faults.empty()) return;
  throw Problem{Code::template_invalid,
                faults.size() == 1 ? std::format("{}: {}", faults[0].at, faults[0].detail)
                                   : std::format("The template has {} faults.", faults.size()),
                faults};
}

void refuse_rendering(const PartFault& fault) {
  json::Reading reading;
  refuse_part(reading, fault);
  throw Problem{Code::template_invalid,
                std::format("{}: {}", reading.faults()[0].at, reading.faults()[0].detail),
                reading.faults()};
}

}  // namespace shopbell::templates
