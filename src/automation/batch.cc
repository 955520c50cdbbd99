#include "automation/batch.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "events/event.h"

namespace shopbell::automation {

namespace {

constexpr int kRounds = 50;  // of steps that lack facts

// The questions of one round, and what to do with their answers.
class Asking {
 public:
  void ask(PersonSteps& person);
  bool empty() const { return questions_.empty(); }
  Questions take() { return std::move(questions_); }
  void give(Answers answers);

 private:
  struct Asked {
    PersonSteps* person;
    std::string kind;  // of histories
    std::pair<std::string, std::string> object;
    Uuid id;  // of claims and messages
  };

  Questions questions_;
  std::vector<Asked> histories_;
  std::vector<Asked> objects_;
  std::vector<Asked> coupons_;
  std::vector<Asked> withdrawals_;
};

void Asking::ask(PersonSteps& person) {
  for (const auto& need : person.needs()) {
    if (const auto* history = std::get_if<engine::HistoryNeed>(&need)) {
      questions_.histories.push_back({.owner = person.owner(),
                                      .kind = history->kind,
                                      .since = history->since,
                                      .before = person.before()});
      histories_.push_back({.person = &person, .kind = history->kind, .object = {}, .id = {}});
    } else if (const auto* object = std::get_if<engine::ObjectNeed>(&need)) {
      questions_.objects.push_back(
          {.account = person.owner().account, .type = object->type, .id = object->id});
      objects_.push_back(
          {.person = &person, .kind = {}, .object = {object->type, object->id}, .id = {}});
    } else if (const auto* coupon = std::get_if<engine::CouponNeed>(&need)) {
      questions_.coupons.push_back({.owner = person.owner(), .need = *coupon});
      coupons_.push_back({.person = &person, .kind = {}, .object = {}, .id = coupon->claim});
    } else {
      const auto& withdrawal = std::get<engine::WithdrawNeed>(need);
      if (person.plans(withdrawal.message)) {
        person.facts().withdrawn[withdrawal.message] = true;
        continue;
      }
      questions_.withdrawals.push_back({.account = person.owner().account, .need = withdrawal});
      withdrawals_.push_back(
          {.person = &person, .kind = {}, .object = {}, .id = withdrawal.message});
    }
  }
}

void Asking::give(Answers answers) {
  for (std::size_t i = 0; i < histories_.size(); ++i) {
    auto& known = histories_[i].person->facts().histories[histories_[i].kind];
    // Two conditions may ask for the same kind: the longer history answers both.
    if (known.events.empty() || answers.histories[i].since < known.since)
      known = std::move(answers.histories[i]);
  }
  for (std::size_t i = 0; i < objects_.size(); ++i)
    objects_[i].person->facts().objects[objects_[i].object] = std::move(answers.objects[i]);
  for (std::size_t i = 0; i < coupons_.size(); ++i)
    coupons_[i].person->facts().coupons[coupons_[i].id] = std::move(answers.coupons[i]);
  for (std::size_t i = 0; i < withdrawals_.size(); ++i)
    withdrawals_[i].person->facts().withdrawn[withdrawals_[i].id] = answers.withdrawn[i];
}

}  // namespace

// The enrolments follow from the remembered definitions; complete() asks for those that are
// missing.
Wanted Batch::wanted(const Inputs& inputs) {
  Wanted wanted;
  for (const auto& [owner, some] : inputs) {
    wanted.contacts.insert(owner);
    const auto known = definitions_.remembered(owner.account);
    if (!known) continue;
    for (const auto& input : some) {
      const auto* happened = std::get_if<HappenedEvent>(&input.what);
      if (happened == nullptr) continue;
      const auto started = known->started_by.find(happened->event.kind);
      if (started == known->started_by.end()) continue;
      for (const auto& workflow : started->second)
        wanted.enrolments.insert({.owner = owner, .workflow = workflow});
    }
  }
  return wanted;
}

boost::asio::awaitable<void> Batch::prepare(Loaded& loaded, Inputs inputs) {
  for (const auto& [account, versions] : loaded.accounts)
    accounts_[account] = co_await definitions_.get(account, versions);
  std::map<ContactKey, std::size_t> index;
  people_.reserve(inputs.size());
  for (auto& [owner, some] : inputs) {
    const auto account = accounts_.find(owner.account);
    if (account == accounts_.end()) continue;  // the account is deleted, or has no workflows
    const auto contact = loaded.contacts.find(owner);
    const auto merged = loaded.merged.find(owner);
    index[owner] = people_.size();
    people_.emplace_back(
        owner, std::move(some), *account->second,
        contact == loaded.contacts.end() ? engine::Data{} : contact->second(*account->second),
        merged == loaded.merged.end() ? std::nullopt : std::optional{merged->second});
  }
  for (auto& run : loaded.runs)
    if (const auto at = index.find(run.owner); at != index.end())
      people_[at->second].add(std::move(run));
  for (auto& enrolment : loaded.enrolments)
    if (const auto at = index.find(enrolment.owner); at != index.end())
      people_[at->second].add(std::move(enrolment));
}

// Reads what the definitions ask for beyond the first round trip. Mostly it is nothing.
boost::asio::awaitable<void> Batch::complete() {
  std::map<std::int64_t, std::set<std::pair<Uuid, std::int64_t>>> versions;
  for (const auto& person : people_) versions[person.owner().account].merge(person.versions());
  for (auto& [account, wanted] : versions) {
    auto& known = *accounts_.at(account);
    std::erase_if(wanted,
                  [&](const auto& one) { return known.has_version(one.first, one.second); });
    if (!wanted.empty()) co_await definitions_.add_versions(account, known, std::move(wanted));
  }
  Questions questions;
  std::vector<PersonSteps*> owners;
  std::map<ContactKey, PersonSteps*> by_owner;
  for (auto& person : people_) {
    by_owner[person.owner()] = &person;
    for (const auto& key : person.triggers()) {
      questions.triggers.emplace_back(person.owner().account, key);
      owners.push_back(&person);
    }
    for (const auto& workflow : person.entered_workflows()) {
      const EnrolmentsOf some{.owner = person.owner(), .workflow = workflow};
      if (!loaded_enrolments_.contains(some)) questions.enrolments.push_back(some);
    }
  }
  if (questions.empty()) co_return;
  const auto keys = questions.triggers;
  Answers answers = co_await store_.look_up(std::move(questions));
  for (std::size_t i = 0; i < owners.size(); ++i)
    owners[i]->give_trigger(keys[i].second, answers.triggers[i]);
  for (auto& enrolment : answers.enrolments)
    by_owner.at(enrolment.owner)->add(std::move(enrolment));
}

boost::asio::awaitable<void> Batch::step_all() {
  std::vector<PersonSteps*> waiting;
  waiting.reserve(people_.size());
  for (auto& person : people_) waiting.push_back(&person);
  for (int round = 0; !waiting.empty(); ++round) {
    if (round == kRounds) throw std::logic_error{"a step keeps asking for facts"};
    Asking asking;
    for (auto* person : waiting) {
      person->step();
      asking.ask(*person);
    }
    std::erase_if(waiting, [](const PersonSteps* person) { return person->needs().empty(); });
    if (!asking.empty()) asking.give(co_await store_.look_up(asking.take()));
  }
}

boost::asio::awaitable<Writes> Batch::writes() {
  std::set<ContactKey> locked;
  for (const auto& person : people_)
    if (person.acts_outward()) locked.insert(person.owner());
  if (!locked.empty()) {
    event_log::Busy busy;
    for (const auto& owner : co_await store_.lock(std::move(locked)))
      busy.groups.push_back(
          static_cast<std::int16_t>(events::lane_of(owner.account, owner.contact) >> 4));
    if (!busy.groups.empty()) throw std::move(busy);
  }
  Writes writes;
  for (const auto& person : people_) person.add_to(writes);
  // Also purchases without a contact, and those whose contact was erased meanwhile.
  for (const auto* entry : work_.entries)
    if (const auto purchase = purchase_of(*entry); !purchase.empty())
      writes.purchases.try_emplace({entry->account, purchase});
  bound_timers(writes);
  co_return writes;
}

// A timer that is earlier than the last one that fired would not be found.
void Batch::bound_timers(Writes& writes) const {
  std::map<Uuid, Instant> moved;
  for (auto& timer : writes.timers) {
    const auto from = work_.arm_from.find(timer.group);
    if (from == work_.arm_from.end() || timer.due_at >= from->second) continue;
    timer.due_at = from->second;
    moved[timer.run] = timer.due_at;
  }
  if (moved.empty()) return;
  for (auto* rows : {&writes.started, &writes.moved})
    for (auto& row : *rows)
      if (const auto at = moved.find(row.run.id); at != moved.end()) row.timer_at = at->second;
}

boost::asio::awaitable<std::map<std::int16_t, Instant>> Batch::run() {
  Inputs inputs = inputs_of(work_);
  Wanted first = wanted(inputs);
  loaded_enrolments_ = first.enrolments;
  Loaded loaded = co_await store_.load(std::move(first));
  co_await prepare(loaded, std::move(inputs));
  co_await complete();
  co_await step_all();
  Writes all = co_await writes();
  std::map<std::int16_t, Instant> armed;
  for (const auto& timer : all.timers) {
    const auto earliest = armed.try_emplace(timer.group, timer.due_at).first;
    earliest->second = std::min(earliest->second, timer.due_at);
  }
  has_planned_ = !all.messages.empty();
  for (const auto* rows : {&all.started, &all.moved})
    parked_ += std::ranges::count_if(*rows, [](const StoredRun& row) {
      return row.run.state == engine::RunState::parked && !row.run.trail.empty();
    });
  co_await store_.write(std::move(all));
  co_return armed;
}

}  // namespace shopbell::automation
