#include "resources/webhooks/delivery.h"

#include <gtest/gtest.h>

#include "base/limits.h"

namespace shopbell::webhooks {
namespace {

using namespace std::chrono_literals;

const Instant kNow = *parse_rfc3339("2026-11-16T10:00:00Z");

Delivery delivery() {
  return {.account = 1,
          .webhook_id = *Uuid::parse("019a8c00-0000-7000-8000-000000000001"),
          .id = 7,
          .sender = *Uuid::parse("019a8c00-0000-7000-8000-000000000002"),
          .attempts = 1,
          .event_uid = *Uuid::parse("019a8c00-0000-7000-8000-000000000003"),
          .kind = "contact.created",
          .store_id = *Uuid::parse("019a8c00-0000-7000-8000-000000000004"),
          .contact_id = Uuid::parse("019a8c00-0000-7000-8000-000000000005"),
          .sequence = 12,
          .occurred_at = kNow,
          .received_at = kNow + 5ms,
          .data = R"({"changed":["email"]})",
          .url = "https://shop.example/hook",
          .headers = {{"X-Shop", "one"}},
          .secrets = {"whsec_Zm9vYmFy"}};
}

net::Answer answer(int status, net::Headers headers = {}) {
  return {.status = status, .headers = std::move(headers), .body = ""};
}

TEST(Delivery, sends_the_event_as_a_cloud_event) {
  EXPECT_EQ(envelope(delivery()),
            R"({"specversion":"1.0","id":"019a8c00-0000-7000-8000-000000000003",)"
            R"("source":"urn:uuid:019a8c00-0000-7000-8000-000000000004","type":"contact.created",)"
            R"("time":"2026-11-16T10:00:00.000Z","subject":"019a8c00-0000-7000-8000-000000000005",)"
            R"("contactid":"019a8c00-0000-7000-8000-000000000005",)"
            R"("receivedat":"2026-11-16T10:00:00.005Z","sequence":12,)"
            R"("datacontenttype":"application/json","data":{"changed":["email"]}})");
}

TEST(Delivery, of_a_workflow_has_the_name_and_id_of_its_event_type) {
  Delivery sent = delivery();
  sent.kind = "send-webhook";
  sent.subject = sent.webhook_id.to_string();
  sent.event_type = "Points redeemed";
  EXPECT_EQ(envelope(sent),
            R"({"specversion":"1.0","id":"019a8c00-0000-7000-8000-000000000003",)"
            R"("source":"urn:uuid:019a8c00-0000-7000-8000-000000000004","type":"Points redeemed",)"
            R"("time":"2026-11-16T10:00:00.000Z","subject":"019a8c00-0000-7000-8000-000000000005",)"
            R"("contactid":"019a8c00-0000-7000-8000-000000000005",)"
            R"("eventtypeid":"019a8c00-0000-7000-8000-000000000001",)"
            R"("receivedat":"2026-11-16T10:00:00.005Z","sequence":12,)"
            R"("datacontenttype":"application/json","data":{"changed":["email"]}})");
}

TEST(Delivery, to_a_disabled_event_type_fails_for_good) {
  const Outcome outcome = refused(delivery());
  EXPECT_FALSE(outcome.delivered);
  EXPECT_FALSE(outcome.pause);
  EXPECT_TRUE(outcome.trouble);
}

TEST(Delivery, is_signed_and_has_the_headers_of_the_store) {
  const net::Request request = request_of(delivery(), kNow);
  const auto header = [&](std::string_view name) {
    const net::Answer same{.status = 0, .headers = request.headers, .body = ""};
    return std::string{same.header(name)};
  };
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(header("x-shop"), "one");
  EXPECT_EQ(header("content-type"), "application/cloudevents+json");
  EXPECT_EQ(header("webhook-id"), "019a8c00-0000-7000-8000-000000000003");
  EXPECT_EQ(header("webhook-timestamp"), "1794823200");
  EXPECT_TRUE(header("webhook-signature").starts_with("v1,"));
}

TEST(Delivery, is_delivered_if_the_response_is_2xx) {
  for (const int status : {200, 201, 202, 204}) {
    const Outcome outcome = evaluate(delivery(), answer(status), kNow);
    EXPECT_TRUE(outcome.delivered) << status;
    EXPECT_FALSE(outcome.pause) << status;
    EXPECT_EQ(outcome.status, status);
  }
}

TEST(Delivery, is_retried_after_any_other_response) {
  for (const int status : {199, 301, 302, 307, 400, 401, 404, 429, 500, 503}) {
    const Outcome outcome = evaluate(delivery(), answer(status), kNow);
    EXPECT_FALSE(outcome.delivered) << status;
    EXPECT_GE(outcome.pause.value(), limits::kDeliveryPauseFirst) << status;
    EXPECT_LE(outcome.pause.value(), 7500ms) << status;
  }
  const Outcome cut =
      evaluate(delivery(), std::unexpected{net::Trouble{net::Failure::lost, "cut"}}, kNow);
  EXPECT_FALSE(cut.delivered);
  EXPECT_FALSE(cut.status);
  EXPECT_TRUE(cut.pause);
}

TEST(Delivery, is_not_retried_after_410) {
  const Outcome outcome = evaluate(delivery(), answer(410), kNow);
  EXPECT_FALSE(outcome.delivered);
  EXPECT_FALSE(outcome.pause);
}

TEST(Delivery, waits_as_long_as_retry_after_says) {
  const Outcome outcome = evaluate(delivery(), answer(429, {{"retry-after", "120"}}), kNow);
  EXPECT_EQ(outcome.rest, 120s);
  EXPECT_EQ(outcome.pause, 120s);
  const Outcome soon = evaluate(delivery(), answer(503, {{"Retry-After", "1"}}), kNow);
  EXPECT_EQ(soon.rest, 1s);
  EXPECT_GE(soon.pause.value(), limits::kDeliveryPauseFirst);
}

TEST(Delivery, reads_retry_after_in_both_its_forms) {
  EXPECT_EQ(retry_after("0", kNow), 0s);
  EXPECT_EQ(retry_after("90", kNow), 90s);
  EXPECT_EQ(retry_after("-5", kNow), 0s);
  EXPECT_EQ(retry_after("99999999", kNow), limits::kRetryAfterMost);
  EXPECT_EQ(retry_after("Mon, 16 Nov 2026 10:02:00 GMT", kNow), 120s);
  EXPECT_EQ(retry_after("Mon, 16 Nov 2026 09:00:00 GMT", kNow), 0s);
  for (const char* text : {"", "soon", "5 minutes", "99999999999999999999", "1.5"})
    EXPECT_EQ(retry_after(text, kNow), std::nullopt) << text;
}

TEST(Delivery, doubles_its_backoff_up_to_a_limit) {
  EXPECT_EQ(pause_after(1), 5s);
  EXPECT_EQ(pause_after(2), 10s);
  EXPECT_EQ(pause_after(5), 80s);
  EXPECT_EQ(pause_after(100), limits::kDeliveryPauseMost);
}

}  // namespace
}  // namespace shopbell::webhooks
