// Verdict: judges a reply that refuses something. It says who is to blame, and so who does what:
// a relay that fails must not cost a message its attempts, and a refused text blames no recipient.
#pragma once

#include <cstdint>

#include "net/smtp/reply.h"

namespace shopbell::net::smtp {

// The step of the dialogue that a reply belongs to.
enum class Step : std::uint8_t { connect, tls, login, mail, recipient, data, end };

enum class Verdict : std::uint8_t {
  accepted,
  relay_fails,            // the relay cannot work now: try it again later, no message is to blame
  login_refused,          // the relay does not accept our credentials: an operator must act
  sender_refused,         // the relay does not accept this sender: its owner must act
  too_fast,               // the relay or the recipient's domain takes less: slow down
  try_later,              // the recipient's server asks to come back, as greylisting does
  unknown_recipient,      // a hard bounce: the address does not exist
  unreachable_recipient,  // a soft bounce: a full mailbox, for example
  policy,  // the text or the domain's reputation was refused; the recipient is not to blame
};

Verdict judge(Step step, const Reply& reply);

}  // namespace shopbell::net::smtp
