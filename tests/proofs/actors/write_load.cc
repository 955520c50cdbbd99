#include "tests/proofs/actors/write_load.h"

#include <boost/asio/co_spawn.hpp>

#include "runtime/wait.h"

namespace shopbell::proofs {

using namespace std::chrono_literals;
using runtime::Steady;

WriteLoad::WriteLoad(ProcessPair& pair, const std::string& key, std::uint64_t seed,
                     std::size_t writers)
    : writing_{writers} {
  for (std::size_t i = 0; i < writers; ++i) {
    auto& writer = writers_.emplace_back(loop_, pair, key, i, seed, tally);
    boost::asio::co_spawn(loop_, writer.run(stopping_), [this](std::exception_ptr error) {
      --writing_;
      if (error) std::rethrow_exception(error);
    });
  }
  thread_ = std::jthread{[this] { loop_.run(); }};
}

// The destructor does not wait for responses, because the proof may have ended early.
WriteLoad::~WriteLoad() {
  if (!thread_.joinable()) return;
  loop_.stop();
  thread_.join();
}

void WriteLoad::stop() {
  stopping_ = true;
  const auto until = Steady::now() + 60s;
  while (writing_ > 0 && Steady::now() < until) std::this_thread::sleep_for(5ms);
  loop_.stop();
  thread_.join();
  tally.stuck += static_cast<int>(writing_);
}

std::vector<const ContactLedger*> WriteLoad::ledgers() const {
  std::vector<const ContactLedger*> all;
  for (const auto& writer : writers_) all.push_back(&writer.ledger());
  return all;
}

}  // namespace shopbell::proofs
