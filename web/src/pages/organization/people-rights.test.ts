import assert from "node:assert/strict";
import { test } from "node:test";
import { roles } from "@lossless/protocol/roles";
import { mayChange } from "./people-rights.ts";

test("owners change everybody, admins all but owners, members nobody", () => {
  const changed = (own: (typeof roles)[number] | null) =>
    roles.filter((other) => mayChange(own, other));
  assert.deepEqual(changed("owner"), ["owner", "admin", "member", "viewer"]);
  assert.deepEqual(changed("admin"), ["admin", "member", "viewer"]);
  assert.deepEqual(changed("member"), []);
  assert.deepEqual(changed(null), []);
});
