#include "app/workflow_files/needed_objects.h"

#include <format>
#include <functional>
#include <map>
#include <set>

#include "json/writer.h"
#include "resources/contact_fields/contact_field_json.h"
#include "resources/contact_fields/field_value.h"
#include "resources/coupons/coupon_json.h"
#include "resources/integrations/event_type_json.h"
#include "resources/integrations/integration_json.h"
#include "resources/templates/content_check.h"
#include "resources/templates/template_json.h"

namespace shopbell::app {

namespace {

using json::Reading;
using json::Value;
using Kind = NeededObject::Kind;

constexpr std::string_view kEventTypes = "eventTypes";

// Returns the object's JSON without the event types of an integration; an event type gets its
// direction.
std::string body_of(const Value& value, Kind kind) {
  json::Writer writer;
  writer.begin_object();
  value.for_each([&](std::string_view name, const Value& member) {
    if (kind != Kind::integration || name != kEventTypes)
      writer.key(name).written(member.to_json());
  });
  if (kind == Kind::event_type && !value.member("direction"))
    writer.key("direction").text("receive");
  writer.end();
  return writer.finish();
}

class NeedsReader {
 public:
  explicit NeedsReader(Reading& reading) : reading_{reading} {}

  std::vector<NeededObject> read(const Value& needs) {
    if (needs.type() != json::Type::object) {
      reading_.refuse("wrong-type", "Expected an object.");
      return {};
    }
    needs.for_each([&](std::string_view name, const Value& list) { read_section(name, list); });
    // A workflow's event types come after the integrations that have them; see Kind.
    std::ranges::stable_sort(objects_, {}, &NeededObject::kind);
    return std::move(objects_);
  }

 private:
  void read_section(std::string_view name, const Value& list) {
    pointer_ = std::format("/needs/{}", name);
    const Reading::Place place{reading_, name};
    if (name == "contactFields") {
      for_each(list, [&](const Value& value) {
        read_object(Kind::contact_field, "id", value, contact_fields::contact_field_json(),
                    contact_fields::settle);
      });
    } else if (name == "templates") {
      for_each(list, [&](const Value& value) {
        read_object(Kind::message_template, "alias", value, templates::template_json(),
                    [](Reading& reading, templates::Template& message) {
                      const std::size_t faults = reading.fault_count();
                      templates::check_new_content(reading, message);
                      if (reading.fault_count() == faults)
                        templates::check_new_publishable(reading, message);
                    });
      });
    } else if (name == "couponSets") {
      for_each(list, [&](const Value& value) {
        read_object(
            Kind::coupon_set, "alias", value, coupons::coupon_set_json(),
            [](Reading& reading, coupons::CouponSet& set) { coupons::check_set(reading, set); });
      });
    } else if (name == "integrations") {
      for_each(list, [&](const Value& value) { read_integration(value); });
    } else {
      reading_.refuse("unknown-member",
                      "There is no such member; there are templates, couponSets, contactFields and "
                      "integrations.");
    }
  }

  void for_each(const Value& list, const std::function<void(const Value&)>& one) {
    if (list.type() != json::Type::list) return reading_.refuse("wrong-type", "Expected a list.");
    const std::string around = pointer_;
    std::size_t index = 0;
    list.for_each([&](std::string_view, const Value& value) {
      const std::string name = std::to_string(index++);
      const Reading::Place place{reading_, name};
      pointer_ = json::pointer_to(around, name);
      if (value.type() == json::Type::object) {
        one(value);
      } else {
        reading_.refuse("wrong-type", "Expected an object.");
      }
    });
    pointer_ = around;
  }

  void read_integration(const Value& value) {
    read_object(Kind::integration, "name", value, integrations::integration_json(),
                [](Reading&, integrations::Integration&) {});
    const auto types = value.member(kEventTypes);
    if (!types) return;
    const auto name = value.member("name");
    integration_ = name && name->type() == json::Type::text ? name->text() : "";
    const std::string around = pointer_;
    pointer_ = json::pointer_to(pointer_, kEventTypes);
    const Reading::Place place{reading_, kEventTypes};
    for_each(*types, [&](const Value& type) {
      read_object(Kind::event_type, "alias", type, integrations::event_type_json(),
                  [](Reading& reading, integrations::EventType& made) {
                    if (made.sends())
                      return reading.refuse_at("direction", "conflicts-with",
                                               "Only types with direction receive can be in a "
                                               "file: the answer that creates the others has their "
                                               "signing secret.");
                    integrations::settle(reading, made);
                  });
    });
    integration_.clear();
    pointer_ = around;
  }

  template <class Resource, class Settle>
  void read_object(Kind kind, std::string_view name_member, const Value& value,
                   const json::Table<Resource>& table, Settle settle) {
    NeededObject object{.kind = kind,
                        .name = {},
                        .integration = integration_,
                        .pointer = pointer_,
                        .body = body_of(value, kind),
                        .members = {}};
    const auto body = json::Document::parse_body(object.body);
    const std::size_t faults = reading_.fault_count();
    Resource resource;
    table.read_new(body.root(), reading_).apply_to(resource);
    if (reading_.fault_count() == faults) settle(reading_, resource);
    if (reading_.fault_count() != faults) return;
    object.name = body.root().member(name_member)->text();
    for (auto& [name, json] : table.members(resource))
      if (body.root().member(name)) object.members.emplace_back(name, std::move(json));
    if (names_.emplace(kind, object.name).second) {
      objects_.push_back(std::move(object));
    } else {
      reading_.refuse_at(name_member, "duplicate", "The file has another one of this name.");
    }
  }

  Reading& reading_;
  std::string pointer_;
  std::string integration_;
  std::vector<NeededObject> objects_;
  std::set<std::pair<Kind, std::string>> names_;
};

}  // namespace

std::vector<NeededObject> read_needed_objects(Reading& reading, const Value& needs) {
  const Reading::Place place{reading, "needs"};
  return NeedsReader{reading}.read(needs);
}

}  // namespace shopbell::app
