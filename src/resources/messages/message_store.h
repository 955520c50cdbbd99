// Planning and withdrawing messages, inside the transactions of lanes. All functions run as the
// worker role.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pg/group.h"
#include "pg/result.h"
#include "resources/contacts/lane_contacts.h"
#include "resources/messages/message.h"

namespace shopbell::messages {

// Inserts messages, with their events.
void plan(pg::Group& effect, std::span<const PlannedMessage> planned);

// Ends planned messages as `skipped`. Those that a claim has locked, or that have ended, stay.
void withdraw(pg::Group& effect, std::span<const Withdrawal> withdrawals);
// Whether each message was withdrawn, in the order of the call.
std::vector<bool> found_withdrawals(const pg::Result& result, std::size_t count);

// Moves the messages of merged contacts.
struct MergedContact {
  std::int64_t account = 0;
  Uuid from;
  Uuid into;
  std::int16_t lane = 0;  // of `into`
};
void move_to(pg::Group& effect, std::span<const MergedContact> merged);

// Ends the planned messages of erased contacts, and forgets the contact of all others.
void forget_contacts(pg::Group& effect, std::span<const contacts::AccountContact> erased);

}  // namespace shopbell::messages
