#include "resources/templates/compiled_content.h"

#include <gtest/gtest.h>

namespace shopbell::templates {
namespace {

// A content in English and German, and the data to render it.
class Mail {
 public:
  Mail() {
    content.default_locale = "en";
    content.locales["en"] = {.subject = "Cart of {{ contact.firstName }}",
                             .preheader = "<{{ store.name }}>",
                             .html =
                                 "<body class=x><p>{{ contact.firstName }}, {{ event.data.total "
                                 "| money }}</p></body>",
                             .text = {},
                             .mjml = "<mjml>"};
    content.locales["de"] = {.subject = "Warenkorb",
                             .preheader = {},
                             .html = {},
                             .text = "{{ event.data.total | money }}\n{{ event.at | date: '%B' }}",
                             .mjml = {}};
  }

  RenderedMail render_in(const std::string& locale) {
    const auto compiled = compile(content);
    auto mail =
        render(*compiled, locale, data(), {.formats = formats_, .now = {}, .currency = "EUR"});
    return mail ? std::move(*mail)
                : RenderedMail{.locale = {}, .subject = mail.error().fault.message};
  }

  Content content;

 private:
  liquid::Data data() const {
    liquid::Data data;
    document_.root().for_each(
        [&](std::string_view name, const json::Value& value) { data.roots.emplace(name, value); });
    return data;
  }

  json::Document document_ =
      *json::Document::parse(R"({"contact":{"firstName":"Ada & Eva\n"},"store":{"name":"Bells"},)"
                             R"("event":{"data":{"total":"40.30"},"at":"2026-03-01T12:00:00Z"}})");
  LocalFormats formats_;
};

TEST(CompiledContent, renders_each_part_in_its_own_way) {
  const RenderedMail mail = Mail{}.render_in("en");
  EXPECT_EQ(mail.subject, "Cart of Ada & Eva ");
  EXPECT_EQ(mail.preheader, "<Bells>");
  EXPECT_EQ(mail.html,
            "<body class=x><div style=\"display:none;max-height:0;overflow:hidden\">&lt;Bells&gt;"
            "</div><p>Ada &amp; Eva\n, €40.30</p></body>");
}

TEST(CompiledContent, derives_the_text_from_the_html) {
  const RenderedMail derived = Mail{}.render_in("en");
  EXPECT_TRUE(derived.is_text_derived);
  EXPECT_EQ(derived.text, "Ada & Eva , €40.30");
  const RenderedMail written = Mail{}.render_in("de");
  EXPECT_FALSE(written.is_text_derived);
  EXPECT_FALSE(written.html);
}

TEST(CompiledContent, formats_amounts_and_dates_in_the_locale) {
  EXPECT_EQ(Mail{}.render_in("de").text, "40,30\u00a0€\nMärz");
}

TEST(CompiledContent, chooses_the_locale_of_the_contact) {
  Mail mail;
  const auto chosen = [&](std::string_view wanted) {
    return choose_locale(*compile(mail.content), wanted);
  };
  EXPECT_EQ(chosen("de"), "de");
  EXPECT_EQ(chosen("de-AT"), "de");
  EXPECT_EQ(chosen("DE-at"), "de");
  EXPECT_EQ(chosen("fr-CH"), "en");
  EXPECT_EQ(chosen(""), "en");
  mail.content.locales["de-AT"] = {};
  EXPECT_EQ(chosen("de-AT"), "de-AT");
  EXPECT_EQ(chosen("de-CH"), "de");
}

TEST(CompiledContent, names_the_part_that_cannot_be_rendered) {
  Content content;
  content.locales["en"] = {.subject = "a",
                           .preheader = {},
                           .html = "b\n{{ 1 | divided_by: 0 }}",
                           .text = {},
                           .mjml = {}};
  LocalFormats formats;
  const auto mail = render(*compile(content), "en", {}, {.formats = formats, .now = {}});
  ASSERT_FALSE(mail);
  EXPECT_EQ(mail.error().locale, "en");
  EXPECT_EQ(mail.error().part, "html");
  EXPECT_EQ(mail.error().fault.line, 2U);
}

TEST(CompiledContent, asks_for_the_products_of_all_parts_once) {
  Content content;
  content.locales["en"] = {.subject = "{{ products['a'].name }}",
                           .preheader = {},
                           .html = "{{ products['b'].name }}{{ products['a'].name }}",
                           .text = {},
                           .mjml = {}};
  LocalFormats formats;
  const auto mail = render(*compile(content), "en", {}, {.formats = formats, .now = {}});
  ASSERT_TRUE(mail);
  EXPECT_EQ(mail->products_asked, (std::vector<std::string>{"a", "b"}));
}

}  // namespace
}  // namespace shopbell::templates
