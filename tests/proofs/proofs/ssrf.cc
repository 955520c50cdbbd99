// Tries a store's URLs against the rules for outgoing requests, in a network where every address
// listens: each connection can be counted.
#include <format>
#include <map>
#include <ranges>

#include "net/http_client.h"
#include "tests/proofs/actors/island.h"
#include "tests/proofs/actors/landing.h"
#include "tests/proofs/actors/proof.h"
#include "tests/proofs/actors/ssrf_tricks.h"

namespace shopbell::proofs {

namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using net::Failure;
using Outcome = std::expected<net::Answer, net::Trouble>;

constexpr std::size_t kRebindings = 300;
constexpr auto kPatience = 2s;  // timeout of one request

// Uses a new client for each request, so that no DNS answer is cached.
Outcome ask(const std::string& url, const std::optional<net::OutsideRules>& rules,
            int requests = 1) {
  asio::io_context loop;
  net::HttpClient client{loop, {.outside = rules}};
  std::optional<Outcome> outcome;
  for (int i = 0; i < requests; ++i) {
    loop.restart();
    asio::co_spawn(loop, client.request({.url = url, .time_limit = kPatience}),
                   [&](const std::exception_ptr& error, Outcome answer) {
                     if (error) std::rethrow_exception(error);
                     outcome = std::move(answer);
                     loop.stop();
                   });
    loop.run();
  }
  return *std::move(outcome);
}

class Attack {
 public:
  explicit Attack(std::uint64_t seed)
      : random_(seed),
        landing_({std::string{kPublicV4}, std::string{kPublicV4Other}, std::string{kPublicV6}}) {}

  std::string run() {
    const std::vector<Trick> tricks = all_tricks(random_);
    for (const auto& trick : tricks) try_guarded(trick);
    rebind();
    redirect();
    const Landed intruders = landing_.intruders();
    for (const auto& place : intruders.places) wrong("connected to " + place);

    reach_what_is_outside();
    reach_what_is_listed();
    const std::size_t open = count_unguarded(tricks);
    if (open < tricks.size() / 3) wrong("without rules hardly any URL reaches an internal address");

    const std::string failures = std::format("{} × forbidden, {} × malformed, {} × unreachable",
                                             forbidden_, malformed_, unreachable_);
    return std::format(
        "{} URLs and {} rebindings: {}; {} internal connections, {} requests on them; {} "
        "rebindings "
        "were answered by public addresses; {} of {} public and {} of {} allowed addresses "
        "answered; "
        "{} of the URLs reach internal addresses without rules; {} DNS queries{}",
        tricks.size(), kRebindings, failures, intruders.connections, intruders.requests, rebound_,
        outside_answered_, kOutside, listed_answered_, kListed, open, names_.questions(),
        wrong_.empty() ? "" : "; WRONG: " + listed_wrongs());
  }

  bool holds() const { return wrong_.empty(); }

 private:
  static constexpr std::size_t kOutside = 4;
  static constexpr std::size_t kListed = 6;

  void wrong(const std::string& what) { ++wrong_[what]; }

  std::string listed_wrongs() const {
    std::string text;
    for (const auto& [what, count] : wrong_ | std::views::take(10))
      text += std::format("{}{} ({} ×)", text.empty() ? "" : ", ", what, count);
    return text;
  }

  // Checks that a request was refused, and counts the reason.
  void expect_refused(const Outcome& outcome, const std::string& url) {
    if (outcome) return wrong("answered: " + url);
    switch (outcome.error().failure) {
      case Failure::forbidden:
        ++forbidden_;
        break;
      case Failure::malformed_request:
        ++malformed_;
        break;
      case Failure::unreachable:
        ++unreachable_;
        break;
      default:
        wrong(std::format("{}: {}", outcome.error().detail, url));
    }
  }

  void try_guarded(const Trick& trick) {
    if (!trick.name.empty()) names_.tell(trick.name, trick.turns);
    expect_refused(ask(trick.url, net::OutsideRules{}), trick.url);
    progress(std::format("{} refused", forbidden_ + malformed_ + unreachable_));
  }

