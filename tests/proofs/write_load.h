// WriteLoad: contact writers who go on, whatever happens, on a thread of their own, with a ledger
// each of what they were told.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <string>
#include <thread>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include "runtime/wait.h"
#include "tests/proofs/contact_ledger.h"
#include "tests/proofs/contact_writer.h"
#include "tests/proofs/process_pair.h"

namespace shopbell::proofs {

class WriteLoad {
 public:
  WriteLoad(ProcessPair& pair, const std::string& key, std::size_t writers, std::uint64_t seed)
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
  // Of a proof that could not be run: nobody waits for the last answers.
  ~WriteLoad() {
    stopping_ = true;
    loop_.stop();
  }
  WriteLoad(const WriteLoad&) = delete;
  WriteLoad& operator=(const WriteLoad&) = delete;

  // Whoever has no answer by then hangs.
  void stop() {
    stopping_ = true;
    const auto until = runtime::Steady::now() + std::chrono::seconds{60};
    while (writing_ > 0 && runtime::Steady::now() < until)
      std::this_thread::sleep_for(std::chrono::milliseconds{5});
    loop_.stop();
    thread_.join();
    tally.stuck += static_cast<int>(writing_);
  }

  std::vector<const ContactLedger*> ledgers() const {
    std::vector<const ContactLedger*> all;
    for (const auto& writer : writers_) all.push_back(&writer.ledger());
    return all;
  }

  WriterTally tally;

 private:
  boost::asio::io_context loop_;
  std::deque<ContactWriter> writers_;
  std::atomic<bool> stopping_ = false;
  std::atomic<std::size_t> writing_;
  std::jthread thread_;
};

}  // namespace shopbell::proofs
