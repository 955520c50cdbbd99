#include "resources/templates/html_text.h"

#include <gtest/gtest.h>

namespace shopbell::templates {
namespace {

TEST(HtmlText, starts_blocks_on_lines_of_their_own) {
  EXPECT_EQ(html_to_text("<h1>Your cart</h1><p>Dear Ada,</p><div>one</div><div>two</div>three"),
            "Your cart\n\nDear Ada,\n\none\ntwo\nthree");
  EXPECT_EQ(html_to_text("a<br>b<br/><br>c"), "a\nb\n\nc");
  EXPECT_EQ(html_to_text("Bells:<ul><li>brass</li><li>gold</li></ul>end"),
            "Bells:\n\n- brass\n- gold\n\nend");
  EXPECT_EQ(html_to_text("<table><tr><td>Bell</td><td>€5</td></tr><tr><th>Sum</th><td>€5</td></tr>"
                         "</table>"),
            "Bell €5\nSum €5");
}

TEST(HtmlText, makes_one_space_of_white_space) {
  EXPECT_EQ(html_to_text("  a \n\t b  <b>c</b>d <i> e </i> f  "), "a b cd e f");
  EXPECT_EQ(html_to_text(""), "");
  EXPECT_EQ(html_to_text(" <p> </p>\n"), "");
}

TEST(HtmlText, replaces_entities) {
  EXPECT_EQ(
      html_to_text("a &amp; b &lt;c&gt; &quot;d&#39; &#228;&#xE4;&#x1F514; &euro;&nbsp;5&shy;"),
      "a & b <c> \"d' ää🔔 € 5");
  EXPECT_EQ(html_to_text("&unknown; &amp &#0; &#xD800; &#99999999; & b"),
            "&unknown; &amp &#0; &#xD800; &#99999999; & b");
}

TEST(HtmlText, shows_the_targets_of_links) {
  EXPECT_EQ(html_to_text("<a href=\"https://a.example/?x=1&amp;y=2\">Shop</a>."),
            "Shop (https://a.example/?x=1&y=2).");
  EXPECT_EQ(html_to_text("<a href='https://a.example'>https://a.example</a>"), "https://a.example");
  EXPECT_EQ(html_to_text("<a href=https://a.example><img src=x alt=Logo></a>"),
            "Logo (https://a.example)");
  EXPECT_EQ(html_to_text("<a href=\"https://a.example\"><img src=\"x\"></a>"), "https://a.example");
  // Nobody can see or open these.
  EXPECT_EQ(html_to_text("a<a href=\"https://a.example\"></a><a href=\"#top\">b</a><a>c</a>"),
            "abc");
}

TEST(HtmlText, leaves_out_parts_that_are_not_visible) {
  EXPECT_EQ(html_to_text("<!DOCTYPE html><html><head><title>T</title><style>p > a {}</style>"
                         "<meta charset=utf-8></head><body>a<!-- <p>b --><script>if (a < b) {}"
                         "</script><!--[if mso]><p>c</p><![endif]--></body></html>"),
            "a");
  EXPECT_EQ(html_to_text("a<div style=\"Display : none\">b<div>c</div>d</div>e<p hidden>f</p>"
                         "<span style='visibility:hidden'>g</span>"),
            "ae");
  EXPECT_EQ(html_to_text("<img hidden alt=a>b<img style=\"display:none\" alt=c>d"), "bd");
}

TEST(HtmlText, reads_broken_html) {
  EXPECT_EQ(html_to_text("a < b > c"), "a < b > c");
  EXPECT_EQ(html_to_text("a<b"), "a");
  EXPECT_EQ(html_to_text("a<a href=\"https://a.example"), "a");
  EXPECT_EQ(html_to_text("a<!-- b"), "a");
  EXPECT_EQ(html_to_text("a<style>b"), "a");
  EXPECT_EQ(html_to_text("</p></div>a</a></"), "a");
  EXPECT_EQ(html_to_text("<p =x / =y>a</p a=b>"), "a");
}

}  // namespace
}  // namespace shopbell::templates