  // Tries a name that resolves to another address at each query. A request to its public address
  // may succeed. An answer that includes an internal address is refused as a whole, so the first
  // answer decides.
  void rebind() {
    const std::vector<std::string> inner = inner_addresses(random_);
    for (std::size_t i = 0; i < kRebindings; ++i) {
      const std::string name = std::format("r{}.shop.example", i);
      std::vector<NameServer::Records> turns;
      for (int turn = 0; turn < 4; ++turn) {
        const std::string& inside = inner[random_() % inner.size()];
        const bool starts_outside = random_() % 2 == 0;
        turns.push_back({starts_outside ? std::string{kPublicV4} : inside});
        if (random_() % 2 == 0) turns.back().emplace_back(random_() % 2 == 0 ? kPublicV6 : inside);
      }
      names_.tell(name, turns);
      const auto outcome = ask(std::format("http://{}/", name), net::OutsideRules{}, 2);
      const bool decided = std::ranges::all_of(turns.front(), [](const std::string& address) {
        return address == kPublicV4 || address == kPublicV6;
      });
      if (!decided) {
        expect_refused(outcome, std::format("{} at {}", name, turns.front().front()));
      } else if (outcome && outcome->status == 200) {
        ++rebound_;
      } else {
        wrong("a public name got no response");
      }
    }
  }

  void redirect() {
    const auto outcome = ask(std::format("http://{}/redirect", kPublicV4), net::OutsideRules{});
    if (!outcome || outcome->status != 307) wrong("a redirect was not returned as a response");
  }

  std::size_t count_answered(std::initializer_list<std::string> urls,
                             const net::OutsideRules& rules) {
    std::size_t answered = 0;
    for (const auto& url : urls) {
      const auto outcome = ask(url, rules);
      if (outcome && outcome->status == 200) {
        ++answered;
      } else {
        wrong("not answered: " + url);
      }
    }
    return answered;
  }

  void reach_what_is_outside() {
    names_.tell("open.shop.example", {{std::string{kPublicV6}, std::string{kPublicV4}}});
    names_.tell("alias.shop.example", {{"=open.shop.example", std::string{kPublicV4Other}}});
    outside_answered_ = count_answered(
        {std::format("http://{}/", kPublicV4), std::format("http://[{}]/", kPublicV6),
         "http://open.shop.example/", "http://alias.shop.example:80/"},
        {});
  }

  void reach_what_is_listed() {
    names_.tell("hooks.internal", {{"10.9.9.9", "fd00::9"}});
    names_.tell("near.shop.example", {{"192.168.7.7"}});
    listed_answered_ = count_answered(
        {"http://10.0.0.5/", "http://127.0.0.1:8080/", "http://[fd00::1]:6379/",
         "http://hooks.internal/", "http://near.shop.example/", "http://localhost:8080/"},
        {.allow_private = {"10.0.0.5", "127.0.0.1:8080", "[fd00::1]:6379", "hooks.internal",
                           "192.168.0.0/16", "localhost:8080"}});
    expect_refused(ask("http://10.0.0.5:8080/", net::OutsideRules{.allow_private = {"10.0.0.5"}}),
                   "a port that is not allowed");
    expect_refused(ask("http://127.0.0.1/", net::OutsideRules{.allow_private = {"127.0.0.1:8080"}}),
                   "another port than the allowed one");
  }

  // Counts how many of the URLs reach an internal address with a client without rules.
  std::size_t count_unguarded(const std::vector<Trick>& tricks) {
    std::size_t open = 0;
    for (const auto& trick : tricks) {
      if (!trick.name.empty()) names_.tell(trick.name, trick.turns);
      const std::size_t before = landing_.intruders().connections;
      ask(trick.url, std::nullopt);
      if (landing_.intruders().connections > before) ++open;
    }
    return open;
  }

  std::mt19937_64 random_;
  NameServer names_;
  Landing landing_;
  std::map<std::string, std::size_t> wrong_;
  std::size_t forbidden_ = 0;
  std::size_t malformed_ = 0;
  std::size_t unreachable_ = 0;
  std::size_t rebound_ = 0;
  std::size_t outside_answered_ = 0;
  std::size_t listed_answered_ = 0;
};

}  // namespace

Verdict ssrf(const Setting& setting) {
  const std::string said = on_island([&] {
    Attack attack{setting.seed};
    const std::string figures = attack.run();
    return std::format("{}{}", attack.holds() ? '+' : '-', figures);
  });
  return {.holds = said.starts_with('+'), .figures = said.substr(1)};
}

}  // namespace shopbell::proofs
