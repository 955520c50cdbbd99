#include <algorithm>
#include <format>

#include "resources/all.h"
#include "tests/proofs/edge/edge.h"

namespace shopbell::proofs {

namespace {

constexpr std::size_t kFindingsKept = 10;     // maximum number of findings per cell
constexpr std::ptrdiff_t kFindingsAlike = 2;  // more similar findings than this are dropped
constexpr std::size_t kRoutesPerCase = 12;

void keep(std::vector<Finding>& findings, Finding finding) {
  if (std::ranges::count(findings, finding.expected, &Finding::expected) < kFindingsAlike &&
      findings.size() < kFindingsKept)
    findings.push_back(std::move(finding));
}

std::string told(const Ask& ask) {
  return std::format("{} {}", ask.method, ask.path.substr(0, 100));
}

}  // namespace

EdgeWorld::EdgeWorld(const Setting& of, const Catalogue& all, Stage& on)
    : setting{of},
      catalogue{all},
      stage{on},
      addresses{of.seed},
      clients{on.host_port()},
      maker{catalogue,
            [this](const Ask& ask) {
              ++requests;
              return clients.ask(ask);
            },
            rejecting(on)},
      common{stage.create_accounts("Common")} {
  const auto scopes = resources::all_scopes();
  for (const auto& scope : scopes) {
    auto others = scopes;
    std::erase(others, scope);
    lacking[scope] = stage.create_key(common.live.id, others);
  }
  expired_key =
      stage.create_key(common.live.id, scopes, system_clock().now() - std::chrono::seconds{1});
}

AccountPair& EdgeWorld::accounts_of(const Route& route) {
  const std::scoped_lock lock{mutex_};
  const auto found = accounts_.find(&route);
  if (found != accounts_.end()) return found->second;
  return accounts_[&route] = stage.create_accounts(route.description.id);
}

AccountPair& EdgeWorld::strangers_of(const Route& route) {
  const std::scoped_lock lock{mutex_};
  const auto found = strangers_.find(&route);
  if (found != strangers_.end()) return found->second;
  return strangers_[&route] = stage.create_accounts("Stranger to " + route.description.id);
}

Trial::Trial(EdgeWorld& world, const Route& route, std::string rule, std::size_t ordinal,
             RouteRecord& record)
    : world_{world},
      route_{route},
      rule_{std::move(rule)},
      ordinal_{ordinal},
      record_{record},
      random_{world.setting.seed ^ std::hash<std::string>{}(route.description.id + rule_)} {}

Ask Trial::request_at(const std::string& path) const {
  return request_of(route_, path, needs_key() ? world_.common.live.key : "");
}

Ask Trial::request() const { return request_at(missing_path(route_)); }

std::optional<Ask> Trial::good_request() {
  auto ask = world_.maker.good_request(account(), route_, world_.maker.next_mark("edge"));
  check(ask.has_value(), "a request that succeeds", "objects to build it from", "none");
  return ask;
}

std::optional<Object> Trial::object() {
  auto made = world_.maker.make(account(), route_, world_.maker.next_mark("edge"));
  check(made.has_value(), "an object", "an operation that creates it", "none");
  return made;
}

Reply Trial::ask(const Ask& ask) {
  ++world_.requests;
  Reply reply = world_.clients.ask(ask);
  observe(ask, reply);
  return reply;
}

Reply Trial::ask_alone(const Ask& ask) {
  ++world_.requests;
  RawClient client{world_.stage.host_port()};
  client.send(wire_of(ask));
  Reply reply = client.read(ask.method == "HEAD");
  observe(ask, reply);
  return reply;
}

Reply Trial::ask_from_elsewhere(const Ask& ask, std::size_t process) {
  ++world_.requests;
  RawClient client{world_.stage.host_port(process), world_.addresses.next()};
  client.send(wire_of(ask));
  Reply reply = client.read(ask.method == "HEAD");
  observe(ask, reply);
  return reply;
}

std::vector<Reply> Trial::send_raw(std::string_view bytes) {
  ++world_.requests;
  RawClient client{world_.stage.host_port(), world_.addresses.next()};
  client.send(bytes);
  client.end_sending();
  return client.read_all();
}

RawClient Trial::connect(std::size_t process) const {
  ++world_.requests;
  return RawClient{world_.stage.host_port(process)};
}

void Trial::observe(const Ask& ask, const Reply& reply) {
  const auto fault = envelope_fault(ask, reply);
  const bool authenticated = is_authenticated(route_, ask, reply);
  const auto rate = authenticated ? rate_fault(reply) : std::nullopt;
  const std::scoped_lock lock{record_.mutex};
  ++record_.seen;
  if (authenticated) ++record_.authenticated;
  const auto finding = [&](const std::string& rule, const std::string& expected) {
    return Finding{operation().id, rule, std::format("{} ({})", told(ask), rule_), expected,
                   reply.answered() ? reply.head + reply.body.substr(0, 200) : reply.brief()};
  };
  if (fault) keep(record_.envelope, finding("every answer", *fault));
  if (rate) keep(record_.rates, finding("rate headers", *rate));
}

void Trial::expect(const std::string& about, const Reply& reply, int status,
                   std::string_view code) {
  const bool holds =
      reply.answered() && reply.status == status && (code.empty() || reply.code() == code);
  check(holds, about, std::format("{} {}", status, code), reply.brief());
}

bool Trial::check(bool holds, const std::string& about, const std::string& expected,
                  const std::string& got) {
  ++checks_;
  if (!holds) keep(findings_, {operation().id, rule_, about, expected, got});
  return holds;
}

bool Trial::takes(std::size_t case_number) const {
  if (!quick()) return true;
  const std::size_t spread =
      std::max<std::size_t>(1, world_.catalogue.routes().size() / kRoutesPerCase);
  return (case_number + ordinal_ + world_.setting.seed) % spread == 0;
}

}  // namespace shopbell::proofs
