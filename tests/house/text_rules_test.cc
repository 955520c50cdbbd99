#include <format>

#include "expect.h"
#include "rules.h"
#include "scan.h"

namespace shopbell::house {
namespace {

std::string repeated(std::string_view line, std::size_t times) {
  std::string text;
  for (std::size_t i = 0; i < times; ++i) text += line;
  return text;
}

// Returns the names and lengths of the functions in a text, such as "f 3, g 1".
std::string functions_in(std::string_view text) {
  std::string list;
  for (const auto& [name, line, length] : functions_of(text)) {
    list += std::format("{}{} {}", list.empty() ? "" : ", ", name, length);
  }
  return list;
}

TEST(Scan, finds_functions_by_their_headers) {
  EXPECT_EQ(functions_in("namespace a {\nint f(int x) {\n  return x;\n}\n}"), "f 3");
  EXPECT_EQ(functions_in(
                "class A : public B {\n public:\n  A() {\n  }\n  int g() const { return 1; }\n};"),
            "A 2, g 1");
  EXPECT_EQ(functions_in("template <class T>\nvoid f(T t) {\n}"), "f 3");
  EXPECT_EQ(
      functions_in("template <class T>\nrequires(sizeof(T) > 1)\nstruct A {\n  void f() {}\n};"),
      "f 1");
  EXPECT_EQ(functions_in("struct alignas(8) A {\n  int a;\n  void f() {}\n};"), "f 1");
  EXPECT_EQ(functions_in("bool operator<(const A<int>& a, const A<int>& b) {\n}"), "operator< 2");
  EXPECT_EQ(
      functions_in("auto f() -> std::vector<int> {\n}\nint g();\nextern \"C\" {\nint h() {}\n}"),
      "f 2, h 1");
}

TEST(Scan, a_brace_in_a_header_does_not_end_it) {
  EXPECT_EQ(functions_in("A::A(int a)\n    : a_{a},\n      b_(1), c_{} {\n  a();\n}"), "A::A 5");
  EXPECT_EQ(functions_in("A(int a) noexcept : B<int>{a} {}\nint next() {\n}"), "A 1, next 2");
  EXPECT_EQ(functions_in("void f(std::vector<int> v = {},\n       A a = A{1}) {\n}"), "f 3");
  EXPECT_EQ(functions_in("void f(A a = {});\nvoid g() {\n}"), "g 2");
}

TEST(Scan, tables_are_not_functions_but_may_contain_lambdas) {
  EXPECT_EQ(functions_in("const Row kRows[] = {\n  {1, 2},\n  Row{3},\n};"), "");
  EXPECT_EQ(functions_in("std::map<int, std::function<void(int)>> map{\n  {1, {}},\n};"), "");
  EXPECT_EQ(functions_in("const auto rows = std::to_array<Row>({\n  {1},\n});"), "");
  EXPECT_EQ(functions_in("const Row rows[] = {\n  {\"a\", [](int x) {\n    f(x);\n  }},\n};"),
            "lambda 3");
  EXPECT_EQ(functions_in("const auto once = [] {\n  return 1;\n}();"), "lambda 3");
}

TEST(Scan, braces_in_comments_and_literals_do_not_count) {
  EXPECT_EQ(functions_in("int f() {\n  g(\"}\", '}', '\\'', u'{', 1'000);  // }\n  /* } */\n}"),
            "f 4");
  EXPECT_EQ(functions_in("int f() {\n  g(R\"x(\n}\n)\" }\n)x\");\n}\nint h() {}"), "f 6, h 1");
  EXPECT_EQ(functions_in("#define OPEN { \\\n  {\nint f() {\n}"), "f 2");
}

TEST(FileLengths, reports_violations) {
  const std::string longest = repeated("a\n", 400);
  const std::string too_long = longest + "a";
  expect_findings(file_lengths({
                      {"src/a.cc", too_long},
                      {"tests/functional/a.ts", too_long},
                      {"tools/a", "#!/bin/sh\n" + longest},
                      {"cmake/a.cmake", too_long},
                      {"bench/a.h", repeated("\n", 3) + "// Generated\n" + longest},
                  }),
                  {
                      {"src/a.cc:401", "401 lines, at most 400"},
                      {"tests/functional/a.ts:401", "401 lines"},
                      {"tools/a:401", "401 lines"},
                      {"cmake/a.cmake:401", "401 lines"},
                      {"bench/a.h:401", "404 lines"},
                  });
  expect_none(file_lengths({
      {"src/a.cc", longest},
      {"console/client/a.ts", "/* eslint-disable */\n// This file is GENERATED.\n" + too_long},
      {"tests/golden/a.json", too_long},
      {"docs/a.md", too_long},
  }));
}

TEST(FunctionLengths, reports_violations) {
  const auto function = [](std::size_t lines) {
    return "int long_one() {\n" + repeated("  f([] { g(); });\n", lines - 2) + "}\n";
  };
  const std::string table = "const Row kRows[] = {\n" + repeated("  {1, f(2)},\n", 90) + "};\n";
  expect_findings(
      function_lengths({
          {"src/a.cc", "\n" + function(71)},
          {"tests/a.cc", "namespace a {\n" + function(70) + "class B {\n" + function(80) + "};\n}"},
      }),
      {
          {"src/a.cc:2", "long_one has 71 lines, at most 70"},
          {"tests/a.cc:73", "long_one has 80 lines"},
      });
  expect_none(function_lengths({{"src/a.cc", function(70) + table + function(70)}}));
}

TEST(HeaderOpenings, reports_violations) {
  expect_findings(header_openings({
                      {"src/a.h", "#pragma once\n"},
                      {"src/b.h", "// Its purpose.\n#include <vector>\n#pragma once\n"},
                      {"src/c.h", "// Its purpose.\n"},
                  }),
                  {
                      {"src/a.h:1", "start with a // comment"},
                      {"src/b.h:2", "put #pragma once before"},
                      {"src/c.h:2", "put #pragma once before"},
                  });
  expect_none(header_openings({
      {"src/a.h", "// Its purpose.\n// Its guarantees.\n\n#pragma once\n\nint a;\n"},
      {"src/a.cc", "int a;\n"},
  }));
}

TEST(UsingNamespaces, reports_violations) {
  expect_findings(using_namespaces({
                      {"src/a.cc", "using namespace std;\nusing namespace\n  shopbell::pg;\n"},
                      {"src/a.h", "using namespace std::chrono_literals;\n"},
                      {"tests/a.cc", "void f() { using namespace boost; }\n"},
                  }),
                  {
                      {"src/a.cc:1", "using namespace std:"},
                      {"src/a.cc:2", "using namespace shopbell::pg"},
                      {"src/a.h:1", "in a .cc file"},
                      {"tests/a.cc:1", "using namespace boost"},
                  });
  expect_none(using_namespaces({
      {"src/a.cc", "using namespace std::chrono;\nusing namespace std::chrono_literals;\n"},
      {"src/b.cc",
       "using namespace std::string_literals;\n// no using namespace std\nusing std::vector;\n"},
      {"src/a.h", "namespace asio = boost::asio;\n"},
  }));
}

TEST(UnfinishedWork, reports_violations) {
  const std::string to_do = std::string{"TO"} + "DO";
  const std::string fix_me = std::string{"FIX"} + "ME";
  const std::string x = std::string{"XX"} + "X";
  expect_findings(unfinished_work({
                      {"src/a.cc", "\n// " + to_do + ": later\n"},
                      {"tests/a.ts", "/* " + fix_me + " */ /* " + fix_me + " */\n"},
                      {"tools/a", "# " + x + "\n"},
                      {"src/resources/store/queries/a.sql", "-- " + to_do + "\n"},
                  }),
                  {
                      {"src/a.cc:2", to_do},
                      {"tests/a.ts:1", fix_me},
                      {"tests/a.ts:1", fix_me},
                      {"tools/a:1", x},
                      {"src/resources/store/queries/a.sql:1", to_do},
                  });
  expect_none(unfinished_work({
      {"tools/a", "mktemp " + x + x + "\n"},
      {"src/a.cc", "// nothing left to do\n"},
  }));
}

TEST(CoalescedParameters, reports_violations) {
  expect_findings(
      coalesced_parameters({
          {"src/resources/a/queries/a.sql", "SELECT 1\n WHERE id < coalesce($1::uuid, 'f')\n"},
      }),
      {{"src/resources/a/queries/a.sql:2", "coalesce"}});
  expect_none(coalesced_parameters({
      {"src/resources/a/queries/a.sql", "SELECT coalesce(a, $1) FROM b\n"},
      {"migrations/1.sql", "coalesce($1, 2)"},
  }));
}

TEST(NamesUnderSrc, reports_violations) {
  expect_findings(names_under_src({
                      {"src/base/Uuid.h", ""},
                      {"src/base/time-zone.cc", ""},
                      {"src/HTTP/a.cc", ""},
                      {"src/pg/pool_manager.cc", ""},
                      {"src/pg/helpers.h", ""},
                      {"src/util/text.h", ""},
                      {"src/json/reader_impl.cc", ""},
                  }),
                  {
                      {"src/base/Uuid.h:1", "snake_case"},
                      {"src/base/time-zone.cc:1", "snake_case"},
                      {"src/HTTP/a.cc:1", "snake_case"},
                      {"src/pg/pool_manager.cc:1", "\"manager\" is too vague"},
                      {"src/pg/helpers.h:1", "\"helper\" is too vague"},
                      {"src/util/text.h:1", "\"util\" is too vague"},
                      {"src/json/reader_impl.cc:1", "\"impl\" is too vague"},
                  });
  expect_none(names_under_src({
      {"src/base/uuid_v7_test.cc", ""},
      {"src/resources/contacts/USES", ""},
      {"src/resources/simple/utilization.cc", ""},
      {"tools/Helper", ""},
  }));
}

}  // namespace
}  // namespace shopbell::house
