#include "tests/proofs/actors/travellers.h"

#include <algorithm>
#include <chrono>
#include <format>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "tests/proofs/actors/log_load.h"

namespace shopbell::proofs {

using namespace std::chrono_literals;

namespace {

constexpr std::size_t kTravellersPerRequest = 500;
constexpr auto kBetweenTravellers = 40ms;

}  // namespace

Travellers::Travellers(const WorkflowShop& shop, std::size_t contacts, std::uint64_t seed)
    : shop_{shop}, contacts_{contacts}, random_{seed} {}

void Travellers::send(const std::string& type, const std::string& lines, std::int64_t count) {
  const std::string body = shop_.ask({.method = "POST",
                                      .path = "/custom-events/alias/" + type,
                                      .body = lines,
                                      .headers = {{"Content-Type", "application/x-ndjson"}}});
  if (body.contains(R"("status":"rejected")"))
    throw std::runtime_error{"an event was rejected: " + body.substr(0, 300)};
  events += count;
}

void Travellers::join_all(std::size_t people) {
  while (joined_ < people) {
    std::vector<std::size_t> some;
    while (joined_ < people && some.size() < kTravellersPerRequest) some.push_back(joined_++);
    join(some);
  }
}

// Half of those who join later have had a journey before.
std::size_t Travellers::draw_contact() {
  const bool is_new = joined_ < contacts_ && random_() % 2 == 0;
  return is_new ? joined_++ : random_() % joined_;
}

void Travellers::join(const std::vector<std::size_t>& contacts) {
  std::vector<std::string> keys;
  std::string lines;
  for (const std::size_t contact : contacts) {
    const std::string key = std::format("way-{}", journeys_.size());
    journeys_[key] = {.contact = contact};
    keys.push_back(key);
    lines +=
        std::format(R"({{"contact":{{"externalId":"{}"}},"payload":{{"key":"{}","place":"{}"}}}})",
                    log_contact(contact), key, kPlaces.at(random_() % kPlaces.size()));
    lines += '\n';
  }
  send("join", lines, static_cast<std::int64_t>(keys.size()));
  std::ranges::move(keys, std::back_inserter(waiting_));
}

void Travellers::send_on(const std::vector<std::string>& keys) {
  std::string lines;
  for (const auto& key : keys) {
    Journey& journey = journeys_.at(key);
    journey.is_told_to_go = true;
    lines += std::format(R"({{"contact":{{"externalId":"{}"}},"payload":{{"key":"{}"}}}})",
                         log_contact(journey.contact), key);
    lines += '\n';
  }
  if (!keys.empty()) send("go", lines, static_cast<std::int64_t>(keys.size()));
}

void Travellers::send_all_on() {
  std::ranges::shuffle(waiting_, random_);
  while (!waiting_.empty()) {
    const std::size_t left = waiting_.size() - std::min(waiting_.size(), kTravellersPerRequest);
    send_on({waiting_.begin() + static_cast<std::ptrdiff_t>(left), waiting_.end()});
    waiting_.resize(left);
  }
}

void Travellers::start() {
  thread_ = std::jthread{[this](const std::stop_token& stopping) {
    try {
      run(stopping);
    } catch (const std::exception& error) {
      trouble_ = error.what();
    }
  }};
}

void Travellers::stop() {
  thread_.request_stop();
  thread_.join();
  if (!trouble_.empty()) throw std::runtime_error{trouble_};
}

void Travellers::run(const std::stop_token& stopping) {
  while (!stopping.stop_requested()) {
    std::vector<std::size_t> contacts(1 + random_() % 5);
    for (auto& contact : contacts) contact = draw_contact();
    join(contacts);
    std::vector<std::string> keys;
    for (std::size_t i = random_() % 6; i > 0 && !waiting_.empty(); --i) {
      std::swap(waiting_[random_() % waiting_.size()], waiting_.back());
      keys.push_back(std::move(waiting_.back()));
      waiting_.pop_back();
    }
    send_on(keys);
    std::this_thread::sleep_for(kBetweenTravellers);
  }
}

}  // namespace shopbell::proofs
