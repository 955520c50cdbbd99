#include "net/smtp/session.h"

#include <deque>
#include <filesystem>
#include <format>
#include <map>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include "base/mail_limits.h"
#include "net/smtp/wire_form.h"
#include "testing/smtp_sink.h"

namespace shopbell::net::smtp {

namespace {

using shopbell::testing::SmtpSink;

class SessionTest : public ::testing::Test {
 protected:
  using Security = SmtpSink::Security;

  SessionTest() {
    std::string made = (std::filesystem::temp_directory_path() / "shopbell-smtp.XXXXXX").string();
    folder_ = ::mkdtemp(made.data());
  }
  ~SessionTest() override { std::filesystem::remove_all(folder_); }

  SmtpSink& start(Security security = Security::none) {
    sink_ = std::make_unique<SmtpSink>(loop_, security, folder_);
    const auto wanted = security == Security::none       ? Relay::Security::none
                        : security == Security::starttls ? Relay::Security::starttls
                                                         : Relay::Security::implicit;
    relay_ = {.host = "127.0.0.1", .port = sink_->port(), .security = wanted};
    if (security != Security::none) trust_.load_verify_file(sink_->certificate());
    return *sink_;
  }

  // The id of a letter is its place, beginning with 1.
  void queue(std::size_t count) {
    for (std::size_t number = 1; number <= count; ++number) {
      waiting_.push_back({.id = std::to_string(number),
                          .from = "bounces@shop.example",
                          .to = std::format("contact-{}@example.com", number),
                          .wire = to_wire_form(std::format("Subject: {}\n\n.hidden\n", number))});
    }
  }

  // Sends all letters of the queue over as many sessions as that takes; at most ten.
  void send_all() {
    std::exception_ptr failure;
    loop_.restart();
    asio::co_spawn(loop_, send_over_sessions(), [&](std::exception_ptr error) {
      failure = std::move(error);
      loop_.stop();
    });
    loop_.run();
    if (failure) std::rethrow_exception(failure);
  }

  asio::awaitable<void> send_over_sessions() {
    for (int sessions = 0; sessions < 10 && !waiting_.empty(); ++sessions) {
      const auto session = co_await Session::open(loop_.get_executor(), relay_, trust_);
      co_await session->send([this] { return next(); },
                             [this](const Letter& letter, Ending ending) {
                               EXPECT_FALSE(endings_.contains(letter.id)) << "ended twice";
                               endings_[letter.id] = std::move(ending);
                             });
      co_await session->close();
    }
  }

  std::optional<Letter> next() {
    if (waiting_.empty()) return std::nullopt;
    Letter letter = std::move(waiting_.front());
    waiting_.pop_front();
    return letter;
  }

  // The step and verdict of a session that cannot be opened.
  std::pair<Step, Verdict> refusal() {
    try {
      send_all();
    } catch (const NoSession& error) {
      return {error.step, error.verdict};
    }
    ADD_FAILURE() << "the session was opened";
    return {};
  }

  // Replies once to a command that begins so.
  void reply_once(std::string_view command, std::string_view reply) {
    sink_->script = [command = std::string{command}, reply = std::string{reply},
                     left = 1](std::string_view line) mutable -> std::optional<std::string> {
      if (left == 0 || !line.starts_with(command)) return std::nullopt;
      --left;
      return reply;
    };
  }

  Fate fate(int id) { return endings_.at(std::to_string(id)).fate; }
  Verdict verdict(int id) { return endings_.at(std::to_string(id)).verdict; }

