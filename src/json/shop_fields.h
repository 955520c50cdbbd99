// Kinds of field that several store resources share: URLs, and amounts in a currency.
#pragma once

#include "base/text.h"
#include "json/fields.h"

namespace shopbell::json {

template <class Resource, class Member>
Field<Resource> web_url(std::string name, Member Resource::* member) {
  return text(std::move(name), member)
      .format("uri")
      .length_max(2048)
      .rule(is_web_url, "Is not an http or https URL.");
}

// An amount, written with the fraction digits of the resource's currency (its `minor_digits`).
template <class Resource>
Field<Resource> money(std::string name, std::optional<Decimal> Resource::* member) {
  return decimal(std::move(name), member)
      .shown_by([member](Writer& writer, const Resource& resource) {
        const auto& amount = resource.*member;
        amount ? writer.text(amount->to_string(resource.minor_digits)) : writer.null();
      });
}

}  // namespace shopbell::json
