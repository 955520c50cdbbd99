// Metrics: counters, gauges and durations, kept by prometheus-cpp and written in the Prometheus
// text format. Look up a metric once and keep the reference: the lookup takes a lock, updating the
// metric does not.
#pragma once

#include <map>
#include <memory>
#include <string>

namespace shopbell::observe {

using Labels = std::map<std::string, std::string>;

class Counter {
 public:
  virtual ~Counter() = default;
  virtual void add(double amount = 1) = 0;
};

class Gauge {
 public:
  virtual ~Gauge() = default;
  virtual void set(double value) = 0;
  virtual void add(double amount) = 0;
};

class Duration {
 public:
  virtual ~Duration() = default;
  virtual void observe(double seconds) = 0;
};

class Metrics {
 public:
  Metrics();
  ~Metrics();

  // Thread-safe. The same name and labels give the same object, which lives as long as Metrics.
  Counter& counter(const std::string& name, const std::string& help, const Labels& labels = {});
  Gauge& gauge(const std::string& name, const std::string& help, const Labels& labels = {});
  Duration& duration(const std::string& name, const std::string& help, const Labels& labels = {});

  std::string text() const;

 private:
  struct Registry;
  std::unique_ptr<Registry> registry_;
};

}  // namespace shopbell::observe
