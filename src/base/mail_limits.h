// Limits of mail, beside those of limits.h: of the dialogue with a relay.
#pragma once

#include <chrono>
#include <cstddef>

namespace shopbell::limits {

// Replies of a relay. RFC 5321 allows lines of 512 bytes; some servers send longer ones.
inline constexpr std::size_t kReplyLineBytes = 2'048;
inline constexpr std::size_t kReplyLines = 100;

// Timeouts of a session with a relay. RFC 5321, 4.5.3.2, has longer ones for the steps before the
// message: to fail there is safe. It is not once the whole message may have arrived.
inline constexpr auto kRelayConnect = std::chrono::seconds{10};
inline constexpr auto kRelayHandshake = std::chrono::seconds{15};  // of TLS
inline constexpr auto kRelayGreeting = std::chrono::seconds{60};   // greeting, EHLO and login
inline constexpr auto kRelayCommand = std::chrono::minutes{2};     // MAIL, RCPT, DATA and RSET
inline constexpr auto kRelayBlock = std::chrono::minutes{3};       // a part of a message
inline constexpr auto kRelayEnd = std::chrono::minutes{10};        // reply to the end of a message
inline constexpr auto kRelayQuit = std::chrono::seconds{5};

// A session is closed after so many messages, or so long.
inline constexpr std::size_t kRelayMessages = 100;
inline constexpr auto kRelayAge = std::chrono::minutes{5};

inline constexpr std::size_t kRelayBlockBytes = std::size_t{64} * 1024;  // written at once

}  // namespace shopbell::limits
