#include "net/smtp/session.h"

#include <algorithm>
#include <charconv>
#include <format>
#include <span>
#include <utility>

#include "base/base64.h"
#include "base/mail_limits.h"
#include "base/text.h"
#include "net/smtp/wire_form.h"

namespace shopbell::net::smtp {

namespace {

std::string base64_of(std::string_view text) {
  return to_base64({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

// Throws NoSession unless the reply is positive.
void require(Step step, const Reply& reply) {
  if (reply.is_positive()) return;
  throw NoSession{step, judge(step, reply), std::format("{} {}", reply.code, reply.text)};
}

Ending refused(Step step, Reply reply) {
  const Verdict verdict = judge(step, reply);
  const bool blames_letter = verdict != Verdict::relay_fails && verdict != Verdict::login_refused &&
                             verdict != Verdict::sender_refused;
  return {.fate = blames_letter ? Fate::refused : Fate::returned,
          .verdict = verdict,
          .step = step,
          .reply = std::move(reply)};
}

// Calls action for each word of the text.
template <class Action>
void for_each_word(std::string_view text, Action action) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end > 0) action(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace

asio::awaitable<std::unique_ptr<Session>> Session::open(asio::any_io_executor executor,
                                                        const Relay& relay,
                                                        asio::ssl::context& context) {
  std::unique_ptr<Session> session{new Session{executor}};
  co_await session->begin(relay, context);
  co_return session;
}

asio::awaitable<void> Session::begin(const Relay& relay, asio::ssl::context& context) {
  Step step = Step::connect;
  try {
    co_await line_.connect(relay.host, relay.port, relay.permits, limits::kRelayConnect);
    if (relay.security == Relay::Security::implicit) {
      step = Step::tls;
      co_await line_.start_tls(context, relay.host, limits::kRelayHandshake);
      step = Step::connect;
    }
    require(step, co_await line_.read_reply(limits::kRelayGreeting));
    co_await say_hello(relay.our_name);
    if (relay.security == Relay::Security::starttls) {
      step = Step::tls;
      if (!offers_.starttls)
        throw NoSession{step, Verdict::relay_fails, "the relay does not offer STARTTLS"};
      require(step, co_await ask("STARTTLS", limits::kRelayGreeting));
      co_await line_.start_tls(context, relay.host, limits::kRelayHandshake);
      // Without TLS somebody could have changed the offers.
      co_await say_hello(relay.our_name);
    }
    step = Step::login;
    if (!relay.user.empty()) co_await log_in(relay);
  } catch (const LineLost& error) {
    throw NoSession{step, Verdict::relay_fails, error.what()};
  } catch (const BadReply& error) {
    throw NoSession{step, Verdict::relay_fails, error.what()};
  }
  offers_.pipelining = offers_.pipelining && relay.may_pipeline;
}

asio::awaitable<Reply> Session::ask(std::string command, Line::Duration time) {
  command += "\r\n";
  co_await line_.write(command, time);
  co_return co_await line_.read_reply(time);
}

asio::awaitable<void> Session::say_hello(const std::string& our_name) {
  const Reply reply = co_await ask("EHLO " + our_name, limits::kRelayGreeting);
  offers_ = {};
  if (reply.is_permanent()) {  // a relay that knows no extensions
    require(Step::connect, co_await ask("HELO " + our_name, limits::kRelayGreeting));
    co_return;
  }
  require(Step::connect, reply);
  std::string_view lines{reply.text};
  bool is_first = true;  // the first line greets
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    const std::string line = lower_ascii(lines.substr(0, end));
    lines.remove_prefix(std::min(end + 1, lines.size()));
    if (std::exchange(is_first, false)) continue;
    if (line == "pipelining") offers_.pipelining = true;
    if (line == "starttls") offers_.starttls = true;
    if (line == "dsn") offers_.dsn = true;
    if (line == "smtputf8") offers_.smtputf8 = true;
    if (line.starts_with("size ")) {
      std::uint64_t most = 0;
      std::from_chars(line.data() + 5, line.data() + line.size(), most);
      if (most > 0) offers_.size_most = most;  // 0 means no limit
    }
    if (!line.starts_with("auth ")) continue;
    for_each_word(line, [&](std::string_view word) {
      offers_.plain = offers_.plain || word == "plain";
      offers_.login = offers_.login || word == "login";
    });
  }
}

asio::awaitable<void> Session::log_in(const Relay& relay) {
  if (!line_.has_tls())
    throw NoSession{Step::login, Verdict::login_refused, "a password is sent only with TLS"};
  if (!offers_.plain && !offers_.login)
    throw NoSession{Step::login, Verdict::login_refused,
                    "the relay offers neither AUTH PLAIN nor AUTH LOGIN"};
  if (!offers_.plain) co_return co_await log_in_by_steps(relay);
  std::string secret;
  secret.append(1, '\0').append(relay.user).append(1, '\0').append(relay.password);
  require(Step::login, co_await ask("AUTH PLAIN " + base64_of(secret), limits::kRelayGreeting));
}

asio::awaitable<void> Session::log_in_by_steps(const Relay& relay) {
  for (const std::string& line :
       {std::string{"AUTH LOGIN"}, base64_of(relay.user), base64_of(relay.password)}) {
    const Reply reply = co_await ask(line, limits::kRelayGreeting);
    if (!reply.is_intermediate()) co_return require(Step::login, reply);
  }
  throw NoSession{Step::login, Verdict::login_refused, "the relay does not end the login"};
}

void Session::lose() {
  is_lost_ = true;
  line_.close();
}

bool Session::can_send() const {
  return !is_lost_ && letters_ < limits::kRelayMessages &&
         Clock::now() - opened_ < limits::kRelayAge;
}

std::optional<Ending> Session::refuse(const Letter& letter) const {
  const auto refusal = [](Verdict verdict, Step step, Reply reply) {
    return Ending{
        .fate = Fate::refused, .verdict = verdict, .step = step, .reply = std::move(reply)};
  };
  for (const std::string* address : {&letter.from, &letter.to}) {
    const bool is_sender = address == &letter.from;
    const Step step = is_sender ? Step::mail : Step::recipient;
    const Verdict verdict = is_sender ? Verdict::sender_refused : Verdict::unknown_recipient;
    if (const auto fault = fault_of_address(*address))
      return refusal(verdict, step, {.code = 501, .enhanced = "5.1.3", .text = *fault});
    if (needs_smtputf8(*address) && !offers_.smtputf8)
      return refusal(verdict, step,
                     {.code = 553,
                      .enhanced = "5.6.7",
                      .text = "the relay does not offer SMTPUTF8, which the address needs"});
  }
  if (!is_wire_form(letter.wire))
    return refusal(Verdict::policy, Step::data,
                   {.code = 554, .enhanced = "5.6.0", .text = "the message is not in wire form"});
  if (offers_.size_most && letter.wire.size() > *offers_.size_most)
    return refusal(Verdict::policy, Step::mail,
                   {.code = 552,
                    .enhanced = "5.3.4",
                    .text = std::format("the relay takes at most {} bytes", *offers_.size_most)});
  return std::nullopt;
}

// Returns a letter that the relay can get; those that it cannot end here.
std::optional<Letter> Session::take(const Next& next, const Ended& ended) {
  while (can_send()) {
    std::optional<Letter> letter = next();
    if (!letter) return std::nullopt;
    auto refusal = refuse(*letter);
    if (!refusal) {
      ++letters_;
      return letter;
    }
    ended(*letter, std::move(*refusal));
  }
  return std::nullopt;
}

// The three commands before the text of a letter.
std::string Session::envelope(const Letter& letter) const {
  std::string commands = std::format("MAIL FROM:<{}>", letter.from);
  if (offers_.size_most) commands += std::format(" SIZE={}", letter.wire.size());
  if (offers_.dsn) commands += std::format(" RET=HDRS ENVID={}", letter.id);
  if (needs_smtputf8(letter.from) || needs_smtputf8(letter.to)) commands += " SMTPUTF8";
  commands += std::format("\r\nRCPT TO:<{}>", letter.to);
  if (offers_.dsn) commands += " NOTIFY=FAILURE";
  commands += "\r\nDATA\r\n";
  return commands;
}

asio::awaitable<void> Session::send(Next next, Ended ended) {
  std::optional<Letter> letter = take(next, ended);
  bool is_written = false;  // the letter's commands were written with the letter before
  while (letter) {
    if (auto ending = co_await open_letter(*letter, is_written)) {
      ended(*letter, std::move(*ending));
      letter = take(next, ended);
      is_written = false;
      continue;
    }
    if (Clock::now() >= letter->good_until) {
      lose();
      ended(*letter, {.step = Step::data, .detail = "the letter waited too long"});
      co_return;
    }
    std::optional<Letter> following;
    if (offers_.pipelining) following = take(next, ended);
    Ending ending = co_await finish(*letter, following ? envelope(*following) : "");
    const std::string detail = ending.detail;
    ended(*letter, std::move(ending));
    if (is_lost_ && following) {
      ended(*following, {.fate = Fate::returned, .step = Step::mail, .detail = detail});
      co_return;
    }
    is_written = following.has_value();
    letter = following ? std::move(following) : take(next, ended);
  }
}

// Leads the relay to the letter's text. Returns the ending if the relay does not want it.
asio::awaitable<std::optional<Ending>> Session::open_letter(const Letter& letter, bool is_written) {
  Step step = Step::mail;
  std::optional<Ending> ending;
  try {
    const std::string commands = envelope(letter);
    const bool is_grouped = offers_.pipelining;
    if (is_grouped && !is_written) co_await line_.write(commands, limits::kRelayCommand);
    std::string_view rest = commands;
    Reply reply;
    for (step = Step::mail; step <= Step::data;
         step = static_cast<Step>(std::to_underlying(step) + 1)) {
      const std::size_t end = rest.find('\n') + 1;
      if (!is_grouped) co_await line_.write(rest.substr(0, end), limits::kRelayCommand);
      rest.remove_prefix(end);
      reply = co_await line_.read_reply(limits::kRelayCommand);
      const bool is_wanted = step == Step::data ? reply.is_intermediate() : reply.is_positive();
      if (!is_wanted && !ending) ending = refused(step, reply);
      if (reply.code == 421) break;
      if (ending && !is_grouped) break;
    }
    if (reply.code == 421) {
      lose();
    } else if (ending) {
      co_await withdraw(reply);
    }
    co_return ending;
  } catch (const std::runtime_error& error) {  // LineLost or BadReply
    lose();
    if (ending) co_return ending;
    co_return Ending{.fate = Fate::returned, .step = step, .detail = error.what()};
  }
}

// Ends a transaction that the relay has refused in part.
asio::awaitable<void> Session::withdraw(const Reply& data) {
  // The relay waits for a text although it refused the recipient: it gets an empty one.
  if (data.is_intermediate()) {
    co_await line_.write(".\r\n", limits::kRelayCommand);
    co_await line_.read_reply(limits::kRelayEnd);
  }
  const Reply reply = co_await ask("RSET", limits::kRelayCommand);
  if (!reply.is_positive()) throw LineLost{"the relay refused RSET"};
}

// Writes the letter's text and the commands of the following one, and reads what became of it.
asio::awaitable<Ending> Session::finish(const Letter& letter, const std::string& following) {
  bool has_ended = false;  // a write with the letter's end was begun
  std::string detail;
  try {
    std::string_view rest = letter.wire;
    while (rest.size() > limits::kRelayBlockBytes) {
      co_await line_.write(rest.substr(0, limits::kRelayBlockBytes), limits::kRelayBlock);
      rest.remove_prefix(limits::kRelayBlockBytes);
    }
    std::string last{rest};
    last += following;
    has_ended = true;
    co_await line_.write(last, limits::kRelayBlock);
  } catch (const LineLost& error) {
    lose();
    detail = error.what();
  }
  if (is_lost_) {
    co_return Ending{.fate = has_ended ? Fate::unknown : Fate::returned,
                     .step = Step::end,
                     .detail = std::move(detail)};
  }
  try {
    Reply reply = co_await line_.read_reply(limits::kRelayEnd);
    if (reply.code == 421) lose();
    if (reply.is_positive())
      co_return Ending{.fate = Fate::accepted,
                       .verdict = Verdict::accepted,
                       .step = Step::end,
                       .reply = std::move(reply)};
    if (reply.is_transient() || reply.is_permanent())
      co_return refused(Step::end, std::move(reply));
    detail = "the relay's last reply makes no sense";
  } catch (const std::runtime_error& error) {  // LineLost or BadReply
    detail = error.what();
  }
  lose();
  co_return Ending{.fate = Fate::unknown, .step = Step::end, .detail = std::move(detail)};
}

asio::awaitable<void> Session::close() {
  if (!is_lost_) {
    try {
      co_await ask("QUIT", limits::kRelayQuit);
    } catch (const std::runtime_error&) {
      // The relay hung up first.
    }
  }
  lose();
}

}  // namespace shopbell::net::smtp
