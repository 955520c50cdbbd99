#include "json/writer.h"

#include <stdexcept>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "base/text.h"
#include "json/document.h"

namespace shopbell::json {
namespace {

std::string text_of(std::string_view text) {
  Writer writer;
  writer.text(text);
  return writer.finish();
}

std::string json_of(std::string_view json) {
  Writer writer;
  writer.json(json);
  return writer.finish();
}

TEST(Writer, puts_commas_between_values_only) {
  Writer writer;
  writer.begin_object();
  writer.key("none").begin_object().end();
  writer.key("empty").begin_list().end();
  writer.key("some").begin_list().integer(-5).text("x:").boolean(true).null().text("[").integer(0);
  writer.begin_list().begin_object().key("a{").text("{").key("b").json("1.50").end().end().end();
  writer.end();
  EXPECT_EQ(writer.finish(),
            R"({"none":{},"empty":[],"some":[-5,"x:",true,null,"[",0,[{"a{":"{","b":1.50}]]})");
}

TEST(Writer, escapes_special_characters) {
  using namespace std::string_view_literals;
  EXPECT_EQ(text_of("\"\\/\b\f\n\r\t\x01\x1f\x7f\0ü🔔"sv),
            "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001F\x7f\\u0000ü🔔\"");
  EXPECT_THROW(text_of("\xc3"), std::runtime_error);
  EXPECT_THROW(text_of("\xed\xa0\x80"), std::runtime_error);
}

TEST(Writer, text_round_trips) {
  EXPECT_TRUE(rc::check([](const std::string& text) {
    if (!is_utf8(text) || text.contains('\0')) return;
    const auto document = Document::parse(text_of(text));
    RC_ASSERT(document.has_value());
    RC_ASSERT(document->root().text() == text);
    RC_ASSERT(document->root().to_json() == text_of(text));
  }));
}

TEST(Writer, compacts_json) {
  EXPECT_EQ(json_of(" {\"a\" : [ 1 , 2.50e3 ] } "), R"({"a":[1,2.50e3]})");
  EXPECT_EQ(json_of(R"("\u00e4\/")"), R"("ä/")");
  for (const char* same : {"null", "true", "-0.10", "12", "\"a b\"", "{}", "[]", "\"ü\""})
    EXPECT_EQ(json_of(same), same);
  for (const char* broken : {"", "nul", "01", "1.", "-", ".5", "\"", "\"a\"b\"", "{", "1 2"})
    EXPECT_THROW(json_of(broken), std::logic_error) << broken;
}

TEST(Writer, indents) {
  Writer writer;
  writer.begin_object().key("a,[").begin_list().integer(1).begin_list().end().text("{\\\":").end();
  writer.key("b").begin_object().end().end();
  EXPECT_EQ(writer.finish(Writer::Layout::indented),
            "{\n  \"a,[\": [\n    1,\n    [],\n    \"{\\\\\\\":\"\n  ],\n  \"b\": {}\n}");
}

}  // namespace
}  // namespace shopbell::json
