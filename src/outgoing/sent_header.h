// SentHeader: a header of the store's own that goes with what is sent out. Its value comes in once,
// is kept sealed, and is never shown again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/fields.h"
#include "keyring/keyring.h"

namespace shopbell::outgoing {

struct SentHeader {
  std::string name;
  std::optional<std::string> value;  // as it was sent just now
  std::string sealed;                // as it is kept, in hexadecimal
};

using SentHeaders = std::vector<SentHeader>;

// A name that a header may have and that the service does not set by itself.
bool is_own_header(std::string_view name);

// Every header has a value: sent with it, or kept of `before`.
void settle_headers(json::Reading& reading, const SentHeaders& before, SentHeaders& headers);
// Whether what goes out has other headers than before.
bool differ(const SentHeaders& before, const SentHeaders& after);

// Values as they are kept. They open only as this header of that owner.
std::string header_context(std::int64_t account, const Uuid& owner, std::string_view header);
void seal_headers(const keyring::Keyring& keyring, std::int64_t account, const Uuid& owner,
                  SentHeaders& headers);

// As they are kept: names, and sealed values.
std::string headers_to_json(const SentHeaders& headers);
SentHeaders headers_from_json(std::string_view text);

const json::Table<SentHeader>& sent_header_json();
const json::Table<SentHeader>& shown_header_json();

// The member `headers` of whatever sends them.
template <class Resource>
json::Field<Resource> headers(SentHeaders Resource::* member, std::size_t most) {
  return json::objects("headers", member, sent_header_json(), most)
      .element([](json::Schema& element) { element = shown_header_json().schema(); })
      .shown_by([member](json::Writer& writer, const Resource& resource) {
        writer.begin_list();
        for (const auto& header : resource.*member) shown_header_json().write(writer, header);
        writer.end();
      })
      .restricts();
}

}  // namespace shopbell::outgoing
