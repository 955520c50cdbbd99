// SentHeader: a custom header that a store adds to outgoing requests. Its value is stored encrypted
// and never returned.
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
  std::optional<std::string> value;  // value that this request contains
  std::string sealed;                // encrypted value as stored, in hexadecimal
};

using SentHeaders = std::vector<SentHeader>;

// True for a valid header name that the service does not set itself.
bool is_own_header(std::string_view name);

// Gives each header without a value the stored value in `before`; adds a fault when there is none.
void settle_headers(json::Reading& reading, const SentHeaders& before, SentHeaders& headers);
// True when the names or values of the headers have changed.
bool differ(const SentHeaders& before, const SentHeaders& after);

// Encrypts the values. Each one can be decrypted only for the same account, owner and header.
std::string header_context(std::int64_t account, const Uuid& owner, std::string_view header);
void seal_headers(const keyring::Keyring& keyring, std::int64_t account, const Uuid& owner,
                  SentHeaders& headers);

// The stored form: names and encrypted values.
std::string headers_to_json(const SentHeaders& headers);
SentHeaders headers_from_json(std::string_view text);

const json::Table<SentHeader>& sent_header_json();
const json::Table<SentHeader>& shown_header_json();

// The member `headers` of a resource that sends requests.
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
