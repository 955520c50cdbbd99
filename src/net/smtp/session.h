// Session: one connection to a relay, over which letters go one after the other.
//
// With PIPELINING (RFC 2920) the text of a letter and the commands of the next one are written
// together, so that each letter takes one round trip. SMTP cannot say what became of a letter when
// the connection is lost after its end was written: such a letter is `unknown`, and only its sender
// can decide whether to send it again.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "net/smtp/line.h"
#include "net/smtp/reply.h"
#include "net/smtp/verdict.h"

namespace shopbell::net::smtp {

struct Relay {
  enum class Security : std::uint8_t {
    starttls,  // required: a relay that does not offer it is refused
    implicit,
    none,  // only if the operator says so
  };

  std::string host;
  std::uint16_t port = 587;
  Security security = Security::starttls;
  std::string user = {};  // empty: no login
  std::string password = {};
  std::string our_name = "localhost";  // introduces us in EHLO
  bool may_pipeline = true;            // false for relays whose pipelining is broken
  Permits permits = {};                // the addresses that a connection may go to; empty: all
};

// A message with its envelope: one sender, one recipient.
struct Letter {
  std::string id;    // the relay repeats it in bounces (ENVID); letters, digits and - only
  std::string from;  // the return path
  std::string to;
  std::string wire;  // the message, see to_wire_form()
  // No byte of the message is written later than this.
  std::chrono::steady_clock::time_point good_until = std::chrono::steady_clock::time_point::max();
};

enum class Fate : std::uint8_t {
  accepted,  // the relay has taken responsibility
  refused,   // the relay has refused the letter: the verdict says whether to try it again
  returned,  // the relay cannot have accepted it, and no letter is to blame
  unknown,   // the relay may or may not have accepted it
};

struct Ending {
  Fate fate = Fate::returned;
  Verdict verdict = Verdict::relay_fails;  // of a refused letter
  Step step = Step::connect;               // of the reply
  Reply reply = {};                        // the reply that decided; its code is 0 if none did
  std::string detail = {};                 // why there is no reply
};

// The relay cannot be used: it gave no session. No letter was sent.
class NoSession : public std::runtime_error {
 public:
  NoSession(Step failed, Verdict judged, const std::string& why)
      : std::runtime_error{why}, step{failed}, verdict{judged} {}
  const Step step;
  const Verdict verdict;
};

class Session {
 public:
  // Gives the next letter, or nullopt if none waits. It is called only when the session can take
  // one.
  using Next = std::function<std::optional<Letter>()>;
  // Takes what became of a letter. It is called exactly once for each letter that Next gave.
  using Ended = std::function<void(const Letter&, Ending)>;

  // Connects, begins TLS and logs in. Throws NoSession. The context decides which authorities are
  // trusted; it must outlive the session.
  static asio::awaitable<std::unique_ptr<Session>> open(asio::any_io_executor executor,
                                                        const Relay& relay,
                                                        asio::ssl::context& context);

  // Sends letters until Next gives none or the session can take no more. Throws what Next and Ended
  // throw.
  asio::awaitable<void> send(Next next, Ended ended);

  // False when the connection is lost, too old or used up. Close the session then.
  bool can_send() const;
  // Says goodbye, if the relay still listens.
  asio::awaitable<void> close();

 private:
  using Clock = std::chrono::steady_clock;

  // The extensions that the relay offers (EHLO).
  struct Offers {
    bool pipelining = false;
    bool starttls = false;
    bool dsn = false;
    bool smtputf8 = false;
    bool plain = false;  // AUTH PLAIN
    bool login = false;  // AUTH LOGIN
    std::optional<std::uint64_t> size_most;
  };

  explicit Session(const asio::any_io_executor& executor) : line_{executor} {}

  asio::awaitable<void> begin(const Relay& relay, asio::ssl::context& context);
  asio::awaitable<void> say_hello(const std::string& our_name);
  asio::awaitable<void> log_in(const Relay& relay);
  asio::awaitable<void> log_in_by_steps(const Relay& relay);
  void lose();
  asio::awaitable<Reply> ask(std::string command, Line::Duration time);

  // Why the relay will not get the letter at all; nullopt if it will.
  std::optional<Ending> refuse(const Letter& letter) const;
  std::optional<Letter> take(const Next& next, const Ended& ended);
  std::string envelope(const Letter& letter) const;

  asio::awaitable<std::optional<Ending>> open_letter(const Letter& letter, bool is_written);
  asio::awaitable<void> withdraw(const Reply& data);
  asio::awaitable<Ending> finish(const Letter& letter, const std::string& following);

  Line line_;
  Offers offers_;
  bool is_lost_ = false;
  std::size_t letters_ = 0;
  Clock::time_point opened_ = Clock::now();
};

}  // namespace shopbell::net::smtp
