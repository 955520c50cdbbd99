#include "events/event_kinds.h"

#include <ranges>
#include <set>

#include <gtest/gtest.h>

namespace shopbell::events {
namespace {

std::vector<std::string> names_of(const json::Schema& schema) {
  return schema.members | std::views::transform(&json::SchemaMember::name) |
         std::ranges::to<std::vector>();
}

TEST(EventKinds, without_a_dot_are_internal) {
  EXPECT_TRUE(is_internal(kHandover));
  EXPECT_TRUE(is_internal("wake"));
  EXPECT_FALSE(is_internal("custom.handover"));
  for (const auto& kind : event_kinds()) EXPECT_FALSE(is_internal(kind.name)) << kind.name;
}

TEST(EventKinds, have_unique_names_and_descriptions) {
  std::set<std::string> names;
  for (const auto& kind : event_kinds()) {
    EXPECT_TRUE(names.insert(kind.name).second) << kind.name;
    EXPECT_FALSE(kind.description.empty()) << kind.name;
    EXPECT_EQ(kind.data.type, "object") << kind.name;
    EXPECT_EQ(find_kind(kind.name), &kind);
  }
  EXPECT_EQ(find_kind("contact.renamed"), nullptr);
}

TEST(EventKinds, have_a_scope_to_read_their_data) {
  using Texts = std::vector<std::string>;
  for (const auto& kind : event_kinds())
    EXPECT_EQ(read_scopes(Texts{kind.name}).size(), 1U) << kind.name;
  EXPECT_EQ(read_scopes(Texts{"contact.*", "custom.points"}), Texts{"contacts:read"});
  EXPECT_EQ(read_scopes(Texts{"purchase.paid", "coupon.*", "coupon-set.low"}),
            (Texts{"coupon-sets:read", "purchases:read"}));
  EXPECT_EQ(read_scopes({}),
            (Texts{"contacts:read", "coupon-sets:read", "exports:read", "imports:read",
                   "products:read", "purchases:read", "workflows:read"}));
  EXPECT_EQ(read_scopes(Texts{"webhook.test"}), Texts{});  // has no data
}

TEST(EventKinds, contact_kinds_describe_the_change) {
  const std::vector<std::string> change{"changed", "before", "after"};
  EXPECT_EQ(names_of(find_kind("contact.created")->data), change);
  EXPECT_EQ(names_of(find_kind("contact.updated")->data), change);
  const std::vector<std::string> consent{"channel", "source"};
  EXPECT_EQ(names_of(find_kind("contact.subscribed")->data), consent);
  EXPECT_EQ(names_of(find_kind("contact.unsubscribed")->data), consent);
  EXPECT_EQ(names_of(find_kind("contact.merged")->data),
            (std::vector<std::string>{"from", "into"}));
  EXPECT_TRUE(find_kind("contact.deleted")->data.members.empty());
}

TEST(EventKinds, coupon_kinds_describe_the_coupon) {
  const std::vector<std::string> given{"couponSet", "code", "runId"};
  EXPECT_EQ(names_of(find_kind("coupon.assigned")->data), given);
  EXPECT_EQ(names_of(find_kind("coupon.redeemed")->data),
            (std::vector<std::string>{"couponSet", "code", "runId", "purchaseId", "byOther"}));
  EXPECT_EQ(names_of(find_kind("coupon-set.low")->data),
            (std::vector<std::string>{"couponSet", "available", "lowWatermark"}));
}

TEST(EventKinds, share_one_envelope) {
  for (const auto& kind : event_kinds()) {
    const json::Schema envelope = envelope_of(kind);
    EXPECT_EQ(names_of(envelope), (std::vector<std::string>{"id", "kind", "occurredAt",
                                                            "receivedAt", "contactId", "data"}));
    EXPECT_EQ(envelope.members[1].schema.options, std::vector{kind.name});
    EXPECT_TRUE(envelope.members[5].schema.nullable);
  }
}

TEST(EventKinds, are_all_in_the_document_and_values_are_open) {
  const std::string document = event_schemas();
  for (const auto& kind : event_kinds())
    EXPECT_TRUE(document.contains("\"#/$defs/" + kind.name + '"')) << kind.name;
  EXPECT_TRUE(document.contains("\"additionalProperties\": true"));
  EXPECT_TRUE(document.ends_with("}\n"));
}

}  // namespace
}  // namespace shopbell::events
