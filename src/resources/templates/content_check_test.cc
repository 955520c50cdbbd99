#include "resources/templates/content_check.h"

#include <format>

#include <gtest/gtest.h>

#include "base/problem.h"

namespace shopbell::templates {
namespace {

constexpr std::string_view kLink = "<a href=\"{{ unsubscribe_url }}\">Unsubscribe</a>";

// The faults as "pointer code" or "pointer code line:column", one a line.
std::string faults_in(const json::Reading& reading) {
  std::string text;
  for (const auto& fault : reading.faults()) {
    text += std::format("{}{} {}", text.empty() ? "" : "\n", fault.at, fault.code);
    if (fault.line > 0) text += std::format(" {}:{}", fault.line, fault.column);
  }
  return text;
}

std::string faults_on_save(Content& content) {
  json::Reading reading;
  check_content(reading, content);
  return faults_in(reading);
}

std::string faults_on_publishing(const Content& content) {
  json::Reading reading;
  check_publishable(reading, content);
  return faults_in(reading);
}

Content content_with(std::string html) {
  Content content;
  content.default_locale = "en";
  content.locales["en"] = {
      .subject = "Hello", .preheader = {}, .html = std::move(html), .text = {}, .mjml = {}};
  return content;
}

TEST(TemplateContent, reports_every_liquid_fault_with_line_and_column) {
  Content content = content_with("<p>\n{{ contact.firstName | upcsae }}\n{{ contcat.x }}");
  content.locales["de"] = {.subject = "Hallo {{",
                           .preheader = "{% zzz %}",
                           .html = {},
                           .text = "{{ 1 | plus }}",
                           .mjml = "{{ not read"};
  EXPECT_EQ(faults_on_save(content),
            "/locales/de/subject invalid-liquid 1:7\n"
            "/locales/de/preheader invalid-liquid 1:1\n"
            "/locales/de/text invalid-liquid 1:8\n"
            "/locales/en/html invalid-liquid 2:24\n"
            "/locales/en/html invalid-liquid 3:4");
}

TEST(TemplateContent, needs_a_default_locale_only_if_there_are_several) {
  Content content;
  EXPECT_EQ(faults_on_save(content), "");
  content.locales["de"] = {};
  EXPECT_EQ(faults_on_save(content), "");
  EXPECT_EQ(content.default_locale, "de");
  content.locales["en"] = {};
  EXPECT_EQ(faults_on_save(content), "");
  content.default_locale.reset();
  EXPECT_EQ(faults_on_save(content), "/defaultLocale required");
  content.default_locale = "fr";
  EXPECT_EQ(faults_on_save(content), "/defaultLocale unknown-reference");
}

TEST(TemplateContent, is_published_with_a_subject_and_a_body) {
  EXPECT_EQ(faults_on_publishing(Content{}), "/locales required");
  Content content = content_with(" ");
  content.locales["en"].subject.reset();
  EXPECT_EQ(faults_on_publishing(content),
            "/locales/en/subject required\n"
            "/locales/en/html required\n"
            "/locales/en/html no-unsubscribe-link");
  content.message_class = "transactional";
  content.locales["en"] = {
      .subject = "Hello", .preheader = {}, .html = {}, .text = "Hello", .mjml = {}};
  EXPECT_EQ(faults_on_publishing(content), "");
}

TEST(TemplateContent, shows_the_unsubscribe_link_in_marketing) {
  const auto faults_of_html = [](std::string_view format) {
    return faults_on_publishing(content_with(std::string{format}));
  };
  const std::string link{kLink};
  EXPECT_EQ(faults_of_html(link), "");
  EXPECT_EQ(faults_of_html("{{ unsubscribe_url }}"), "");
  EXPECT_EQ(faults_of_html("{% if contact.vip %}" + link + "{% else %}" + link + "{% endif %}"),
            "");
  // A template that divides by a number of the data cannot be judged without data.
  EXPECT_EQ(faults_of_html("{{ 1 | divided_by: contact.points }}" + link), "");
  const std::string missing = "/locales/en/html no-unsubscribe-link";
  const std::vector<std::string> hidden{"Hello",
                                        "<!-- " + link + " -->",
                                        "{% comment %}" + link + "{% endcomment %}",
                                        "<div style=\"display: none\">" + link + "</div>",
                                        "<a href=\"{{ unsubscribe_url }}\"></a>",
                                        "{% if contact.vip %}" + link + "{% endif %}",
                                        "<style>" + link + "</style>"};
  for (const auto& html : hidden) EXPECT_EQ(faults_of_html(html), missing) << html;
  // A text part of its own must show it too.
  Content content = content_with(link);
  content.locales["en"].text = "Hello";
  EXPECT_EQ(faults_on_publishing(content), "/locales/en/text no-unsubscribe-link");
}

TEST(TemplateContent, of_a_new_template_has_faults_below_content) {
  json::Reading reading;
  Template message;
  check_new_content(reading, message);
  check_new_publishable(reading, message);
  EXPECT_EQ(faults_in(reading), "");
  message.content = content_with("{{ x }}");
  check_new_content(reading, message);
  EXPECT_EQ(faults_in(reading), "/content/locales/en/html invalid-liquid 1:4");
  EXPECT_THROW(refuse_invalid(reading), Problem);
}

}  // namespace
}  // namespace shopbell::templates
