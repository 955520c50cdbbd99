#include "resources/templates/preview_operation.h"

#include <format>

#include "events/history.h"
#include "json/writer.h"
#include "operations/output.h"
#include "resources/contacts/chosen_contact.h"
#include "resources/products/product_json.h"
#include "resources/products/product_store.h"
#include "resources/templates/content_check.h"
#include "resources/templates/preview.h"
#include "resources/templates/template_store.h"

namespace shopbell::templates {

namespace {

engine::Data data_of(const std::optional<json::Raw>& value) {
  return value ? engine::Data{value->json} : engine::Data{};
}

// The event as clients see it.
engine::Data envelope_of(const events::PastEvent& event) {
  json::Writer writer;
  writer.begin_object();
  writer.key("id").text(event.uid.to_string());
  writer.key("kind").text(event.kind);
  writer.key("occurredAt").text(to_rfc3339(event.occurred_at));
  writer.key("receivedAt").text(to_rfc3339_exactly(event.position.received_at));
  writer.key("contactId").text(event.contact_id.to_string());
  writer.key("data").json(event.payload.value_or("{}"));
  return engine::Data{writer.end().finish()};
}

// The event of a preview: as sent, or the contact's latest one if only its kind is named.
boost::asio::awaitable<engine::Data> event_of(operations::Input input, std::string member,
                                              std::optional<json::Raw> sent,
                                              std::optional<Uuid> contact) {
  const auto kind = named_kind(sent);
  if (!kind) co_return data_of(sent);
  json::Reading reading;
  const json::Reading::Place place{reading, member};
  if (!contact) {
    reading.refuse_at("data", "required", "A made-up contact has no events: send the data.");
    reading.finish();
  }
  events::HistoryPage page{.contacts = {}, .kinds = {*kind}, .limit = 1};
  page.contacts = co_await contacts::find_person(input.database(), input.scope(), *contact);
  const auto found =
      co_await events::list_history(input.database(), input.scope(), std::move(page));
  if (found.empty()) {
    reading.refuse_at("kind", "unknown-reference",
                      std::format("The contact has no event of the kind {}.", *kind));
    reading.finish();
  }
  co_return envelope_of(found.front());
}

// Loads products by the store's own ids. The result lacks those that do not exist.
boost::asio::awaitable<std::map<std::string, engine::Data>> load_products(
    operations::Input input, std::vector<std::string> ids) {
  input.require_scope("products:read");
  std::vector<products::AccountObject> keys;
  keys.reserve(ids.size());
  for (const auto& id : ids) keys.push_back({input.account(), id});
  pg::Group reads;
  products::read_products(reads, keys);
  const pg::Results results = co_await input.database().run(std::move(reads), input.scope());
  std::map<std::string, engine::Data> found;
  for (const auto& [number, product] : products::found_products(results[0]))
    found.emplace(ids[number - 1], engine::Data{products::product_json().to_json(product)});
  co_return found;
}

struct Loaded {
  Content content;
  engine::Data store;
};

boost::asio::awaitable<Loaded> load(operations::Input input, std::optional<std::int64_t> version) {
  pg::Group reads;
  read_template(reads, input.account(), input.path("id"));
  read_content(reads, input.account(), input.path("id"), version);
  read_store(reads, input.account());
  const pg::Results found = co_await input.database().run(std::move(reads), input.scope());
  const Template message = existing_template(found[0]).message;
  auto content = found_content(found[1], message);
  if (!content) throw missing_content(version);
  co_return Loaded{std::move(*content), found_store(found[2])};
}

// The locale that the caller asks for, else that of the contact.
std::string locale_for(const CompiledContent& content, const PreviewRequest& asked,
                       const engine::Data& contact) {
  if (!asked.locale) return choose_locale(content, engine::text_at(contact, "locale"));
  if (content.locales.contains(*asked.locale)) return *asked.locale;
  json::Reading reading;
  reading.refuse_at("locale", "unknown-reference", "The content has no such locale.");
  reading.finish();
  return {};
}

CompiledContent compiled_for_preview(const Content& content) {
  auto compiled = compile(content);
  if (!compiled) refuse_rendering(compiled.error().front());
  if (!compiled->locales.empty()) return std::move(*compiled);
  throw missing_content(content.version);
}

}  // namespace

Problem missing_content(std::optional<std::int64_t> version) {
  return Problem{Code::not_found,
                 version ? std::format("The template has no content of version {}.", *version)
                         : "The template has no content."};
}

boost::asio::awaitable<operations::Output> preview_template(operations::Input input) {
  json::Reading reading = input.reading();
  const PreviewRequest asked = read_preview(input.body(), reading);
  reading.finish();
  Loaded loaded = co_await load(input, asked.version);
  const CompiledContent content = compiled_for_preview(loaded.content);
  const contacts::ChosenContact contact =
      co_await contacts::chosen_contact(input, asked.contact->json);
  PreviewData data{.contact = contact.shown,
                   .store = std::move(loaded.store),
                   .event = {},
                   .trigger = {},
                   .vars = data_of(asked.vars),
                   .run = data_of(asked.run),
                   .products = {}};
  data.event = co_await event_of(input, "event", asked.event, contact.id);
  data.trigger = data.event;
  if (asked.trigger) data.trigger = co_await event_of(input, "trigger", asked.trigger, contact.id);
  const std::string locale = locale_for(content, asked, contact.shown);
  const Instant now = input.clock().now();
  Preview preview{.version = loaded.content.version,
                  .mail = render_preview(content, locale, data, now),
                  .missing_products = {}};
  if (!preview.mail.products_asked.empty()) {
    data.products = co_await load_products(input, preview.mail.products_asked);
    preview.mail = render_preview(content, locale, data, now);
    preview.missing_products = preview.mail.products_asked;
  }
  co_return operations::resource_output(preview_json(), preview, "", reading);
}

operations::Description preview_description(const operations::ResourceOperations& message) {
  auto preview = message;
  preview.resource.clear();
  preview.versioned = false;
  return preview.with_answer(preview_json())
      .change("previewTemplate", "Preview a template",
              "Renders the template with a contact and an event, and sends nothing. The links to "
              "unsubscribe and to the preferences are examples. A stored contact needs the scope "
              "`contacts:read`, a template that shows products `products:read`.",
              {.body = operations::body_of(preview_request_json()),
               .problems = {Code::template_invalid},
               .further_scopes = {"contacts:read", "products:read"}});
}

}  // namespace shopbell::templates