  asio::io_context loop_;
  std::filesystem::path folder_;
  asio::ssl::context trust_{asio::ssl::context::tls_client};
  std::unique_ptr<SmtpSink> sink_;
  Relay relay_;
  std::deque<Letter> waiting_;
  std::map<std::string, Ending> endings_;
};

TEST_F(SessionTest, sends_letters_with_their_envelope) {
  SmtpSink& sink = start();
  queue(3);
  waiting_[2].to = "köchin@example.com";
  send_all();
  ASSERT_EQ(sink.letters().size(), 3U);
  EXPECT_EQ(sink.letters()[0].from, "bounces@shop.example");
  EXPECT_EQ(sink.letters()[1].to, "contact-2@example.com");
  EXPECT_EQ(sink.letters()[1].text, "Subject: 2\r\n\r\n.hidden\r\n");
  EXPECT_EQ(fate(1), Fate::accepted);
  EXPECT_EQ(fate(2), Fate::accepted);
  EXPECT_EQ(sink.commands()[1], "MAIL FROM:<bounces@shop.example> SIZE=27 RET=HDRS ENVID=1");
  EXPECT_EQ(sink.commands()[2], "RCPT TO:<contact-1@example.com> NOTIFY=FAILURE");
  EXPECT_TRUE(sink.commands()[7].ends_with("ENVID=3 SMTPUTF8")) << sink.commands()[7];
  EXPECT_EQ(sink.commands().back(), "QUIT");
  EXPECT_EQ(sink.connections(), 1);
}

TEST_F(SessionTest, takes_one_round_trip_per_letter_with_pipelining) {
  SmtpSink& sink = start();
  queue(50);
  send_all();
  EXPECT_EQ(sink.letters().size(), 50U);
  // EHLO, the first commands, and QUIT wait as well. A group may arrive in two parts.
  EXPECT_LE(sink.waits(), 60);
}

TEST_F(SessionTest, waits_for_every_reply_without_pipelining) {
  for (const bool is_offered : {true, false}) {
    SmtpSink& sink = start();
    sink.offers = {};
    if (is_offered) sink.offers = {"PIPELINING"};
    relay_.may_pipeline = !is_offered;
    queue(10);
    send_all();
    EXPECT_EQ(sink.letters().size(), 10U);
    EXPECT_GE(sink.waits(), 40);
    EXPECT_EQ(sink.commands()[1], "MAIL FROM:<bounces@shop.example>");
    endings_.clear();
  }
}

TEST_F(SessionTest, speaks_helo_to_relays_without_extensions) {
  SmtpSink& sink = start();
  reply_once("EHLO", "500 what");
  queue(1);
  send_all();
  EXPECT_EQ(sink.commands()[1], "HELO localhost");
  EXPECT_EQ(fate(1), Fate::accepted);
}

TEST_F(SessionTest, changes_the_connection_after_many_letters) {
  SmtpSink& sink = start();
  queue(limits::kRelayMessages + 1);
  send_all();
  EXPECT_EQ(sink.letters().size(), limits::kRelayMessages + 1);
  EXPECT_EQ(sink.connections(), 2);
}

TEST_F(SessionTest, goes_on_after_a_refused_recipient) {
  for (const bool pipelines : {true, false}) {
    endings_.clear();
    SmtpSink& sink = start();
    relay_.may_pipeline = pipelines;
    reply_once("RCPT TO:<contact-2@", "550 5.1.1 no such user");
    queue(3);
    send_all();
    EXPECT_EQ(fate(2), Fate::refused);
    EXPECT_EQ(verdict(2), Verdict::unknown_recipient);
    EXPECT_EQ(fate(3), Fate::accepted);
    EXPECT_EQ(sink.letters().size(), 2U);
    EXPECT_EQ(sink.connections(), 1);
    EXPECT_TRUE(std::ranges::contains(sink.commands(), "RSET"));
  }
}

TEST_F(SessionTest, sends_no_text_to_a_refused_recipient_although_the_relay_waits_for_one) {
  SmtpSink& sink = start();
  sink.script = [](std::string_view line) -> std::optional<std::string> {
    if (line.starts_with("RCPT TO:<contact-1@")) return "450 4.2.0 greylisted";
    if (line == "DATA") return "354 go ahead";
    return std::nullopt;
  };
  queue(2);
  send_all();
  EXPECT_EQ(fate(1), Fate::refused);
  EXPECT_EQ(verdict(1), Verdict::try_later);
  EXPECT_EQ(fate(2), Fate::accepted);
  for (const auto& letter : sink.letters())
    EXPECT_TRUE(letter.text.empty() || letter.text.starts_with("Subject: 2")) << letter.text;
}

TEST_F(SessionTest, returns_letters_whose_sender_is_refused) {
  start();
  reply_once("MAIL FROM", "550 5.7.1 not your domain");
  queue(2);
  send_all();
  EXPECT_EQ(fate(1), Fate::returned);
  EXPECT_EQ(verdict(1), Verdict::sender_refused);
  EXPECT_EQ(fate(2), Fate::accepted);
}

TEST_F(SessionTest, tells_what_became_of_a_refused_text) {
  start();
  reply_once(".", "554 5.7.1 looks like spam");
  queue(2);
  send_all();
  EXPECT_EQ(fate(1), Fate::refused);
  EXPECT_EQ(verdict(1), Verdict::policy);
  EXPECT_EQ(endings_.at("1").reply.text, "looks like spam");
  EXPECT_EQ(fate(2), Fate::accepted);
}

TEST_F(SessionTest, does_not_know_the_fate_of_a_letter_cut_after_its_end) {
  SmtpSink& sink = start();
  reply_once(".", SmtpSink::kCut);
  queue(3);
  send_all();
  EXPECT_EQ(fate(1), Fate::unknown);
  EXPECT_EQ(fate(2), Fate::returned);  // its commands were on their way
  EXPECT_EQ(fate(3), Fate::accepted);
  EXPECT_EQ(sink.connections(), 2);
}

TEST_F(SessionTest, returns_a_letter_cut_before_its_text) {
  for (const std::string_view command : {"MAIL", "RCPT", "DATA"}) {
    endings_.clear();
    start();
    reply_once(command, SmtpSink::kCut);
    queue(2);
    send_all();
    EXPECT_EQ(fate(1), Fate::returned) << command;
    EXPECT_EQ(fate(2), Fate::accepted) << command;
  }
}

TEST_F(SessionTest, returns_a_letter_cut_in_its_text) {
  SmtpSink& sink = start();
  sink.offers = {"PIPELINING"};
  reply_once("text", SmtpSink::kCut);
  queue(1);
  // The text fills the buffers of both sockets, so that its end cannot have been written.
  waiting_[0].wire = to_wire_form(std::string(std::size_t{64} * 1024 * 1024, 'x'));
  send_all();
  EXPECT_EQ(fate(1), Fate::returned);
  EXPECT_TRUE(sink.letters().empty());
}

TEST_F(SessionTest, reconnects_when_the_relay_closes_with_421) {
  for (const std::string_view command : {"MAIL", "RCPT", "."}) {
    endings_.clear();
    SmtpSink& sink = start();
    reply_once(command, "421 4.3.2 too many letters");
    queue(3);
    send_all();
    EXPECT_NE(fate(1), Fate::unknown) << command;
    EXPECT_NE(fate(1), Fate::accepted) << command;
    EXPECT_EQ(fate(3), Fate::accepted) << command;
    EXPECT_EQ(sink.connections(), 2) << command;
  }
}

TEST_F(SessionTest, refuses_letters_that_could_smuggle_in_commands) {
  SmtpSink& sink = start();
  queue(5);
  waiting_[0].to = "eva@example.com>\r\nRCPT TO:<adam@example.com";
  waiting_[1].from = "shop@example.com\r\nDATA";
  waiting_[2].wire = "Subject: x\n.\r\nMAIL FROM:<x@y>\r\n.\r\n";
  waiting_[3].wire = "no end\r\n";
  send_all();
  for (const int id : {1, 2, 3, 4}) EXPECT_EQ(fate(id), Fate::refused) << id;
  EXPECT_EQ(fate(5), Fate::accepted);
  EXPECT_EQ(sink.letters().size(), 1U);
}

TEST_F(SessionTest, refuses_letters_that_the_relay_cannot_take) {
  SmtpSink& sink = start();
  sink.offers = {"SIZE 100"};
  queue(3);
  waiting_[0].to = "köchin@example.com";
  waiting_[1].wire = to_wire_form(std::string(100, 'x'));
  send_all();
  EXPECT_EQ(endings_.at("1").reply.enhanced, "5.6.7");
  EXPECT_EQ(endings_.at("2").reply.enhanced, "5.3.4");
  EXPECT_EQ(fate(3), Fate::accepted);
}

TEST_F(SessionTest, writes_no_text_that_has_waited_too_long) {
  SmtpSink& sink = start();
  queue(2);
  waiting_[0].good_until = std::chrono::steady_clock::now() - std::chrono::seconds{1};
  send_all();
  EXPECT_EQ(fate(1), Fate::returned);
  EXPECT_EQ(fate(2), Fate::accepted);
  EXPECT_EQ(sink.letters().size(), 1U);
}

TEST_F(SessionTest, logs_in_over_tls) {
  for (const Security security : {Security::starttls, Security::implicit}) {
    endings_.clear();
    SmtpSink& sink = start(security);
    relay_.user = "shop";
    relay_.password = "secret";
    queue(2);
    send_all();
    EXPECT_EQ(fate(2), Fate::accepted);
    EXPECT_TRUE(std::ranges::contains(sink.commands(), "AUTH PLAIN AHNob3AAc2VjcmV0"));
  }
}

TEST_F(SessionTest, logs_in_by_steps_if_the_relay_offers_only_that) {
  SmtpSink& sink = start(Security::implicit);
  reply_once("EHLO", "250-sink\r\n250 AUTH LOGIN");
  relay_.user = "shop";
  relay_.password = "secret";
  queue(1);
  send_all();
  EXPECT_EQ(fate(1), Fate::accepted);
  EXPECT_TRUE(std::ranges::contains(sink.commands(), "c2VjcmV0"));
}

TEST_F(SessionTest, sends_no_password_without_tls) {
  SmtpSink& sink = start();
  relay_.user = "shop";
  queue(1);
  EXPECT_EQ(refusal(), (std::pair{Step::login, Verdict::login_refused}));
  for (const std::string& command : sink.commands()) EXPECT_FALSE(command.starts_with("AUTH"));
}

TEST_F(SessionTest, requires_starttls) {
  start();
  relay_.security = Relay::Security::starttls;
  queue(1);
  EXPECT_EQ(refusal(), (std::pair{Step::tls, Verdict::relay_fails}));
}

TEST_F(SessionTest, trusts_only_known_authorities_and_certificates_for_the_host) {
  start(Security::starttls);
  relay_.host = "localhost";
  queue(1);
  EXPECT_EQ(refusal(), (std::pair{Step::tls, Verdict::relay_fails}));
  relay_.host = "127.0.0.1";
  trust_ = asio::ssl::context{asio::ssl::context::tls_client};
  EXPECT_EQ(refusal(), (std::pair{Step::tls, Verdict::relay_fails}));
}

TEST_F(SessionTest, refuses_bytes_sent_before_tls) {
  start(Security::starttls);
  reply_once("STARTTLS", "220 go\r\n250 injected");
  queue(1);
  EXPECT_EQ(refusal(), (std::pair{Step::tls, Verdict::relay_fails}));
}

TEST_F(SessionTest, says_which_step_failed) {
  start(Security::starttls);
  relay_.user = "shop";
  queue(1);
  for (const auto& [command, reply, step, verdict] :
       std::vector<std::tuple<std::string, std::string, Step, Verdict>>{
           {"greeting", "554 go away", Step::connect, Verdict::relay_fails},
           {"greeting", "421 busy", Step::connect, Verdict::relay_fails},
           {"greeting", "nonsense", Step::connect, Verdict::relay_fails},
           {"EHLO", "421 busy", Step::connect, Verdict::relay_fails},
           {"STARTTLS", "454 no TLS now", Step::tls, Verdict::relay_fails},
           {"AUTH", "535 5.7.8 wrong password", Step::login, Verdict::login_refused},
           {"AUTH", "454 4.7.0 later", Step::login, Verdict::relay_fails}}) {
    reply_once(command, reply);
    EXPECT_EQ(refusal(), (std::pair{step, verdict})) << command << ": " << reply;
  }
}

TEST_F(SessionTest, goes_only_to_permitted_addresses) {
  const SmtpSink& sink = start();
  relay_.permits = [](const Ip& address) { return is_public(address); };
  queue(1);
  EXPECT_EQ(refusal(), (std::pair{Step::connect, Verdict::relay_fails}));
  EXPECT_EQ(sink.connections(), 0);
}

}  // namespace

}  // namespace shopbell::net::smtp
