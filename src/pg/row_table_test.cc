#include "pg/row_table.h"

#include <gtest/gtest.h>

namespace shopbell::pg {
namespace {

struct Bell {
  std::string tone;
  std::optional<std::string> owner;
  std::vector<std::string> tags;
  std::int64_t rings = 0;
};

RowTable<Bell> bell_row() {
  return {3,
          {column("tone", &Bell::tone), column("owner", &Bell::owner), column("tags", &Bell::tags),
           column("rings", &Bell::rings)}};
}

TEST(RowTable, fills_in_the_column_lists_of_a_statement) {
  EXPECT_EQ(bell_row().fill("INSERT INTO bell (id, {columns}) VALUES ($1, {values})"),
            "INSERT INTO bell (id, tone, owner, tags, rings) VALUES ($1, $3::text, $4::text, "
            "$5::text[], $6::bigint)");
  EXPECT_EQ(bell_row().fill("SET {assignments}"),
            "SET tone = $3::text, owner = $4::text, tags = $5::text[], rings = $6::bigint");
}

TEST(RowTable, passes_arrays_of_many_rows_as_texts) {
  EXPECT_EQ(bell_row().fill("{arrays}"), "$3::text[], $4::text[], $5::text[], $6::bigint[]");
  EXPECT_EQ(bell_row().fill("{row values}"), "n.tone, n.owner, n.tags::text[], n.rings");
  EXPECT_EQ(bell_row().fill("{row assignments}"),
            "tone = n.tone, owner = n.owner, tags = n.tags::text[], rings = n.rings");
}

TEST(RowTable, fills_in_a_list_wherever_it_stands) {
  EXPECT_EQ((RowTable<Bell>{1, {column("tone", &Bell::tone)}}.fill("{columns} {columns} {other}")),
            "tone tone {other}");
}

TEST(RowTable, adds_the_values_in_the_order_of_the_columns) {
  std::vector<Parameter> parameters{"first"};
  bell_row().add_to(parameters, {.tone = "c", .owner = {}, .tags = {"a", "b"}, .rings = 3});
  EXPECT_EQ(parameters, (std::vector<Parameter>{"first", "c", std::nullopt, "{\"a\",\"b\"}", "3"}));
}

}  // namespace
}  // namespace shopbell::pg
