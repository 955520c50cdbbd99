#include "resources/contacts/contact_change.h"

#include <filesystem>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "resources/contacts/contact_json.h"
#include "resources/contacts/merge.h"

namespace shopbell::contacts {
namespace {

using std::chrono::hours;
using Lines = std::vector<std::string>;

const Instant kNow = *parse_rfc3339("2026-11-15T12:00:00Z");

const keyring::Keyring& ring() {
  static const keyring::Keyring keys = [] {
    const auto file = std::filesystem::temp_directory_path() /
                      std::format("contact-change-{}", Uuid::v7(kNow).to_string());
    auto made = keyring::Keyring::create(file, kNow);
    std::filesystem::remove(file);
    return made;
  }();
  return keys;
}

const contact_fields::FieldSet& fields() {
  static const contact_fields::FieldSet set{
      3,
      {{.id = "level", .name = "Level", .type = "integer", .indexed = true, .number = 1},
       {.id = "since",
        .name = "Since",
        .type = "date",
        .required = true,
        .default_value = json::Raw{"\"2020-01-01\""},
        .number = 2}}};
  return set;
}

Knowledge knowledge(Marks marks = Marks{}) {
  return {.account = 7,
          .now = kNow,
          .fields = &fields(),
          .store_country = "AT",
          .marks = std::move(marks),
          .hasher = AddressHasher{ring(), 7}};
}

Contact existing() {
  Contact contact;
  contact.id = Uuid::v7(kNow);
  contact.email = "Eva@example.com";
  contact.email_key = "eva@example.com";
  contact.first_name = "Eva";
  contact.points = 5;
  contact.version = 4;
  contact.event_seq = 9;
  contact.created_at = contact.updated_at = kNow - hours{100};
  return contact;
}

Contact unsubscribed() {
  Contact contact = existing();
  contact.email_subscription = "unsubscribed";
  contact.email_subscription_at = kNow - hours{10};
  return contact;
}

struct Outcome {
  Change change;
  Lines warnings;
};

Outcome patched(const Contact& before, const std::string& body,
                const Knowledge& known = knowledge(), const std::vector<Contact>& merged = {}) {
  const auto document = json::Document::parse(body);
  EXPECT_TRUE(document) << body;
  json::Reading reading;
  const auto patch = contact_json().read_patch(document->root(), reading);
  reading.finish();
  Outcome outcome{decide_change(reading, before, merged, patch, known), {}};
  for (const auto& warning : reading.warnings())
    outcome.warnings.push_back(warning.at + " " + warning.code);
  return outcome;
}

Lines faults(const Contact& before, const std::string& body, const Knowledge& known = knowledge()) {
  Lines lines;
  try {
    patched(before, body, known);
  } catch (const Problem& problem) {
    for (const auto& fault : problem.faults()) lines.push_back(fault.at + " " + fault.code);
    if (lines.empty()) lines.emplace_back(kind_of(problem.code()).name);
  }
  return lines;
}

Lines kinds(const Change& change) {
  Lines lines;
  for (const auto& event : change.events) lines.push_back(event.kind);
  return lines;
}

TEST(ContactChange, event_lists_only_the_changed_members) {
  const auto [change, warnings] =
      patched(existing(), R"({"firstName":"Eva","lastName":"Bell","fields":{"level":3}})");
  EXPECT_EQ(kinds(change), Lines{"contact.updated"});
  EXPECT_EQ(change.events[0].payload,
            R"({"changed":["lastName","fields.level"],"before":{"lastName":null,"fields":{}},)"
            R"("after":{"lastName":"Bell","fields":{"level":3}}})");
  EXPECT_EQ(change.events[0].contact_seq, 10);
  EXPECT_EQ(change.after.event_seq, 10);
  EXPECT_EQ(change.after.version, 5);
  EXPECT_EQ(change.after.shown_fields.json, R"({"level":3,"since":"2020-01-01"})");
}

TEST(ContactChange, without_a_difference_writes_nothing) {
  const auto [change, warnings] = patched(existing(), R"({"firstName":"Eva","points":5})");
  EXPECT_FALSE(change.is_write);
  EXPECT_EQ(change.after.updated_at, existing().updated_at);
  EXPECT_EQ(change.after.version, existing().version);
}

TEST(ContactChange, a_new_contact_gets_the_default_values) {
  Contact fresh;
  fresh.id = Uuid::v7(kNow);
  const auto [change, warnings] = patched(fresh, R"({"externalId":"c-1"})");
  EXPECT_EQ(kinds(change), Lines{"contact.created"});
  EXPECT_EQ(change.after.version, 1);
  EXPECT_EQ(change.after.values.at(2).json, "\"2020-01-01\"");
}

TEST(ContactChange, validates_values_that_depend_on_the_account) {
  EXPECT_EQ(
      faults(existing(), R"({"fields":{"nope":1,"level":"x","since":null}})"),
      (Lines{"/fields/nope unknown-member", "/fields/level wrong-type", "/fields/since required"}));
  EXPECT_EQ(faults(existing(), R"({"phone":"12"})"), Lines{"/phone invalid-format"});
  EXPECT_EQ(faults(existing(), R"({"email":null})"), Lines{"/email required"});
  EXPECT_EQ(faults(existing(), R"({"emailStatus":"bounced"})"),
            Lines{"/emailStatus not-an-option"});
  EXPECT_EQ(faults(existing(), R"({"points":{"add":9223372036854775807}})"),
            Lines{"/points out-of-range"});
  EXPECT_EQ(patched(existing(), R"({"phone":"0664 1234567"})").change.after.phone, "+436641234567");
  EXPECT_EQ(patched(existing(), R"({"points":{"add":-7}})").change.after.points, -2);
}

TEST(ContactChange, an_outdated_write_changes_nothing) {
  Contact contact = existing();
  contact.source_updated_at = kNow - hours{1};
  const auto outdated =
      patched(contact, R"({"firstName":"Old","sourceUpdatedAt":"2026-11-15T10:00:00Z"})");
  EXPECT_EQ(outdated.change.applied, Applied::nothing);
  EXPECT_FALSE(outdated.change.is_write);
  EXPECT_EQ(outdated.change.after.first_name, "Eva");
  const auto same =
      patched(contact, R"({"firstName":"New","sourceUpdatedAt":"2026-11-15T11:00:00Z"})");
  EXPECT_EQ(same.change.applied, Applied::all);
  EXPECT_EQ(same.change.after.first_name, "New");
}

TEST(ContactChange, an_outdated_write_still_unsubscribes) {
  Contact contact = existing();
  contact.source_updated_at = kNow - hours{1};
  contact.email_subscription = "subscribed";
  contact.email_subscription_at = kNow - hours{50};
  const auto [change, warnings] =
      patched(contact, R"({"firstName":"Old","emailSubscription":"unsubscribed",
                           "sourceUpdatedAt":"2026-11-15T10:00:00Z"})");
  EXPECT_EQ(change.applied, Applied::consent);
  EXPECT_EQ(change.after.email_subscription, "unsubscribed");
  EXPECT_EQ(change.after.first_name, "Eva");
  EXPECT_EQ(kinds(change), (Lines{"contact.updated", "contact.unsubscribed"}));
}

TEST(Consent, a_sync_without_proof_cannot_resubscribe) {
  const auto [change, warnings] =
      patched(unsubscribed(), R"({"firstName":"E.","emailSubscription":"subscribed"})");
  EXPECT_EQ(change.after.email_subscription, "unsubscribed");
  EXPECT_EQ(change.after.first_name, "E.");
  EXPECT_EQ(warnings, Lines{"/emailSubscription consent-needs-proof"});
  for (const auto* other : {"pending", "none"})
    EXPECT_EQ(patched(unsubscribed(), std::format(R"({{"emailSubscription":"{}"}})", other))
                  .change.after.email_subscription,
              "unsubscribed");
}

TEST(Consent, a_later_proof_subscribes_again) {
  const std::string proof = R"({"emailSubscription":"subscribed","consent":[{"channel":"email",
      "status":"subscribed","at":"2026-11-15T11:00:00Z","source":"checkout"}]})";
  const auto [change, warnings] = patched(unsubscribed(), proof);
  EXPECT_EQ(change.after.email_subscription, "subscribed");
  EXPECT_EQ(warnings, Lines{});
  EXPECT_EQ(kinds(change), (Lines{"contact.updated", "contact.subscribed"}));
  EXPECT_EQ(change.events[1].payload, R"({"channel":"email","source":"checkout"})");
  ASSERT_EQ(change.after.consent.size(), 1U);
  // The history already has the entry, so a repeat changes nothing.
  EXPECT_FALSE(patched(change.after, proof).change.is_write);
}

