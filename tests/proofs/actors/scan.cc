#include "tests/proofs/actors/scan.h"

#include <algorithm>
#include <format>

#include "base/digest.h"
#include "testing/process.h"

namespace shopbell::proofs {

namespace {

char to_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }
char to_upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c & ~0x20) : c; }

std::string hex_of(const std::string& text) {
  return to_hex({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

std::size_t beginning_of(std::string_view text) {
  return (static_cast<std::size_t>(static_cast<unsigned char>(text[0])) << 8U) |
         static_cast<unsigned char>(text[1]);
}

void look(Scan& scan, const std::string& place, std::string_view text, const Needles& needles) {
  scan.bytes += text.size();
  std::set<std::size_t> found;
  needles.find_in(text, found);
  if (found.empty()) return;
  scan.finds[place].merge(found);
  scan.examples.try_emplace(place, text.substr(0, 400));
}

void look_at_rows(Scan& scan, pg::Script& database, const std::string& place,
                  const std::string& query, const Needles& needles) {
  ++scan.places;
  const pg::Result rows = database.query(query);
  for (std::size_t i = 0; i < rows.size(); ++i) look(scan, place, rows[i].view("row"), needles);
}

}  // namespace

std::size_t Needles::add(const std::vector<std::string>& forms) {
  for (std::string form : forms) {
    add_form(hex_of(form), size_);
    std::ranges::transform(form, form.begin(), to_upper);
    add_form(hex_of(form), size_);
    std::ranges::transform(form, form.begin(), to_lower);
    add_form(hex_of(form), size_);
    add_form(std::move(form), size_);
  }
  return size_++;
}

void Needles::add_form(std::string form, std::size_t number) {
  beginnings_[beginning_of(form)] = true;
  by_length_[form.size()].emplace(std::move(form), number);
}

void Needles::find_in(std::string_view text, std::set<std::size_t>& found) const {
  std::string lower{text};
  std::ranges::transform(lower, lower.begin(), to_lower);
  for (std::string_view rest = lower; rest.size() > 1; rest.remove_prefix(1)) {
    if (!beginnings_[beginning_of(rest)]) continue;
    for (const auto& [length, forms] : by_length_) {
      if (length > rest.size()) break;
      const auto form = forms.find(std::string{rest.substr(0, length)});
      if (form != forms.end()) found.insert(form->second);
    }
  }
}

std::set<std::size_t> Scan::found() const {
  std::set<std::size_t> all;
  for (const auto& [place, found] : finds) all.insert(found.begin(), found.end());
  return all;
}

std::string Scan::where() const {
  std::string text;
  for (const auto& [place, found] : finds)
    text += std::format("{}{} in {} ({})", text.empty() ? "" : ", ", found.size(), place,
                        examples.at(place));
  return text;
}

Scan scan_tables(pg::Script& database, const Needles& needles) {
  Scan scan;
  const pg::Result tables = database.query(
      "SELECT format('%I.%I', n.nspname, c.relname) AS name,"
      " coalesce((SELECT string_agg(format('|| coalesce(encode(t.%I, ''escape''), '''')', attname),"
      "             '') FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0"
      "             AND NOT a.attisdropped AND a.atttypid = 'bytea'::regtype), '') AS bytes "
      "FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
      "WHERE c.relkind IN ('r', 'm')"
      " AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')");
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const std::string name = tables[i].text("name");
    look_at_rows(scan, database, name,
                 std::format("SELECT t::text {} AS row FROM {} t", tables[i].text("bytes"), name),
                 needles);
  }
  return scan;
}

Scan scan_statistics(pg::Script& database, const Needles& needles) {
  Scan scan;
  ++scan.places;
  const pg::Result columns = database.query(
      "SELECT format('pg_stats of %s.%s', tablename, attname) AS name, concat_ws(' ',"
      " most_common_vals::text, histogram_bounds::text, most_common_elems::text) AS row "
      "FROM pg_stats WHERE schemaname = 'public'");
  for (std::size_t i = 0; i < columns.size(); ++i)
    look(scan, columns[i].text("name"), columns[i].view("row"), needles);
  look_at_rows(scan, database, "pg_stat_activity",
               "SELECT coalesce(query, '') AS row FROM pg_stat_activity", needles);
  return scan;
}

Scan scan_files(const std::filesystem::path& directory, const Needles& needles) {
  Scan scan;
  for (const auto& entry : std::filesystem::recursive_directory_iterator{directory}) {
    if (!entry.is_regular_file()) continue;
    ++scan.places;
    const std::string name = std::filesystem::relative(entry.path(), directory);
    look(scan, name, name + "\n" + testing::read_file(entry.path()), needles);
  }
  return scan;
}

Scan scan_logs(const std::filesystem::path& directory, const Needles& needles) {
  Scan scan;
  for (const auto& folder : {directory, directory / "services"}) {
    for (const auto& entry : std::filesystem::directory_iterator{folder}) {
      if (entry.path().extension() != ".log") continue;
      ++scan.places;
      look(scan, entry.path().filename(), testing::read_file(entry.path()), needles);
    }
  }
  return scan;
}

}  // namespace shopbell::proofs
