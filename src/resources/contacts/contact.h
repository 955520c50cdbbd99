// Contact: a person the store knows, by e-mail address, by the store's own id, or by both.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "base/uuid.h"
#include "json/field_kinds.h"
#include "resources/contacts/purchase_totals.h"

namespace shopbell::contacts {

// A person's choice about one channel, with its proof.
struct Consent {
  std::string channel;
  std::string status;
  std::optional<Instant> at;
  std::optional<std::string> source;
  std::optional<std::string> ip;
  std::optional<std::string> user_agent;
  std::optional<std::string> wording;
  std::optional<std::string> method;
};

struct Contact {
  Uuid id;
  std::optional<std::string> email;
  std::optional<std::string> external_id;
  std::optional<std::string> first_name;
  std::optional<std::string> last_name;
  std::optional<std::string> company;
  std::optional<std::string> birth_date;
  std::optional<std::string> phone;
  std::optional<std::string> locale;
  std::optional<std::string> time_zone;
  std::optional<std::string> country;
  std::optional<std::string> postal_code;
  std::optional<std::string> currency;
  std::vector<std::string> tags;
  std::int64_t points = 0;
  std::map<std::int64_t, json::Raw> values;  // values of the store's own fields, by field number
  std::string email_subscription = "none";
  std::string sms_subscription = "none";
  std::string email_status = "active";
  std::string phone_status = "active";
  PurchaseTotals purchases;
  std::vector<Consent> consent;  // the newest entries of the history, newest first
  std::optional<Instant> source_updated_at;
  Instant created_at;
  Instant updated_at;

  // Internal members, which no API response contains.
  std::int16_t lane = 0;
  std::optional<std::string> email_key;          // the case-folded address; unique
  std::optional<Instant> email_subscription_at;  // when the person chose email_subscription
  std::optional<Instant> sms_subscription_at;
  std::int64_t event_seq = 0;  // sequence number of the contact's last event
  std::int64_t version = 0;    // 0: the contact is not stored yet

  // Values from the request, before validation.
  std::optional<json::Raw> sent_fields;
  std::optional<std::int64_t> sent_points;  // points that the request adds
  std::vector<Consent> sent_consent;
  // The values of the store's own fields in the API response, by field id.
  json::Raw shown_fields{"{}"};

  bool exists() const { return version > 0; }
};

// A message channel, and the members of Contact that belong to it.
struct Channel {
  std::string_view name;
  std::string_view subscription_member;
  std::string Contact::* subscription;
  std::optional<Instant> Contact::* decided_at;
  std::optional<std::string> Contact::* address;  // normalized address, as used for hashes
};

inline constexpr Channel kEmail{"email", "emailSubscription", &Contact::email_subscription,
                                &Contact::email_subscription_at, &Contact::email_key};
inline constexpr Channel kSms{"sms", "smsSubscription", &Contact::sms_subscription,
                              &Contact::sms_subscription_at, &Contact::phone};
inline constexpr std::array kChannels{kEmail, kSms};

inline constexpr std::string_view kSubscribed = "subscribed";
inline constexpr std::string_view kUnsubscribed = "unsubscribed";

}  // namespace shopbell::contacts
