// WriteLoad: contact writers over two processes, on their own thread, and their counters.
#pragma once

#include <atomic>
#include <deque>
#include <string>
#include <thread>
#include <vector>

#include <boost/asio/io_context.hpp>

#include "tests/proofs/actors/contact_writer.h"

namespace shopbell::proofs {

class WriteLoad {
 public:
  WriteLoad(ProcessPair& pair, const std::string& key, std::uint64_t seed, std::size_t writers);
  ~WriteLoad();
  WriteLoad(const WriteLoad&) = delete;
  WriteLoad& operator=(const WriteLoad&) = delete;

  // Stops the writers within a minute; a writer without a response by then counts as stuck.
  void stop();

  std::vector<const ContactLedger*> ledgers() const;

  WriterTally tally;

 private:
  boost::asio::io_context loop_;
  std::deque<ContactWriter> writers_;
  std::atomic<bool> stopping_ = false;
  std::atomic<std::size_t> writing_;
  std::jthread thread_;
};

}  // namespace shopbell::proofs
