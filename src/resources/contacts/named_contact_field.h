// `contact{}` in the body of a purchase or an event.
#pragma once

#include "json/fields.h"
#include "resources/contacts/contact_json.h"
#include "resources/contacts/named_contact.h"

namespace shopbell::contacts {

// The write-only member `contact`. Its values are validated when the contact's change is decided.
// `named` becomes true when the body has the member, even as null.
template <class Resource>
json::Field<Resource> named_contact_field(std::optional<Patch> Resource::* member,
                                          bool Resource::* named) {
  json::Schema sent = contact_json().patch_schema();
  sent.nullable = true;
  return json::Field<Resource>{
      "contact", json::Schema{.nullable = true},
      [](json::Writer& writer, const Resource&) { writer.null(); },
      [member, named](json::Reading& reading, const json::Value& value,
                      const json::Field<Resource>&) -> typename json::Field<Resource>::Set {
        std::optional<Patch> patch;
        if (value.type() != json::Type::null) patch = contact_json().read_patch(value, reading);
        return [member, named, patch = std::move(patch)](Resource& resource) {
          resource.*named = true;
          resource.*member = patch;
        };
      }}
      .restricts()
      .write_only()
      .sent_as(std::move(sent));
}

}  // namespace shopbell::contacts
