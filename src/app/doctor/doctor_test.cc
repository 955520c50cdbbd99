#include <gtest/gtest.h>

#include "app/doctor/doctor_checks.h"

namespace shopbell::app {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kGibibyte = std::uint64_t{1} << 30;

// Returns the grade, and checks that every finding except ok has a remedy.
Grade grade_of(const Finding& finding) {
  EXPECT_FALSE(finding.found.empty());
  EXPECT_EQ(finding.mend.empty(), finding.grade == Grade::ok) << finding.found;
  return finding.grade;
}

TEST(Doctor, a_disk_is_low_by_its_free_share_or_free_bytes) {
  const auto graded = [](std::uint64_t free_bytes, std::uint64_t all_bytes) {
    return grade_of(grade_space("files", free_bytes, all_bytes));
  };
  EXPECT_EQ(graded(10 * kGibibyte, 100 * kGibibyte), Grade::ok);
  EXPECT_EQ(graded(10 * kGibibyte - 1, 100 * kGibibyte), Grade::warn);
  EXPECT_EQ(graded(kGibibyte - 1, 4 * kGibibyte), Grade::warn);
  EXPECT_EQ(graded(kGibibyte, 100 * kGibibyte), Grade::warn);
  EXPECT_EQ(graded(kGibibyte - 1, 100 * kGibibyte), Grade::fault);
  EXPECT_EQ(graded(0, 100 * kGibibyte), Grade::fault);
  EXPECT_EQ(graded(0, 0), Grade::ok);  // some file systems report a size of 0
}

TEST(Doctor, clocks_may_be_a_second_apart_in_either_direction) {
  for (const int direction : {1, -1}) {
    EXPECT_EQ(grade_of(grade_clock(direction * 1'000'000us)), Grade::ok);
    EXPECT_EQ(grade_of(grade_clock(direction * 1'000'001us)), Grade::warn);
    EXPECT_EQ(grade_of(grade_clock(direction * 5'000'000us)), Grade::warn);
    EXPECT_EQ(grade_of(grade_clock(direction * 5'000'001us)), Grade::fault);
  }
}

TEST(Doctor, a_certificate_is_valid_between_its_dates) {
  const Instant now = *parse_rfc3339("2026-11-15T12:00:00Z");
  const auto graded = [&](Instant begins, Instant ends) {
    return grade_of(grade_certificate(begins, ends, now));
  };
  EXPECT_EQ(graded(now, now + std::chrono::days{14}), Grade::ok);
  EXPECT_EQ(graded(now, now + std::chrono::days{14} - 1s), Grade::warn);
  EXPECT_EQ(graded(now - 2h, now + 1s), Grade::warn);
  EXPECT_EQ(graded(now - 2h, now), Grade::fault);
  EXPECT_EQ(graded(now + 1s, now + std::chrono::days{90}), Grade::fault);
}

TEST(Doctor, transaction_ids_run_out) {
  EXPECT_EQ(grade_of(grade_age("shopbell", 1'500'000'000)), Grade::ok);
  EXPECT_EQ(grade_of(grade_age("shopbell", 1'500'000'001)), Grade::warn);
  EXPECT_EQ(grade_of(grade_age("shopbell", 2'000'000'001)), Grade::fault);
}

TEST(Doctor, permanent_connections_must_fit_the_limit) {
  EXPECT_EQ(grade_of(grade_room(97, 12, 31)), Grade::ok);
  EXPECT_EQ(grade_of(grade_room(31, 12, 31)), Grade::ok);
  EXPECT_EQ(grade_of(grade_room(30, 12, 31)), Grade::warn);
  EXPECT_EQ(grade_of(grade_room(11, 12, 31)), Grade::fault);
}

TEST(Doctor, knows_the_addresses_of_this_machine) {
  for (const auto* host :
       {"", "/run/postgresql", "localhost", "127.0.0.1", "127.9.9.9", "::1", "[::1]"})
    EXPECT_TRUE(is_this_machine(host)) << host;
  for (const auto* host : {"db.example", "10.0.0.1", "0.0.0.0", "::", "[2001:db8::1]", "128.0.0.1",
                           "localhost.example"})
    EXPECT_FALSE(is_this_machine(host)) << host;
}

TEST(Doctor, a_remote_database_needs_an_sslmode_that_forces_tls) {
  for (const auto* mode : {"", "disable", "allow", "prefer"}) {
    EXPECT_EQ(grade_of(grade_database_transport("db.example", mode)), Grade::warn) << mode;
    EXPECT_EQ(grade_of(grade_database_transport("127.0.0.1,db.example", mode)), Grade::warn);
    for (const auto* host : {"", "127.0.0.1", "/run/postgresql", "127.0.0.1,::1"})
      EXPECT_EQ(grade_of(grade_database_transport(host, mode)), Grade::ok) << host;
  }
  for (const auto* mode : {"require", "verify-ca", "verify-full"})
    EXPECT_EQ(grade_of(grade_database_transport("db.example", mode)), Grade::ok) << mode;
}

TEST(Doctor, files_and_events_leave_the_machine_with_tls_only) {
  for (const auto* endpoint :
       {"", "https://s3.example", "http://127.0.0.1:7070", "http://[::1]:7070", "http://localhost"})
    EXPECT_EQ(grade_of(grade_s3_transport(endpoint)), Grade::ok) << endpoint;
  for (const auto* endpoint : {"http://s3.example", "http://s3:7070", "http://10.0.0.1:7070/path",
                               "http://[2001:db8::1]:7070"})
    EXPECT_EQ(grade_of(grade_s3_transport(endpoint)), Grade::warn) << endpoint;
  EXPECT_EQ(grade_of(grade_kafka_transport({})), Grade::ok);
  EXPECT_EQ(grade_of(grade_kafka_transport({.brokers = {"127.0.0.1:9092", "[::1]:9092"}})),
            Grade::ok);
  EXPECT_EQ(grade_of(grade_kafka_transport({.brokers = {"127.0.0.1:9092", "kafka-1:9092"}})),
            Grade::warn);
  EXPECT_EQ(grade_of(grade_kafka_transport({.brokers = {"kafka-1:9092"}, .tls = true})), Grade::ok);
}

TEST(Doctor, a_public_listener_needs_tls_or_a_proxy) {
  Config config{.listen = {"127.0.0.1", 8080}};
  EXPECT_EQ(grade_of(grade_listener(config)), Grade::ok);
  for (const auto* host : {"0.0.0.0", "[::]", "203.0.113.5"}) {
    config = {.listen = {host, 8080}};
    EXPECT_EQ(grade_of(grade_listener(config)), Grade::warn) << host;
    config.trusted_proxies = {"10.0.0.0/8"};
    EXPECT_EQ(grade_of(grade_listener(config)), Grade::ok) << host;
    config = {.listen = {host, 8080}, .tls_certificate = "certificate.pem", .tls_key = "key.pem"};
    EXPECT_EQ(grade_of(grade_listener(config)), Grade::ok) << host;
  }
}

TEST(Doctor, does_not_print_connection_strings) {
  EXPECT_EQ(connection_trouble("connection to server at \"127.0.0.1\", port 1 failed: Connection "
                               "refused\n\tIs the server running on that host?"),
            "Connection refused");
  EXPECT_EQ(connection_trouble("connection to server at \"::1\", port 1 failed: Connection "
                               "refused\nconnection to server at \"127.0.0.1\", port 1 failed: "
                               "FATAL:  password authentication failed for user \"a\""),
            "FATAL:  password authentication failed for user \"a\"");
  EXPECT_EQ(connection_trouble("could not translate host name \"hush@h\" to address: Name or "
                               "service not known"),
            "Name or service not known");
  for (const std::string_view message :
       {"invalid percent-encoded token: \"hush%zz\"", "invalid port number: \"hush\"",
        "unexpected character \"x\" in position 9 in URI: \"postgresql://a:hush@h\""})
    EXPECT_FALSE(connection_trouble(message).contains("hush")) << message;
}

}  // namespace
}  // namespace shopbell::app