TEST(Consent, an_earlier_proof_is_recorded_but_does_not_subscribe) {
  const auto [change, warnings] =
      patched(unsubscribed(), R"({"consent":[{"channel":"email","status":"subscribed",
                                  "at":"2026-11-14T12:00:00Z"}]})");
  EXPECT_EQ(change.after.email_subscription, "unsubscribed");
  EXPECT_EQ(change.after.consent.size(), 1U);
  EXPECT_TRUE(change.is_write);
}

TEST(Consent, a_tie_goes_to_unsubscribed) {
  const std::string at = "2026-11-15T11:00:00Z";
  for (const auto& [first, second] :
       {std::pair{"subscribed", "unsubscribed"}, std::pair{"unsubscribed", "subscribed"}}) {
    const std::string body = std::format(
        R"({{"consent":[{{"channel":"sms","status":"{0}","at":"{2}"}},
                        {{"channel":"sms","status":"{1}","at":"{2}"}}]}})",
        first, second, at);
    EXPECT_EQ(patched(existing(), body).change.after.sms_subscription, "unsubscribed");
  }
}

TEST(Consent, in_the_future_is_refused) {
  EXPECT_EQ(faults(existing(), R"({"consent":[{"channel":"email","status":"unsubscribed",
                                   "at":"2026-11-16T12:00:00Z"}]})"),
            Lines{"/consent/0/at out-of-range"});
}

