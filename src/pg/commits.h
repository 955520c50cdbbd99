// Commits: one loop's groups that change something. While every writing connection is busy with a
// commit, the groups that come wait, and go together in the next one: many callers share one wait
// for the disk, and an idle service adds no wait at all. A group that is refused takes nobody with
// it: nothing of the shared transaction happened then, and its halves are tried again until the
// refused one stands alone.
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

  // Returns after the commit. Groups of one caller that must follow each other wait for each other.
  asio::awaitable<Results> run(Group group, Scope scope);

  void expire(Steady::time_point now);

 private:
  struct Member;
  struct Shared;
  using Members = std::vector<std::shared_ptr<Member>>;

  static Group together(std::span<const std::shared_ptr<Member>> members);
  static void pump(const std::shared_ptr<Shared>& shared);
  static asio::awaitable<void> serve(std::shared_ptr<Shared> shared, std::size_t writer);
  static asio::awaitable<void> commit(Shared& shared, Connection& writer,
                                      std::span<const std::shared_ptr<Member>> members);

  std::shared_ptr<Shared> shared_;
};

}  // namespace shopbell::pg
