// Actors: whoever else writes to the database of the simulated service: the store, which sends
// events and changes contacts; the sender of messages; and operators, who publish versions, pause
// workflows and command runs.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "simulator/flows.h"
#include "simulator/random.h"
#include "simulator/world.h"

namespace shopbell::simulator {

class Actors {
 public:
  Actors(World& world, Random& random, int contacts, int workflows);

  // One of them does something. `alone`: no transaction of the lanes is open.
  void act(bool alone);
  // Ends open transactions and pauses, and settles all messages and deliveries. Returns false if
  // there was nothing to do.
  bool finish();

  const std::vector<ContactKey>& contacts() const { return contacts_; }
  const std::vector<Uuid>& workflows() const { return ids_; }

 private:
  // A transaction that has drawn ids and is not committed yet.
  struct Open {
    std::vector<std::int64_t> events;
    std::vector<ContactKey> locked;
    std::vector<Uuid> messages;
    std::function<void()> effect;
  };

  void send_event();
  void change_contact();
  void merge_contacts();
  void erase_contact();
  void claim_message();
  void end_delivery();
  void click();
  void publish(std::size_t number);
  void pause_or_resume();
  void command_run();
  // schedules_and_products.cc
  void start_on_schedule();
  void restock_product();
  void wake_waiting();

  void settle(const Uuid& message);
  void commit(Open& open);
  void begin(Open open);
  ContactKey* free_contact();
  Entry entry(const ContactKey& owner, const std::string& kind, std::string payload) const;
  void append(const ContactKey& owner, const std::string& kind, const std::string& payload);
  std::string event_data();
  void wake(std::int64_t product_event);
  // Appends an event for the lanes of one group.
  void append_for_group(std::int16_t group, std::string_view kind, std::string payload);
  void command(const Uuid& workflow, const std::string& command, const std::string& more,
               const std::function<bool(const engine::Run&)>& chosen);

  World& world_;
  Random& random_;
  std::vector<ContactKey> contacts_;
  std::vector<Uuid> ids_;
  std::vector<Flow> flows_;
  std::vector<Open> open_;
  std::vector<std::int64_t> product_events_;   // for which no runs were woken yet
  std::vector<std::function<void()>> chores_;  // that wait until no transaction is open
};

}  // namespace shopbell::simulator
