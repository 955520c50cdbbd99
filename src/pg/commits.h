// Commits: commits one loop's groups of changes. While every writing connection is busy, new groups
// wait and share the next transaction: many callers share one disk flush, and an idle service adds
// no wait. When PostgreSQL refuses a shared transaction, nothing of it was committed. Its halves
// are retried until the refused group is alone, so the others still commit.
#pragma once

#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "pg/connection.h"

namespace shopbell::pg {

class Commits {
 public:
  Commits(asio::io_context& loop, std::vector<std::shared_ptr<Connection>> writers,
          observe::Metrics& metrics);
  ~Commits();
  Commits(const Commits&) = delete;
  Commits& operator=(const Commits&) = delete;

  // Returns after the commit. To commit groups in a given order, await each before the next.
  asio::awaitable<Results> run(Group group, Scope scope);

  void expire(Steady::time_point now);

 private:
  struct Member;
  struct Shared;
  using Members = std::vector<std::shared_ptr<Member>>;

  static Group combined(std::span<const std::shared_ptr<Member>> members);
  static void pump(const std::shared_ptr<Shared>& shared);
  static asio::awaitable<void> serve(std::shared_ptr<Shared> shared, std::size_t writer);
  static asio::awaitable<void> commit(Shared& shared, Connection& writer,
                                      std::span<const std::shared_ptr<Member>> members);

  std::shared_ptr<Shared> shared_;
};

}  // namespace shopbell::pg