TEST(Consent, the_latest_choice_wins_in_any_order_of_arrival) {
  EXPECT_TRUE(rc::check([] {
    const auto hours_ago = *rc::gen::unique<std::vector<int>>(6, rc::gen::inRange(1, 1000));
    std::vector<std::pair<int, bool>> choices;
    for (const int hour : hours_ago) choices.emplace_back(hour, *rc::gen::arbitrary<bool>());
    const auto latest = std::ranges::min(choices);
    Contact contact = existing();
    for (const auto& [hour, wants] : choices) {
      contact = patched(contact,
                        std::format(
                            R"({{"consent":[{{"channel":"email","status":"{}","at":"{}"}}]}})",
                            wants ? "subscribed" : "unsubscribed", to_rfc3339(kNow - hours{hour})))
                    .change.after;
    }
    RC_ASSERT(contact.email_subscription == (latest.second ? "subscribed" : "unsubscribed"));
    RC_ASSERT(contact.consent.size() == choices.size());
  }));
}

TEST(Consent, an_unsubscribe_older_than_a_sync_without_proof_still_applies) {
  const std::string unsubscribe_entry = R"({"consent":[{"channel":"email","status":"unsubscribed",
                                  "at":"2026-11-15T09:00:00Z"}]})";
  const std::string late = R"({"emailSubscription":"unsubscribed",
                               "sourceUpdatedAt":"2026-11-15T09:00:00Z"})";
  for (const auto& unsubscribe : {unsubscribe_entry, late}) {
    const Contact synced =
        patched(existing(), R"({"emailSubscription":"subscribed"})").change.after;
    EXPECT_EQ(patched(synced, unsubscribe).change.after.email_subscription, "unsubscribed");
  }
  // A later subscription with proof wins over the older unsubscribe.
  const Contact proven = patched(existing(), R"({"consent":[{"channel":"email",
      "status":"subscribed","at":"2026-11-15T10:00:00Z"}]})")
                             .change.after;
  EXPECT_EQ(patched(proven, unsubscribe_entry).change.after.email_subscription, "subscribed");
}

TEST(Consent, a_store_clock_that_is_ahead_does_not_block_unsubscribing) {
  for (const std::string sent : {R"("emailSubscription":"subscribed")",
                                 R"("consent":[{"channel":"email","status":"subscribed"}])"}) {
    const Contact synced =
        patched(existing(), std::format(R"({{{},"sourceUpdatedAt":"2099-01-01T00:00:00Z"}})", sent))
            .change.after;
    EXPECT_EQ(synced.email_subscription, "subscribed");
    EXPECT_EQ(
        patched(synced, R"({"emailSubscription":"unsubscribed"})").change.after.email_subscription,
        "unsubscribed");
  }
}

TEST(Consent, a_suppressed_address_needs_a_later_proof_to_subscribe) {
  const AddressHasher hasher{ring(), 7};
  const Marks marks{{Suppression{"email", hasher.address(kEmail, "eva@example.com"), "unsubscribed",
                                 kNow - hours{5}}}};
  Contact fresh;
  fresh.id = Uuid::v7(kNow);
  const auto imported = patched(
      fresh, R"({"email":"EVA@example.com","emailSubscription":"subscribed"})", knowledge(marks));
  EXPECT_EQ(imported.change.after.email_subscription, "unsubscribed");
  EXPECT_EQ(imported.warnings, Lines{"/emailSubscription consent-needs-proof"});
  EXPECT_TRUE(imported.change.consent.lifted.empty());
  const auto proven = patched(fresh, R"({"email":"eva@example.com","consent":[{"channel":"email",
                         "status":"subscribed","at":"2026-11-15T11:00:00Z"}]})",
                              knowledge(marks));
  EXPECT_EQ(proven.change.after.email_subscription, "subscribed");
  EXPECT_EQ(proven.change.consent.lifted.size(), 1U);
}

