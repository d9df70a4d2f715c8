import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { html } from "./html.ts";
import { pageHeaders, pageText } from "./page.ts";

test("values are escaped in texts and attributes; pieces are not escaped twice", () => {
  const name = `<script>alert("x")</script> & 'y'`;
  const escaped = "&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt; &amp; &#39;y&#39;";
  assert.equal(html`<p title="${name}">${name}</p>`.text, `<p title="${escaped}">${escaped}</p>`);
  const items = ["a", "<b>"].map((item) => html`<i>${item}</i>`);
  assert.equal(html`<b>${items}${undefined}${0}</b>`.text, "<b><i>a</i><i>&lt;b&gt;</i>0</b>");
});

test("a page has the style that its policy allows, and nothing that runs or loads", () => {
  const page = pageText({ title: "A <b>", body: html`<p>text</p>` }, "");
  assert.match(page, /<title>A &lt;b&gt; · Lossless<\/title>/);
  assert.doesNotMatch(page, /<script|<link|<img|\sstyle=|\son\w+=|javascript:/i);
  const [, style = ""] = /<style>(.*)<\/style>/s.exec(page) ?? [];
  const hash = createHash("sha256").update(style).digest("base64");
  const policy = pageHeaders(["http://127.0.0.1:1"])["content-security-policy"];
  assert.deepEqual(policy.split("; "), [
    "default-src 'none'",
    `style-src 'sha256-${hash}'`,
    "form-action 'self' http://127.0.0.1:1",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ]);
});
