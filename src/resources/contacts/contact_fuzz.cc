// Fuzzes decide_change(): no patch may crash it or break an invariant of a contact. Sending the
// resulting contact back must change nothing.
#include <filesystem>

#include "base/identity.h"
#include "resources/contacts/contact_change.h"
#include "resources/contacts/contact_json.h"

namespace {

namespace contacts = shopbell::contacts;
namespace json = shopbell::json;
using contacts::Change;
using contacts::Contact;

const shopbell::Instant kNow = *shopbell::parse_rfc3339("2026-11-15T12:00:00Z");

const shopbell::keyring::Keyring& ring() {
  static const auto keys = [] {
    const auto file = std::filesystem::temp_directory_path() /
                      ("contact-fuzz-" + shopbell::Uuid::v7(kNow).to_string());
    auto made = shopbell::keyring::Keyring::create(file, kNow);
    std::filesystem::remove(file);
    return made;
  }();
  return keys;
}

const shopbell::contact_fields::FieldSet& fields() {
  static const shopbell::contact_fields::FieldSet set = [] {
    std::vector<shopbell::contact_fields::ContactField> all;
    for (const auto& type : shopbell::contact_fields::field_types()) {
      auto& field = all.emplace_back();
      field.id = type;
      field.type = type;
      field.options = {{"a", "A"}, {"b", "B"}};
      field.number = static_cast<std::int64_t>(all.size());
    }
    return shopbell::contact_fields::FieldSet{1, std::move(all)};
  }();
  return set;
}

contacts::Knowledge knowledge() {
  const contacts::AddressHasher hasher{ring(), 7};
  return {.account = 7,
          .now = kNow,
          .fields = &fields(),
          .store_country = "AT",
          .marks = contacts::Marks{{{"email", hasher.address(contacts::kEmail, "a@b.at"),
                                     "unsubscribed", kNow - std::chrono::hours{1}}}},
          .hasher = hasher};
}

Contact existing() {
  Contact contact;
  contact.email = contact.email_key = "e@example.com";
  contact.email_subscription = "unsubscribed";
  contact.email_subscription_at = kNow - std::chrono::hours{2};
  contact.source_updated_at = kNow - std::chrono::hours{3};
  contact.version = 1;
  return contact;
}

Change patched(const Contact& before, const json::Value& body, json::Reading reading) {
  const auto patch = contacts::contact_json().read_patch(body, reading);
  reading.finish();
  return contacts::decide_change(reading, before, {}, patch, knowledge());
}

void check(const Change& change) {
  const Contact& after = change.after;
  if (!after.email && !after.external_id) __builtin_trap();
  if (after.email && shopbell::email_key(*after.email) != after.email_key) __builtin_trap();
  if (change.is_write != (after.version == change.before.version + 1)) __builtin_trap();
  if (after.event_seq - change.before.event_seq != std::ssize(change.events)) __builtin_trap();
  for (const auto& event : change.events) {
    if (!json::Document::parse(event.payload)) __builtin_trap();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto document = json::Document::parse({reinterpret_cast<const char*>(data) + 1, size - 1});
  if (!document) return 0;
  const json::Reading reading{data[0] % 2 == 0 ? json::Strictness::strict
                                               : json::Strictness::lenient};
  try {
    const Change change =
        patched(data[0] % 4 < 2 ? existing() : Contact{}, document->root(), reading);
    check(change);
    if (change.applied != contacts::Applied::all) return 0;
    const auto again = json::Document::parse(contacts::contact_json().to_json(change.after));
    if (!again) __builtin_trap();
    // A second reading refuses the same values again, and must change nothing else.
    if (patched(change.after, again->root(), json::Reading{}).is_write) __builtin_trap();
  } catch (const shopbell::Problem&) {
    return 0;
  }
  return 0;
}
