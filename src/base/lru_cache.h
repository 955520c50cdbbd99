// LruCache: a map that is bounded by bytes. When it is full, it evicts the entries that were not
// used for the longest time. Not thread-safe.
#pragma once

#include <cstddef>
#include <list>
#include <unordered_map>
#include <utility>

namespace shopbell {

template <class Key, class Value>
class LruCache {
 public:
  explicit LruCache(std::size_t bytes_max) : bytes_max_{bytes_max} {}

  // Returns null if the key is absent. The pointer is valid until the next put() or erase().
  Value* find(const Key& key) {
    const auto found = index_.find(key);
    if (found == index_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, found->second);
    return &found->second->value;
  }

  // Adds or replaces an entry. `bytes` is the memory that the value holds outside of itself. A
  // value that exceeds the whole cache is not kept.
  void put(const Key& key, Value value, std::size_t bytes) {
    erase(key);
    bytes += kEntryBytes;
    if (bytes > bytes_max_) return;
    while (bytes_ + bytes > bytes_max_) erase(Key{entries_.back().key});
    entries_.push_front({key, std::move(value), bytes});
    index_.emplace(key, entries_.begin());
    bytes_ += bytes;
  }

  void erase(const Key& key) {
    const auto found = index_.find(key);
    if (found == index_.end()) return;
    bytes_ -= found->second->bytes;
    entries_.erase(found->second);
    index_.erase(found);
  }

  std::size_t size() const { return entries_.size(); }
  std::size_t bytes() const { return bytes_; }

 private:
  struct Entry {
    Key key;
    Value value;
    std::size_t bytes;
  };
  using Entries = std::list<Entry>;  // most recently used first
  // An entry, its nodes in both containers, and its share of the hash buckets.
  static constexpr std::size_t kEntryBytes = sizeof(Entry) + sizeof(Key) + 8 * sizeof(void*);

  std::size_t bytes_max_;
  std::size_t bytes_ = 0;
  Entries entries_;
  std::unordered_map<Key, typename Entries::iterator> index_;
};

}  // namespace shopbell