TEST(Consent, a_complaint_is_never_lifted) {
  const AddressHasher hasher{ring(), 7};
  const Marks marks{{Suppression{"email", hasher.address(kEmail, "eva@example.com"), "complained",
                                 kNow - hours{5}}}};
  Contact fresh;
  fresh.id = Uuid::v7(kNow);
  const auto proven = patched(fresh, R"({"email":"eva@example.com","consent":[{"channel":"email",
                         "status":"subscribed","at":"2026-11-15T11:00:00Z"}]})",
                              knowledge(marks));
  EXPECT_EQ(proven.change.after.email_subscription, "unsubscribed");
}

TEST(Consent, an_unsubscribed_address_stays_suppressed_after_it_is_replaced) {
  const auto [change, warnings] = patched(unsubscribed(), R"({"email":"new@example.com"})");
  ASSERT_EQ(change.consent.displaced.size(), 1U);
  EXPECT_EQ(change.consent.displaced[0].address,
            AddressHasher(ring(), 7).address(kEmail, "eva@example.com"));
  EXPECT_EQ(change.after.email_subscription, "unsubscribed");
}

TEST(Erasure, refuses_a_write_older_than_the_erasure) {
  const Marks marks{{}, {Erasure{{}, kNow - hours{2}}}};
  Contact fresh;
  EXPECT_EQ(faults(fresh, R"({"email":"a@example.com","sourceUpdatedAt":"2026-11-15T09:00:00Z"})",
                   knowledge(marks)),
            Lines{"contact-erased"});
  EXPECT_EQ(faults(fresh, R"({"email":"a@example.com","sourceUpdatedAt":"2026-11-15T11:00:00Z"})",
                   knowledge(marks)),
            Lines{});
}

TEST(Merge, keeps_the_survivors_values_and_fills_its_empty_ones) {
  Contact survivor = existing();
  survivor.tags = {"a", "b"};
  Contact other = existing();
  other.id = Uuid::v7(kNow);
  other.email.reset();
  other.email_key.reset();
  other.external_id = "c-9";
  other.first_name = "E.";
  other.last_name = "Bell";
  other.tags = {"b", "c"};
  other.points = 7;
  other.email_subscription = "unsubscribed";
  other.email_status = "bounced";
  const Contact both = merged(survivor, other);
  EXPECT_EQ(both.email, "Eva@example.com");
  EXPECT_EQ(both.external_id, "c-9");
  EXPECT_EQ(both.first_name, "Eva");
  EXPECT_EQ(both.last_name, "Bell");
  EXPECT_EQ(both.tags, (Lines{"a", "b", "c"}));
  EXPECT_EQ(both.points, 12);
  EXPECT_EQ(both.email_subscription, "unsubscribed");
  EXPECT_EQ(both.email_status, "bounced");
}

TEST(Merge, takes_over_a_subscription_only_with_its_address) {
  Contact survivor = existing();
  Contact other = existing();
  other.email_key = other.email = "other@example.com";
  other.email_subscription = "subscribed";
  EXPECT_EQ(merged(survivor, other).email_subscription, "none");
  survivor.email_key = survivor.email = std::nullopt;
  EXPECT_EQ(merged(survivor, other).email_subscription, "subscribed");
}

TEST(Merge, appends_events_for_both_contacts) {
  Contact other = existing();
  other.id = Uuid::v7(kNow);
  other.email = "other@example.com";
  other.email_key = "other@example.com";
  other.email_subscription = "unsubscribed";
  const Change change = decide_merge(existing(), other, knowledge());
  EXPECT_EQ(kinds(change),
            (Lines{"contact.merged", "handover", "contact.updated", "contact.unsubscribed"}));
  EXPECT_EQ(change.events[1].contact_id, other.id);
  EXPECT_EQ(change.events[1].contact_seq, other.event_seq + 1);
  ASSERT_EQ(change.consent.displaced.size(), 1U);
  EXPECT_EQ(change.consent.displaced[0].address,
            AddressHasher(ring(), 7).address(kEmail, "other@example.com"));
}

TEST(Merge, a_patch_can_merge_two_contacts_under_its_email) {
  Contact other = existing();
  other.id = Uuid::v7(kNow);
  other.email = other.email_key = "other@example.com";
  const auto [change, warnings] =
      patched(existing(), R"({"email":"other@example.com"})", knowledge(), {other});
  EXPECT_EQ(change.after.email, "other@example.com");
  EXPECT_EQ(change.after.points, 10);
  EXPECT_EQ(change.merged.size(), 1U);
}

}  // namespace
}  // namespace shopbell::contacts
