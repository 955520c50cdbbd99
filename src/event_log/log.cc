#include "event_log/log.h"

#include <algorithm>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/limits.h"
#include "base/time.h"
#include "observe/log.h"

namespace shopbell::event_log {

namespace {

using observe::Level;

constexpr auto kForgetEvery = std::chrono::seconds{5};

}  // namespace

Log::Log(asio::io_context& pulse_loop, pg::Pool& pulse, asio::io_context& loop, pg::Pool& work,
         std::vector<Reader> readers, ProcessIdentity identity, observe::Metrics& metrics)
    : pulse_loop_{pulse_loop},
      pulse_{pulse},
      loop_{loop},
      identity_{std::move(identity)},
      beat_{pulse_loop.get_executor()},
      tick_{pulse_loop.get_executor()},
      ended_{loop.get_executor()},
      forget_at_{pg::Steady::now() + kForgetEvery},
      ticks_{metrics.counter("shopbell_log_ticks_total", "Ticks made by this process.")},
      failures_{metrics.counter("shopbell_log_tick_failures_total",
                                "Failed attempts of this process to make a tick.")},
      set_backs_{metrics.counter("shopbell_log_clock_set_back_total",
                                 "Times that this process found the database's clock set back.")},
      alive_{metrics.gauge("shopbell_log_ticker_alive", "1 while a live process makes ticks.")} {
  for (const auto& reader : readers)
    for (int pipeline = 0; pipeline < reader.pipelines; ++pipeline)
      lanes_.push_back(
          std::make_unique<Lanes>(loop, work, reader, pipeline, identity_.process, metrics));
}

void Log::start() {
  observe::log(Level::info, "log joined", {{"process", identity_.process.to_string()}});
  running_ = 2;
  const auto ended = [this](const std::exception_ptr&) {
    --running_;
    ring(ended_, loop_);
  };
  asio::co_spawn(pulse_loop_, keep_beating(), ended);
  asio::co_spawn(pulse_loop_, keep_ticking(), ended);
  for (auto& lanes : lanes_)
    asio::co_spawn(loop_, lanes->run([this] { ring(beat_, pulse_loop_); }), asio::detached);
}

void Log::ring(runtime::Bell& bell, asio::io_context& loop) {
  asio::post(loop, [&bell] { bell.ring(); });
}

asio::awaitable<void> Log::stop() {
  stopping_ = true;
  ring(beat_, pulse_loop_);
  ring(tick_, pulse_loop_);
  for (auto& lanes : lanes_) co_await lanes->stop();
  // A heartbeat in flight would acquire the lanes again.
  while (running_ > 0 && co_await ended_.wait_for(limits::kLogTransaction)) {
  }
  try {
    co_await asio::co_spawn(pulse_loop_, leave(pulse_, identity_.process), asio::use_awaitable);
  } catch (const pg::Error&) {  // without an answer, the lease expires instead
  }
}

asio::awaitable<void> Log::keep_beating() {
  std::vector<std::string> names;
  names.reserve(lanes_.size());
  for (const auto& lanes : lanes_)
    if (!std::ranges::contains(names, lanes->reader())) names.push_back(lanes->reader());
  while (!stopping_) {
    try {
      Beat now = co_await beat(pulse_, identity_.process, identity_.version, names,
                               identity_.keyring_keys);
      if (stopping_) break;
      if (now.ticker != ticker_) tick_.ring();
      ticker_ = now.ticker;
      alive_.set(now.ticker_alive ? 1 : 0);
      asio::post(loop_, [this, now] {
        for (auto& lanes : lanes_) {
          if (const auto held = now.held.find(lanes->reader()); held != now.held.end())
            lanes->hold(held->second);
          else
            lanes->hold({});
          if (const auto lag = now.lag.find(lanes->reader()); lag != now.lag.end())
            lanes->set_lag(lag->second);
        }
      });
      report("");
    } catch (const std::exception& error) {
      alive_.set(0);
      report(error.what());
    }
    // A refused transaction triggers a heartbeat at once, but never in a tight loop.
    if (co_await beat_.wait_for(limits::kLogHeartbeat))
      co_await runtime::sleep_for(limits::kTickInterval);
  }
}

asio::awaitable<void> Log::keep_ticking() {
  auto pause = limits::kTickInterval;
  while (!stopping_) {
    const bool made = ticker_ && co_await tick();
    pause = made ? limits::kTickInterval : std::min(pause * 2, limits::kTickIdle);
    if (made) {
      co_await runtime::sleep_for(pause);
    } else {
      co_await tick_.wait_for(pause);
    }
  }
}

asio::awaitable<bool> Log::tick() {
  try {
    const auto [made, set_back_s] = co_await make_tick(pulse_, identity_.process, *ticker_);
    report_tick("");
    if (set_back_s > limits::kClockSetBackSeconds) {
      set_backs_.add();
      observe::log(Level::warn, "database clock set back", {{"seconds", set_back_s}});
      if (set_back_) asio::post(loop_, set_back_);
    }
    if (made) {
      ticks_.add();
      asio::post(loop_, [this] {
        for (auto& lanes : lanes_) lanes->wake();
      });
    }
    if (pg::Steady::now() >= forget_at_) {
      forget_at_ = pg::Steady::now() + kForgetEvery;
      if (made) co_await forget();
    }
    co_return made;
  } catch (const pg::Error& error) {
    // A fenced ticker learns its state from the next heartbeat; any other error is reported.
    if (is_fenced(error)) {
      ticker_.reset();
      beat_.ring();
    } else {
      failures_.add();
      report_tick(error.what());
    }
    co_return false;
  } catch (const std::exception& error) {
    failures_.add();
    report_tick(error.what());
    co_return false;
  }
}

asio::awaitable<void> Log::forget() {
  forgotten_ = co_await forget_log(pulse_, std::move(forgotten_));
  for (const auto& reader : forgotten_.readers)
    observe::log(Level::warn, "unused log reader dropped", {{"reader", reader}});
}

void Log::report(const std::string& trouble) {
  if (trouble == trouble_) return;
  trouble_ = trouble;
  if (trouble.empty()) {
    observe::log(Level::info, "log keeps its place again");
  } else {
    observe::log(Level::warn, "log heartbeat failed", {{"why", trouble}});
  }
}

void Log::report_tick(const std::string& trouble) {
  if (trouble == tick_trouble_) return;
  tick_trouble_ = trouble;
  if (trouble.empty()) {
    observe::log(Level::info, "log ticks again");
  } else {
    observe::log(Level::warn, "log does not tick", {{"why", trouble}});
  }
}

}  // namespace shopbell::event_log
