import assert from "node:assert/strict";
import { test } from "node:test";
import { signOnBody } from "./sign-on-body.ts";

const needed = { name: " Okta ", issuer: "https://example.okta.com\n", clientId: "0oa" };

function form(fields: Record<string, string | string[]>): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields))
    for (const one of [value].flat()) data.append(name, one);
  return data;
}

test("what is typed is a provider: words by commas or spaces, groups row by row", () => {
  const body = signOnBody(
    form({
      ...needed,
      clientSecret: "secret",
      domains: "example.com, example.org",
      scopes: " openid  groups ",
      groupsClaim: "groups",
      group: ["ml", "", " leads "],
      groupRole: ["member", "owner", "admin"],
      defaultRole: "member",
      forced: "on",
    }),
  );
  assert.deepEqual(body, {
    name: "Okta",
    issuer: "https://example.okta.com",
    clientId: "0oa",
    clientSecret: "secret",
    domains: ["example.com", "example.org"],
    scopes: "openid groups",
    groupsClaim: "groups",
    roles: [
      { group: "ml", role: "member" },
      { group: "leads", role: "admin" },
    ],
    defaultRole: "member",
    forced: true,
  });
});

test("an empty secret stays as it is stored, and empty fields are what the service takes for none", () => {
  const empty = { clientSecret: "", domains: "example.com", scopes: "", groupsClaim: "" };
  assert.deepEqual(signOnBody(form({ ...needed, ...empty, defaultRole: "" })), {
    name: "Okta",
    issuer: "https://example.okta.com",
    clientId: "0oa",
    domains: ["example.com"],
    groupsClaim: null,
    roles: [],
    defaultRole: null,
    forced: false,
  });
});

test("a public client has no secret, whatever its field has", () => {
  const fields = { ...needed, domains: "example.com", publicClient: "on", clientSecret: "typed" };
  assert.equal(signOnBody(form(fields)).clientSecret, null);
});
