#include "pg/commits.h"

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/limits.h"

namespace shopbell::pg {

// A caller's group; `done` is empty once the caller has its answer.
struct Commits::Member {
  Group group;
  Scope scope;
  asio::any_completion_handler<void(std::exception_ptr, Results)> done;

  void finish(std::exception_ptr error, Results results) {
    if (done) std::exchange(done, nullptr)(std::move(error), std::move(results));
  }
};

// Outlives the pool while a commit is in flight.
struct Commits::Shared {
  asio::io_context& loop;
  struct Writer {
    std::shared_ptr<Connection> connection;
    bool busy = false;
    Members members;  // groups whose commit is in flight
  };
  std::vector<Writer> writers;
  std::deque<std::shared_ptr<Member>> waiting;
  observe::Counter& groups;
  observe::Counter& commits;

  bool connected() const {
    return std::ranges::any_of(writers,
                               [](const Writer& writer) { return writer.connection->connected(); });
  }
};

namespace {

// Sets the account for row-level security until the end of the transaction.
constexpr Query kActFor{.name = "pg.act_for",
                        .timeout = limits::kQueryTimeout,
                        .sql = "SELECT set_config('shopbell.account', $1, true)"};

}  // namespace

Group Commits::combined(std::span<const std::shared_ptr<Member>> members) {
  Group all;
  auto account = members[0]->scope.account;
  for (const auto& member : members) {
    if (member->scope.account != account) {
      account = member->scope.account;
      all.add_own(kActFor, account);
    }
    all.append(member->group);
  }
  return all;
}

Commits::Commits(asio::io_context& loop, std::vector<std::shared_ptr<Connection>> writers,
                 observe::Metrics& metrics)
    : shared_{std::make_shared<Shared>(
          loop, std::vector<Shared::Writer>{}, std::deque<std::shared_ptr<Member>>{},
          metrics.counter("shopbell_committed_groups_total", "Groups of changes committed."),
          metrics.counter("shopbell_commits_total",
                          "Transactions that committed groups of changes, many groups in each."))} {
  shared_->writers.reserve(writers.size());
  for (auto& writer : writers) shared_->writers.push_back({std::move(writer)});
}

// Fails every waiting member, because handler, coroutine and Shared form a reference cycle.
Commits::~Commits() {
  const auto stopped = std::make_exception_ptr(Error{Error::Kind::lost, "stopped"});
  const auto fail = [&](const std::shared_ptr<Member>& member) {
    if (!member->done) return;
    asio::post(shared_->loop, [done = std::exchange(member->done, nullptr), stopped]() mutable {
      std::move(done)(stopped, Results{});
    });
  };
  for (const auto& writer : shared_->writers) std::ranges::for_each(writer.members, fail);
  std::ranges::for_each(std::exchange(shared_->waiting, {}), fail);
}

asio::awaitable<Results> Commits::run(Group group, Scope scope) {
  assert(!shared_->writers.empty());
  if (!shared_->connected())
    throw Error{Error::Kind::unavailable, shared_->writers.front().connection->trouble()};
  if (shared_->waiting.size() >= limits::kGroupsPerConnection * shared_->writers.size())
    throw Error{Error::Kind::unavailable, "too many statements are queued"};
  co_return co_await asio::async_initiate<const asio::use_awaitable_t<>,
                                          void(std::exception_ptr, Results)>(
      [shared = shared_](auto handler, Group statements, Scope until) {
        shared->waiting.push_back(
            std::make_shared<Member>(std::move(statements), until, std::move(handler)));
        // Posts the commit, so that the groups of all requests of this loop turn share it.
        asio::post(shared->loop, [shared] { pump(shared); });
      },
      asio::use_awaitable, std::move(group), scope);
}

void Commits::pump(const std::shared_ptr<Shared>& shared) {
  for (std::size_t i = 0; i < shared->writers.size() && !shared->waiting.empty(); ++i) {
    Shared::Writer& writer = shared->writers[i];
    if (writer.busy || !writer.connection->connected()) continue;
    const auto count = std::min(shared->waiting.size(), limits::kGroupsPerCommit);
    const auto end = shared->waiting.begin() + static_cast<std::ptrdiff_t>(count);
    writer.members.assign(std::move_iterator{shared->waiting.begin()}, std::move_iterator{end});
    shared->waiting.erase(shared->waiting.begin(), end);
    writer.busy = true;
    asio::co_spawn(shared->loop, serve(shared, i), asio::detached);
  }
}

asio::awaitable<void> Commits::serve(std::shared_ptr<Shared> shared, std::size_t writer) {
  Shared::Writer& served = shared->writers[writer];
  co_await commit(*shared, *served.connection, served.members);
  served.busy = false;
  served.members.clear();
  pump(shared);
}

asio::awaitable<void> Commits::commit(Shared& shared, Connection& writer,
                                      std::span<const std::shared_ptr<Member>> members) {
  std::exception_ptr failure;
  try {
    Results results =
        co_await writer.run(combined(members), {.account = members[0]->scope.account});
    shared.commits.add();
    shared.groups.add(static_cast<double>(members.size()));
    auto next = std::move_iterator{results.begin()};
    for (const auto& member : members) {
      const auto end = next + static_cast<std::ptrdiff_t>(member->group.statements().size());
      member->finish(nullptr, Results(next, end));
      next = end;
    }
    co_return;
  } catch (const Error& error) {
    failure = std::current_exception();
    if (error.kind() != Error::Kind::refused || error.is_outage() || members.size() == 1) {
      for (const auto& member : members) member->finish(failure, {});
      co_return;
    }
  }
  const auto half = members.size() / 2;
  co_await commit(shared, writer, members.first(half));
  co_await commit(shared, writer, members.subspan(half));
}

void Commits::expire(Steady::time_point now) {
  const auto late = std::make_exception_ptr(Error{Error::Kind::timeout, "the deadline has passed"});
  const auto is_late = [&](const auto& member) { return member->scope.deadline <= now; };
  const auto answer = [&](const auto& member) {
    asio::post(shared_->loop, [member, late] { member->finish(late, {}); });
  };
  for (const auto& writer : shared_->writers)
    for (const auto& member : writer.members)
      if (is_late(member)) answer(member);
  for (const auto& member : shared_->waiting)
    if (is_late(member)) answer(member);
  std::erase_if(shared_->waiting, is_late);
}

}  // namespace shopbell::pg
