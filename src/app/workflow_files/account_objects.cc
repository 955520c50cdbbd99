#include "app/workflow_files/account_objects.h"

#include <format>

#include "json/canonical.h"

namespace shopbell::app {

namespace {

using Kind = NeededObject::Kind;

std::string text_member(const json::Value& object, std::string_view name) {
  const auto member = object.member(name);
  return member && member->type() == json::Type::text ? std::string{member->text()} : "";
}

workflows::ValueType type_of_contact_field(const json::Value& field) {
  std::vector<std::string> options;
  if (const auto list = field.member("options"); list && list->type() == json::Type::list)
    list->for_each([&](std::string_view, const json::Value& option) {
      options.push_back(text_member(option, "id"));
    });
  return workflows::type_of_field(text_member(field, "type"), std::move(options));
}

void add_event_type(workflows::KnownWorld& world, const json::Value& type) {
  const Uuid id = Uuid::parse(text_member(type, "id")).value_or(Uuid{});
  const std::string additional = text_member(type, "additionalMembers");
  const bool is_open = additional.empty() || additional == "keep";
  const auto fields = type.member("fields");
  workflows::KnownEventType known{.id = id,
                                  .data = fields ? workflows::type_of_fields(*fields, is_open)
                                                 : workflows::object_of({}, is_open)};
  if (text_member(type, "direction") == "send") {
    world.senders.emplace(id.to_string(), std::move(known));
  } else {
    world.event_types.emplace(text_member(type, "alias"), std::move(known));
  }
}

// Adds an object to the world in which the definition is checked. `name` is its alias or id.
void add_to_world(workflows::KnownWorld& world, Kind kind, const std::string& name,
                  const json::Value& object) {
  const std::string id = text_member(object, "id");
  const Uuid uuid = Uuid::parse(id).value_or(Uuid{});
  if (kind == Kind::contact_field) world.fields.emplace(name, type_of_contact_field(object));
  if (kind == Kind::event_type) add_event_type(world, object);
  if (kind == Kind::message_template || kind == Kind::coupon_set) {
    auto& known = kind == Kind::coupon_set ? world.coupon_sets : world.templates;
    known.emplace(name, uuid);
    if (!id.empty()) known.emplace(id, uuid);
  }
}

class ObjectsReader {
 public:
  explicit ObjectsReader(AccountConnection& account) : account_{account} {}

  AccountObjects read() {
    read_list(Kind::contact_field, "listContactFields", "id");
    read_list(Kind::message_template, "listTemplates", "alias");
    read_list(Kind::coupon_set, "listCouponSets", "alias");
    read_list(Kind::integration, "listCustomIntegrations", "name");
    std::vector<std::pair<std::string, std::string>> integrations;
    for (const auto& [key, object] : all_.objects)
      if (key.first == Kind::integration) integrations.emplace_back(key.second, object.id);
    for (const auto& [name, id] : integrations)
      read_list(Kind::event_type, "listCustomEventTypes", "alias", name, {{"id", id}});
    return std::move(all_);
  }

 private:
  void read_list(Kind kind, std::string_view operation, std::string_view name_member,
                 const std::string& integration = {}, const operations::Parameters& path = {}) {
    account_.for_each(operation, path, [&](const json::Value& item) {
      const auto built_in = item.member("builtIn");
      const bool is_of_the_account = !built_in || !built_in->boolean();
      const std::string name = text_member(item, name_member);
      if (is_of_the_account) add_to_world(all_.world, kind, name, item);
      if (!name.empty())  // an event type that is sent has no alias
        all_.objects.emplace(
            std::pair{kind, name},
            AccountObjects::Object{
                .id = text_member(item, "id"), .json = item.to_json(), .integration = integration});
    });
  }

  AccountConnection& account_;
  AccountObjects all_;
};

}  // namespace

const AccountObjects::Object* AccountObjects::find(const NeededObject& needed) const {
  const auto found = objects.find({needed.kind, needed.name});
  return found == objects.end() ? nullptr : &found->second;
}

AccountObjects read_account_objects(AccountConnection& account) {
  return ObjectsReader{account}.read();
}

void add_needed(workflows::KnownWorld& world, const NeededObject& needed) {
  const auto body = json::Document::parse_body(needed.body);
  add_to_world(world, needed.kind, needed.name, body.root());
}

std::optional<std::string> difference(const NeededObject& needed,
                                      const AccountObjects::Object& existing) {
  const auto document = json::Document::parse_body(existing.json);
  std::string text;
  const auto add = [&](std::string_view member, std::string_view here, std::string_view in_file) {
    text +=
        std::format("{}{} is {}, in the file {}", text.empty() ? "" : "; ", member, here, in_file);
  };
  if (needed.integration != existing.integration)
    add("integration", existing.integration, needed.integration);
  for (const auto& [name, json] : needed.members) {
    const auto member = document.root().member(name);
    const auto in_file = json::Document::parse_body(json);
    const std::string here = member ? json::canonical(*member) : "null";
    const std::string there = json::canonical(in_file.root());
    if (here != there) add(name, here, there);
  }
  if (text.empty()) return std::nullopt;
  return text;
}

}  // namespace shopbell::app
