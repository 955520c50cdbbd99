#include "resources/templates/preview.h"

#include <algorithm>
#include <array>
#include <format>

#include "base/limits.h"
#include "base/text.h"
#include "engine/local_time.h"
#include "resources/templates/content_check.h"

namespace shopbell::templates {

namespace {

// The members of an event, as the timeline of a contact shows them.
constexpr std::array<std::string_view, 6> kEventMembers{"id",         "kind",      "occurredAt",
                                                        "receivedAt", "contactId", "data"};

// Nothing is sent from a preview, so its links lead nowhere.
constexpr std::string_view kUnsubscribe = R"("https://preview.invalid/unsubscribe")";
constexpr std::string_view kPreferences = R"("https://preview.invalid/preferences")";

json::Schema any_object(std::string description, std::string example) {
  return {.type = "object",
          .description = std::move(description),
          .example = std::move(example),
          .open = true};
}

json::Field<PreviewRequest> object_member(std::string name,
                                          std::optional<json::Raw> PreviewRequest::* member,
                                          std::string description, std::string example) {
  json::Field<PreviewRequest> field = json::any(std::move(name), member);
  if (!example.empty()) field.example(example);
  return field.sent_as(any_object(std::move(description), std::move(example)));
}

void require_object(json::Reading& reading, std::string_view name,
                    const std::optional<json::Raw>& value) {
  if (value && json::Document::parse(value->json)->root().type() != json::Type::object)
    reading.refuse_at(name, "wrong-type", "Expected an object.");
}

void check_event(json::Reading& reading, std::string_view name,
                 const std::optional<json::Raw>& event) {
  if (!event) return;
  const auto document = json::Document::parse(event->json);
  const json::Value root = document->root();
  if (root.type() != json::Type::object) return;  // refused already
  const json::Reading::Place place{reading, name};
  const auto kind = root.member("kind");
  if (!kind) reading.refuse_at("kind", "required", "Is missing.");
  if (kind && kind->type() != json::Type::text)
    reading.refuse_at("kind", "wrong-type", "Expected a text.");
  if (const auto data = root.member("data"); data && data->type() != json::Type::object)
    reading.refuse_at("data", "wrong-type", "Expected an object.");
  root.for_each([&](std::string_view member, const json::Value&) {
    if (!std::ranges::contains(kEventMembers, member))
      reading.refuse_at(member, "unknown-member", "There is no such member.");
  });
}

// The state of a thread that renders previews.
LocalFormats& formats_of_thread() {
  static thread_local LocalFormats formats;
  return formats;
}

}  // namespace

const json::Table<PreviewRequest>& preview_request_json() {
  static const json::Table<PreviewRequest> table{
      "TemplatePreviewRequest",
      "The data to render a template with.",
      {object_member("contact", &PreviewRequest::contact,
                     "A stored contact, by `id`, `externalId` or `email`, or a made-up one.",
                     R"({"firstName":"Eva","locale":"en"})")
           .required(),
       object_member("event", &PreviewRequest::event,
                     "The event that the mail is about. With `kind` alone: the contact's latest "
                     "event of this kind.",
                     R"({"kind":"custom.cart-updated","data":{"total":"40.30"}})"),
       object_member("trigger", &PreviewRequest::trigger,
                     "The event that started the workflow; default: `event`.", ""),
       object_member("vars", &PreviewRequest::vars, "Variables of the workflow.", ""),
       object_member("run", &PreviewRequest::run, "The run: `id`, `key`, `item` and `startedAt`.",
                     ""),
       json::text("locale", &PreviewRequest::locale)
           .doc("Default: the contact's locale, else its language, else the default locale.")
           .length_max(35)
           .restricts(),
       json::integer("version", &PreviewRequest::version)
           .doc("Default: the draft, else the published version.")
           .minimum(1)
           .maximum(limits::kTemplateVersions)
           .restricts()}};
  return table;
}

const json::Table<Preview>& preview_json() {
  using Field = json::Field<Preview>;
  const auto text = [](std::string name, std::string description, auto read) {
    return Field{
        std::move(name),
        {.type = "string", .description = std::move(description)},
        [read](json::Writer& writer, const Preview& preview) { writer.text(read(preview)); },
        {}};
  };
  static const json::Table<Preview> table{
      "TemplatePreview",
      "A template rendered with data. It is not sent.",
      {json::integer("version", &Preview::version),
       text("locale", "The chosen locale.", [](const Preview& p) { return p.mail.locale; }),
       text("subject", "", [](const Preview& p) { return p.mail.subject; }),
       text("preheader", "", [](const Preview& p) { return p.mail.preheader; }),
       Field{"html",
             {.type = "string",
              .description = "With the preheader, which mail programs hide; null: there is no "
                             "HTML.",
              .nullable = true},
             [](json::Writer& writer, const Preview& p) {
               p.mail.html ? writer.text(*p.mail.html) : writer.null();
             },
             {}},
       text("text", "", [](const Preview& p) { return p.mail.text; }),
       Field{"textDerived",
             {.type = "boolean", .description = "True if the text is derived from the HTML."},
             [](json::Writer& writer, const Preview& p) { writer.boolean(p.mail.is_text_derived); },
             {}},
       Field{"clipped",
             {.type = "boolean",
              .description = "True if the HTML has more than 102 KB: Gmail hides the rest."},
             [](json::Writer& writer, const Preview& p) {
               writer.boolean(p.mail.html && p.mail.html->size() > limits::kShownMailBytes);
             },
             {}},
       json::texts("missingProducts", &Preview::missing_products)
           .doc("Ids of products that the mail names and the store does not have.")}};
  return table;
}

PreviewRequest read_preview(const json::Value& body, json::Reading& reading) {
  PreviewRequest asked;
  preview_request_json().read_new(body, reading).apply_to(asked);
  const std::pair<std::string_view, const std::optional<json::Raw>*> objects[] = {
      {"contact", &asked.contact},
      {"event", &asked.event},
      {"trigger", &asked.trigger},
      {"vars", &asked.vars},
      {"run", &asked.run}};
  for (const auto& [name, value] : objects) require_object(reading, name, *value);
  check_event(reading, "event", asked.event);
  check_event(reading, "trigger", asked.trigger);
  const bool is_null =
      body.type() == json::Type::object && body.member("contact") && !asked.contact;
  if (is_null) reading.refuse_at("contact", "required", "Name a contact.");
  return asked;
}

std::optional<std::string> named_kind(const std::optional<json::Raw>& event) {
  if (!event) return std::nullopt;
  const auto document = json::Document::parse(event->json);
  if (document->root().size() != 1) return std::nullopt;
  return std::string{document->root().member("kind").value().text()};
}

RenderedMail render_preview(const CompiledContent& content, const std::string& locale,
                            const PreviewData& data, Instant now) {
  const engine::Data unsubscribe{std::string{kUnsubscribe}};
  const engine::Data preferences{std::string{kPreferences}};
  liquid::Data roots;
  const std::pair<std::string_view, const engine::Data*> named[] = {
      {"contact", &data.contact},
      {"store", &data.store},
      {"event", &data.event},
      {"trigger", &data.trigger},
      {"vars", &data.vars},
      {"run", &data.run},
      {"unsubscribe_url", &unsubscribe},
      {"preferences_url", &preferences}};
  for (const auto& [name, value] : named)
    if (const auto root = value->root()) roots.roots.emplace(name, *root);
  for (const auto& [id, product] : data.products) roots.products.emplace(id, *product.root());
  auto mail = render(content, locale, roots,
                     {.formats = formats_of_thread(),
                      .now = now,
                      .zone = engine::zone_of(engine::text_at(data.contact, "timeZone"),
                                              engine::text_at(data.store, "timeZone")),
                      .currency = std::string{engine::text_at(data.store, "currency")}});
  if (!mail) refuse_rendering(mail.error());
  return std::move(*mail);
}

}  // namespace shopbell::templates
