#include "net/smtp/verdict.h"

#include <gtest/gtest.h>

namespace shopbell::net::smtp {

namespace {

Verdict verdict_of(Step step, std::string_view line) {
  ReplyReader reader;
  reader.add(std::string{line} + "\r\n");
  return judge(step, reader.next().value());
}

TEST(Verdict, blames_the_relay_for_its_faults) {
  EXPECT_EQ(verdict_of(Step::connect, "554 no service"), Verdict::relay_fails);
  EXPECT_EQ(verdict_of(Step::tls, "454 TLS not available"), Verdict::relay_fails);
  EXPECT_EQ(verdict_of(Step::mail, "421 4.3.0 shutting down"), Verdict::relay_fails);
  EXPECT_EQ(verdict_of(Step::end, "421 closing"), Verdict::relay_fails);
  EXPECT_EQ(verdict_of(Step::mail, "451 4.3.0 local error"), Verdict::relay_fails);
}

TEST(Verdict, sees_refused_logins_at_every_step) {
  EXPECT_EQ(verdict_of(Step::login, "535 5.7.8 bad credentials"), Verdict::login_refused);
  EXPECT_EQ(verdict_of(Step::login, "504 5.5.4 mechanism"), Verdict::login_refused);
  EXPECT_EQ(verdict_of(Step::mail, "530 5.7.0 Authentication required"), Verdict::login_refused);
  EXPECT_EQ(verdict_of(Step::login, "454 4.7.0 temporary"), Verdict::relay_fails);
}

TEST(Verdict, blames_the_sender) {
  EXPECT_EQ(verdict_of(Step::mail, "550 5.7.1 sender not allowed"), Verdict::sender_refused);
  EXPECT_EQ(verdict_of(Step::end, "554 Message rejected: Email address is not verified."),
            Verdict::sender_refused);
}

TEST(Verdict, slows_down) {
  EXPECT_EQ(verdict_of(Step::end, "450 4.7.28 unusual rate"), Verdict::too_fast);
  EXPECT_EQ(verdict_of(Step::recipient, "452 4.5.3 too many"), Verdict::too_fast);
  EXPECT_EQ(verdict_of(Step::mail, "451 4.3.2 not now"), Verdict::too_fast);
  EXPECT_EQ(verdict_of(Step::end, "454 Throttling failure: Maximum sending rate exceeded."),
            Verdict::too_fast);
  EXPECT_EQ(verdict_of(Step::end, "421 4.7.28 unusual rate of mail"), Verdict::too_fast);
  EXPECT_EQ(verdict_of(Step::recipient, "450 Throttled"), Verdict::too_fast);
  EXPECT_EQ(verdict_of(Step::recipient, "450 4.2.0 separate queue"), Verdict::try_later);
}

TEST(Verdict, comes_back_to_greylisting) {
  EXPECT_EQ(verdict_of(Step::recipient, "450 4.2.0 Greylisted, come back"), Verdict::try_later);
  EXPECT_EQ(verdict_of(Step::end, "451 4.7.1 try again"), Verdict::try_later);
}

TEST(Verdict, distinguishes_hard_from_soft_bounces) {
  for (const std::string_view line :
       {"550 5.1.1 x", "553 5.1.2 x", "501 5.1.3 x", "550 5.1.10 x", "550 5.4.4 x",
        "550 No such user here", "550 Requested action not taken: mailbox unavailable"})
    EXPECT_EQ(verdict_of(Step::recipient, line), Verdict::unknown_recipient) << line;
  for (const std::string_view line : {"552 5.2.2 mailbox full", "550 5.4.1 x", "550 5.2.1 disabled",
                                      "550 5.2.0 no such user", "552 over quota", "550 no"})
    EXPECT_EQ(verdict_of(Step::recipient, line), Verdict::unreachable_recipient) << line;
}

TEST(Verdict, blames_nobody_for_policy) {
  for (const std::string_view line : {"550 5.7.26 unauthenticated", "554 5.6.0 x",
                                      "550 5.7.515 access denied", "554 spam", "552 too large"})
    EXPECT_EQ(verdict_of(Step::end, line), Verdict::policy) << line;
  EXPECT_EQ(verdict_of(Step::recipient, "550 5.7.1 blocked"), Verdict::policy);
  EXPECT_EQ(verdict_of(Step::end, "550 5.1.1 unknown"), Verdict::unknown_recipient);
}

}  // namespace

}  // namespace shopbell::net::smtp
