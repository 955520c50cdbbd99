#include "observe/metrics.h"

#include <mutex>

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

namespace shopbell::observe {

namespace {

struct CounterOf final : Counter {
  explicit CounterOf(prometheus::Counter& counter) : inner{counter} {}
  void add(double amount) override { inner.Increment(amount); }
  prometheus::Counter& inner;
};

struct GaugeOf final : Gauge {
  explicit GaugeOf(prometheus::Gauge& gauge) : inner{gauge} {}
  void set(double value) override { inner.Set(value); }
  void add(double amount) override { inner.Increment(amount); }
  prometheus::Gauge& inner;
};

struct DurationOf final : Duration {
  explicit DurationOf(prometheus::Histogram& histogram) : inner{histogram} {}
  void observe(double seconds) override { inner.Observe(seconds); }
  prometheus::Histogram& inner;
};

// Buckets from 100 µs, less than any request with a database query takes, to the request deadline.
const prometheus::Histogram::BucketBoundaries kBuckets{
    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5};

// Finds or creates the object for a name and its labels.
template <class Wrapped, class Make>
Wrapped& find_or_make(std::map<std::string, std::unique_ptr<Wrapped>>& known,
                      const std::string& name, const Labels& labels, Make make) {
  std::string key = name;
  for (const auto& [label, value] : labels)
    key.append("\x1f").append(label).append("\x1f").append(value);
  auto& slot = known[key];
  if (!slot) slot = make();
  return *slot;
}

}  // namespace

struct Metrics::Registry {
  prometheus::Registry registry;
  std::mutex mutex;
  std::map<std::string, std::unique_ptr<Counter>> counters;
  std::map<std::string, std::unique_ptr<Gauge>> gauges;
  std::map<std::string, std::unique_ptr<Duration>> durations;
};

Metrics::Metrics() : registry_{std::make_unique<Registry>()} {}
Metrics::~Metrics() = default;

Counter& Metrics::counter(const std::string& name, const std::string& help, const Labels& labels) {
  const std::scoped_lock lock{registry_->mutex};
  return find_or_make(registry_->counters, name, labels, [&] {
    auto& family = prometheus::BuildCounter().Name(name).Help(help).Register(registry_->registry);
    return std::make_unique<CounterOf>(family.Add(labels));
  });
}

Gauge& Metrics::gauge(const std::string& name, const std::string& help, const Labels& labels) {
  const std::scoped_lock lock{registry_->mutex};
  return find_or_make(registry_->gauges, name, labels, [&] {
    auto& family = prometheus::BuildGauge().Name(name).Help(help).Register(registry_->registry);
    return std::make_unique<GaugeOf>(family.Add(labels));
  });
}

Duration& Metrics::duration(const std::string& name, const std::string& help,
                            const Labels& labels) {
  const std::scoped_lock lock{registry_->mutex};
  return find_or_make(registry_->durations, name, labels, [&] {
    auto& family = prometheus::BuildHistogram().Name(name).Help(help).Register(registry_->registry);
    return std::make_unique<DurationOf>(family.Add(labels, kBuckets));
  });
}

std::string Metrics::text() const {
  return prometheus::TextSerializer{}.Serialize(registry_->registry.Collect());
}

}  // namespace shopbell::observe
