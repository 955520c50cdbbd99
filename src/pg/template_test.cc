#include "pg/template.h"

#include <stdexcept>

#include <gtest/gtest.h>

namespace shopbell::pg {
namespace {

constexpr Template kRows{.name = "shop.rows",
                         .sql =
                             "SELECT {columns} FROM a WHERE account_id = {account} AND "
                             "b = ({account}) AND c <> '{}' AND d ?| '{x,Y}' AND e = '{'"};

// Returns the message of the error that fill() throws.
std::string fault_of(std::initializer_list<Filling> fillings) {
  try {
    fill(kRows, fillings);
  } catch (const std::logic_error& error) {
    return error.what();
  }
  return "none";
}

TEST(Template, is_filled_wherever_a_name_occurs) {
  EXPECT_EQ(
      fill(kRows, {{"account", 7}, {"columns", "d, e"}}),
      "SELECT d, e FROM a WHERE account_id = 7 AND b = (7) AND c <> '{}' AND d ?| '{x,Y}' AND "
      "e = '{'");
}

TEST(Template, leaves_placeholders_inside_a_filling_alone) {
  EXPECT_EQ(fill({.name = "a", .sql = "{text}"}, {{"text", "'{account}'"}}), "'{account}'");
}

TEST(Template, refuses_a_placeholder_without_a_filling) {
  EXPECT_EQ(fault_of({{"account", 7}}), "shop.rows: nothing fills {columns}");
}

TEST(Template, refuses_a_filling_without_a_placeholder) {
  EXPECT_EQ(fault_of({{"account", 7}, {"columns", "d"}, {"order", "d"}}),
            "shop.rows: there is no placeholder {order}");
  EXPECT_EQ(fault_of({{"account", 7}, {"columns", "d"}, {"columns", "e"}}),
            "shop.rows: there is no placeholder {columns}");
}

}  // namespace
}  // namespace shopbell::pg
