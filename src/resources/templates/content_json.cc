#include "resources/templates/content_json.h"

#include <iterator>
#include <stdexcept>

#include "base/limits.h"
#include "base/text.h"
#include "json/maps.h"

namespace shopbell::templates {

namespace {

using ContentFields = std::vector<json::Field<Content>>;

const json::Table<Sender>& sender_json() {
  constexpr std::string_view kDetail = "Is not an e-mail address.";
  static const json::Table<Sender> table{
      "TemplateSender",
      "The sender of the mail. Without it, the store is the sender.",
      {json::text("name", &Sender::name).length_min(1).example(R"("Bell & Daughters")"),
       json::text("email", &Sender::email)
           .length_max(254)
           .rule(is_email, std::string{kDetail})
           .example(R"("shop@bell.example")"),
       json::text("replyTo", &Sender::reply_to)
           .doc("Where answers go; default: the sender.")
           .length_max(254)
           .rule(is_email, std::string{kDetail})}};
  return table;
}

json::Field<LocaleContent> source(std::string name,
                                  std::optional<std::string> LocaleContent::* member) {
  return json::text(std::move(name), member)
      .several_lines()
      .length_max(limits::kTemplateCharacters);
}

const json::Table<LocaleContent>& locale_json() {
  static const json::Table<LocaleContent> table{
      "TemplateLocale",
      "The parts of the mail in one locale. All but `mjml` are Liquid.",
      {json::text("subject", &LocaleContent::subject).length_max(limits::kSubjectCharacters),
       json::text("preheader", &LocaleContent::preheader)
           .doc("The text that mail programs show behind the subject.")
           .length_max(limits::kSubjectCharacters),
       source("html", &LocaleContent::html),
       source("text", &LocaleContent::text).doc("The text part; default: derived from the HTML."),
       source("mjml", &LocaleContent::mjml)
           .doc("The MJML that the HTML was compiled from. It is stored and never rendered.")}};
  return table;
}

ContentFields content_fields() {
  return {
      json::text("class", &Content::message_class)
          .doc("A marketing message must show `{{ unsubscribe_url }}`.")
          .options({"marketing", "transactional"})
          .default_value(R"("marketing")")
          .restricts()
          .example(R"("marketing")"),
      json::object("sender", &Content::sender, sender_json()),
      json::text("defaultLocale", &Content::default_locale)
          .doc("The locale of contacts for whose locale and language there is no other. Required "
               "if there are several.")
          .length_max(35)
          .restricts()
          .example(R"("en")"),
      json::parts_by_name(
          "locales", &Content::locales, locale_json(),
          {limits::kTemplateLocales, is_locale, "Is not a BCP 47 language tag, such as de-AT."})
          .doc("The mail by locale: the contact's own, else its language, else the default.")
          .example(R"({"en":{"subject":"Welcome, {{ contact.firstName }}","preheader":null,"html":)"
                   R"("<p>Hello.</p><p><a href=\"{{ unsubscribe_url }}\">Unsubscribe</a></p>",)"
                   R"("text":null,"mjml":null}})")};
}

ContentFields version_fields() {
  return {json::uuid("id", &Content::id).doc("The id of the template."),
          json::text("alias", &Content::alias).doc("The alias of the template.").read_only(),
          json::integer("version", &Content::version).read_only(),
          json::text("status", &Content::status)
              .doc("`superseded`: a later version was published.")
              .options({"draft", "published", "superseded"})
              .read_only(),
          json::instant("createdAt", &Content::created_at).read_only(),
          json::instant("publishedAt", &Content::published_at).read_only()};
}

ContentFields version_and_content() {
  ContentFields fields = version_fields();
  std::ranges::move(content_fields(), std::back_inserter(fields));
  return fields;
}

}  // namespace

const json::Table<Content>& content_json() {
  static const json::Table<Content> table{
      "TemplateContent", "A version of a template with its content.", version_and_content()};
  return table;
}

const json::Table<Content>& version_json() {
  static const json::Table<Content> table{
      "TemplateVersion", "A version of a template without its content.", version_fields()};
  return table;
}

const json::Table<Content>& written_content_json() {
  static const json::Table<Content> table{"WrittenTemplateContent",
                                          "What the mail says, by locale.", content_fields()};
  return table;
}

void read_stored(std::string_view stored, Content& content) {
  const auto document = json::Document::parse(stored);
  if (!document) throw std::logic_error{"a stored content is not JSON"};
  json::Reading reading{json::Strictness::lenient};
  written_content_json().read_patch(document->root(), reading).apply_to(content);
}

}  // namespace shopbell::templates
