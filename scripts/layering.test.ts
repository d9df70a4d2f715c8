import assert from "node:assert/strict";
import { test } from "node:test";
import { lintPlanted } from "./planted.ts";

/** What a room must not import: `file in the room`, then one forbidden import a line. */
const forbidden: Record<string, string[]> = {
  "protocol/src/a.ts": [
    "@lossless/server",
    "@lossless/client",
    "node:fs",
    "fastify",
    "../../server/src/ground/errors.ts",
  ],
  "client/src/a.ts": [
    "@lossless/protocol",
    "typebox",
    "node:crypto",
    "../../protocol/src/x.ts",
    "./files/push.ts",
  ],
  "client/src/files/a.ts": ["@lossless/protocol", "typebox", "../../../protocol/src/x.ts"],
  "cli/src/a.ts": ["@lossless/server/main", "fastify", "pg", "../../server/src/main.ts"],
  "cli/src/commands/export.ts": ["@lossless/server/operator/verify", "../../../server/src/main.ts"],
  "server/src/a.ts": ["./http/server.ts", "./database/database.ts", "fastify", "@lossless/client"],
  "server/src/ground/a.ts": [
    "../options.ts",
    "../database/database.ts",
    "../http/server.ts",
    "fastify",
    "@lossless/client",
  ],
  "server/src/operator/a.ts": ["../http/server.ts", "../wire/metric-reader.ts", "fastify", "pg"],
  "server/src/http/a.ts": [
    "../admin/admin-server.ts",
    "../database/database.ts",
    "../buckets/bucket.ts",
    "../storage/operations.ts",
    "pg",
    "node:sqlite",
  ],
  "server/src/http/v1/a.ts": [
    "../../database/database.ts",
    "../../storage/writer.ts",
    "../v2/batch.ts",
    "../sign-in/page.ts",
    "../web/asset.ts",
  ],
  "server/src/http/sign-in/oauth/a.ts": ["../../v1/sessions.ts", "../../../buckets/bucket.ts"],
  "server/src/http/callers/a.ts": ["../v1/sessions.ts", "../sign-in/page.ts"],
  "server/src/wire/a.ts": [
    "../http/server.ts",
    "../storage/operations.ts",
    "../series/catalog.ts",
    "../database/database.ts",
    "fastify",
  ],
  "server/src/admin/a.ts": ["../database/database.ts", "../points/seal.ts", "../series/catalog.ts"],
  "server/src/storage/a.ts": [
    "../http/server.ts",
    "../stores/probe.ts",
    "../wire/metric-reader.ts",
    "../watching/watching.ts",
    "fastify",
    "pg",
    "@lossless/client",
  ],
  "server/src/watching/a.ts": [
    "../http/server.ts",
    "../storage/operations.ts",
    "../database/database.ts",
    "../series/catalog.ts",
  ],
  "server/src/background/a.ts": [
    "../storage/storage.ts",
    "../sweeping/sweeper.ts",
    "../issuer/rotation.ts",
    "../database/sqlite.ts",
  ],
  "server/src/organizations/a.ts": [
    "../http/server.ts",
    "../storage/storage.ts",
    "../points/chunk.ts",
    "../experiments/open.ts",
    "../folders/create.ts",
    "../database/sqlite.ts",
    "fastify",
  ],
  "server/src/oauth/a.ts": [
    "../http/server.ts",
    "../organizations/keys.ts",
    "../database/sqlite.ts",
  ],
  "server/src/people/a.ts": [
    "../http/server.ts",
    "../oauth/grant.ts",
    "../ground/passwords.ts",
    "../database/sqlite.ts",
  ],
  "server/src/saved/a.ts": [
    "../http/server.ts",
    "../views/changes.ts",
    "../experiments/open.ts",
    "../organizations/keys.ts",
    "../database/sqlite.ts",
  ],
  "server/src/access/a.ts": ["../people/person.ts", "../audit/audit.ts", "../database/sqlite.ts"],
  "server/src/quotas/a.ts": [
    "../organizations/keys.ts",
    "../points/seal.ts",
    "../storage/storage.ts",
    "../database/sqlite.ts",
    "fastify",
  ],
  "server/src/folders/a.ts": ["../series/query.ts", "../organizations/keys.ts", "pg"],
  "server/src/experiments/a.ts": [
    "../series/query.ts",
    "../organizations/keys.ts",
    "../storage/storage.ts",
    "../database/postgres.ts",
  ],
  "server/src/views/a.ts": ["../http/batch.ts", "../storage/operations.ts", "../versions/open.ts"],
  "server/src/series/a.ts": [
    "../views/charts/overview.ts",
    "../folders/create.ts",
    "../http/batch.ts",
    "../buckets/segments/disk.ts",
  ],
  "server/src/summaries/a.ts": [
    "../views/charts/overview.ts",
    "../series/catalog.ts",
    "../experiments/open.ts",
    "../storage/storage.ts",
    "../background/runner.ts",
    "../buckets/segments/disk.ts",
    "../database/sqlite.ts",
  ],
  "server/src/artifacts/a.ts": [
    "../versions/begin.ts",
    "../buckets/bucket.ts",
    "../storage/storage.ts",
    "../organizations/keys.ts",
    "../people/person.ts",
    "../database/sqlite.ts",
  ],
  "server/src/locations/a.ts": ["../artifacts/upload.ts", "../buckets/bucket.ts", "fastify"],
  "server/src/audit/a.ts": ["../artifacts/upload.ts", "../people/person.ts", "pg"],
  "server/src/versions/a.ts": [
    "../http/server.ts",
    "../storage/operations.ts",
    "../database/sqlite.ts",
    "../buckets/s3/bucket.ts",
    "../points/chunk.ts",
    "../organizations/keys.ts",
  ],
  "server/src/stores/a.ts": [
    "../versions/artifact-services.ts",
    "../sweeping/sweeper.ts",
    "../storage/operations.ts",
    "../database/sqlite.ts",
    "../organizations/keys.ts",
  ],
  "server/src/sweeping/a.ts": [
    "../versions/artifact-services.ts",
    "../clouds/cloud.ts",
    "../buckets/s3/bucket.ts",
    "../storage/operations.ts",
  ],
  "server/src/issuer/keys/a.ts": [
    "../../http/server.ts",
    "../../storage/storage.ts",
    "../../clouds/cloud.ts",
    "../issuer.ts",
    "../../connections/connection.ts",
    "../../locations/secrets.ts",
    "../../database/sqlite.ts",
  ],
  "server/src/issuer/a.ts": [
    "../http/server.ts",
    "../storage/operations.ts",
    "../clouds/clouds.ts",
    "../clouds/aws/sts.ts",
    "../database/database.ts",
  ],
  "server/src/figures/a.ts": ["../http/server.ts", "../admin/admin-server.ts", "fastify"],
  "server/src/clouds/a.ts": [
    "../issuer/issuer.ts",
    "../http/server.ts",
    "../versions/artifact-services.ts",
    "../audit/audit.ts",
    "../storage/operations.ts",
    "../database/database.ts",
  ],
  "server/src/points/a.ts": [
    "../background/runner.ts",
    "../series/query.ts",
    "../wire/metric-reader.ts",
    "../storage/storage.ts",
    "../buckets/segments/disk.ts",
    "../database/sqlite.ts",
    "@lossless/client",
  ],
  "server/src/points/identifiers/a.ts": ["../../series/query.ts", "../../database/sqlite.ts"],
  "server/src/buckets/a.ts": [
    "../points/chunk.ts",
    "../versions/begin.ts",
    "../artifacts/upload.ts",
    "../database/sqlite.ts",
    "pg",
  ],
  "server/src/buckets/s3/a.ts": [
    "../segments/disk.ts",
    "../gcs/bucket.ts",
    "../../points/chunk.ts",
  ],
  "server/src/buckets/built-in/a.ts": ["../segments/disk.ts", "../../artifacts/upload.ts"],
  "server/src/database/a.ts": ["../buckets/bucket.ts", "../points/chunk.ts", "fastify"],
  "test/contract/a.test.ts": ["@lossless/server", "../../server/src/main.ts", "../../cli/src/a.ts"],
};

/** What the same rooms may import: a rule that forbids everything would prove nothing. */
const allowed: Record<string, string[]> = {
  "protocol/src/b.ts": ["typebox", "./limits.ts"],
  "client/src/b.ts": ["./wire.ts"],
  "client/src/b.test.ts": ["node:test"],
  "client/src/files/b.ts": ["node:crypto", "../wire.ts"],
  "cli/src/b.ts": ["@lossless/client", "node:util"],
  "cli/src/commands/serve.ts": ["@lossless/server/main"],
  "server/src/b.ts": ["@lossless/protocol", "./ground/clock.ts", "./options.ts", "node:crypto"],
  "server/src/ground/b.ts": ["@lossless/protocol", "./clock.ts", "node:crypto"],
  "server/src/operator/b.ts": [
    "../storage/open-database.ts",
    "../options.ts",
    "../ground/errors.ts",
  ],
  "server/src/main.ts": ["./http/server.ts", "./database/postgres.ts"],
  "server/src/http/b.ts": ["../storage/storage.ts", "../ground/errors.ts", "fastify"],
  "server/src/http/v2/b.ts": [
    "../callers/credentials.ts",
    "../route.ts",
    "../../wire/metric-reader.ts",
    "../../storage/storage.ts",
    "../../views/table/table.ts",
  ],
  "server/src/wire/b.ts": [
    "../points/point-batch.ts",
    "../quotas/refusal.ts",
    "../storage/storage.ts",
  ],
  "server/src/admin/b.ts": ["../http/http-context.ts", "../storage/open.ts"],
  "server/src/service.ts": ["./storage/open.ts", "./http/server.ts"],
  "server/src/storage/b.ts": ["../series/query.ts", "../database/sqlite.ts"],
  "server/src/access/b.ts": ["../database/database.ts", "../ground/errors.ts"],
  "server/src/organizations/b.ts": ["../access/role.ts", "../audit/audit.ts"],
  "server/src/oauth/b.ts": ["../access/live-session.ts"],
  "server/src/people/b.ts": [
    "../organizations/keys.ts",
    "../audit/audit.ts",
    "../database/database.ts",
  ],
  "server/src/experiments/b.ts": ["../folders/create.ts", "../database/database.ts"],
  "server/src/views/b.ts": [
    "../series/matching-series.ts",
    "../points/search.ts",
    "../artifacts/names.ts",
  ],
  "server/src/series/b.ts": ["../experiments/open.ts", "../points/point-batch.ts"],
  "server/src/artifacts/b.ts": [
    "../locations/location.ts",
    "../audit/audit.ts",
    "../database/rows.ts",
  ],
  "server/src/locations/b.ts": ["../access/role.ts", "../audit/audit.ts", "../ground/sealing.ts"],
  "server/src/versions/b.ts": [
    "../artifacts/upload.ts",
    "../locations/placement.ts",
    "../storage/storage.ts",
    "../buckets/bucket.ts",
    "../database/database.ts",
  ],
  "server/src/versions/artifact-services.ts": ["../buckets/s3/bucket.ts", "../sweeping/sweeper.ts"],
  "server/src/stores/b.ts": [
    "../buckets/s3/bucket.ts",
    "../clouds/cloud.ts",
    "../connections/connection.ts",
    "../locations/add.ts",
  ],
  "server/src/sweeping/b.ts": ["../artifacts/removal.ts", "../buckets/bucket.ts"],
  "server/src/issuer/keys/b.ts": [
    "../../audit/audit.ts",
    "../../database/database.ts",
    "../../ground/sealing.ts",
  ],
  "server/src/issuer/b.ts": ["./keys/key.ts", "../storage/storage.ts", "../clouds/cloud.ts"],
  "server/src/figures/b.ts": ["./registry.ts", "node:perf_hooks"],
  "server/src/clouds/b.ts": [
    "../connections/connection.ts",
    "../storage/storage.ts",
    "../buckets/bucket.ts",
  ],
  "server/src/points/b.ts": ["../buckets/bucket.ts", "../database/database.ts"],
  "server/src/buckets/b.ts": ["../database/database.ts", "node:fs/promises"],
  "server/src/buckets/gcs/b.ts": ["../s3/bucket.ts", "../bucket.ts", "../egress.ts"],
  "server/src/database/b.ts": ["pg", "node:sqlite", "../ground/errors.ts"],
  "test/contract/b.test.ts": ["@lossless/client", "@lossless/protocol"],
};

/** One file is planted per forbidden import: a rule that catches only the first is found out. */
const violations = Object.entries(forbidden).flatMap(([room, targets]) =>
  targets.map((target, index) => ({ room, target, file: room.replace(/([^/]+)$/, `${index}-$1`) })),
);

const source = (targets: string[]) =>
  targets.map((target, index) => `export { x as x${index} } from "${target}";\n`).join("");

test("every forbidden import between two rooms is reported, every allowed one is not", async () => {
  const found = await lintPlanted({
    ...Object.fromEntries(violations.map(({ file, target }) => [file, source([target])])),
    ...Object.fromEntries(Object.entries(allowed).map(([file, all]) => [file, source(all)])),
  });
  const rule = "no-restricted-imports";
  const missed = violations.filter(({ file }) => !found.get(file)?.has(rule));
  assert.deepEqual(
    missed.map(({ room, target }) => `${room} imports ${target}`),
    [],
  );
  assert.deepEqual(
    Object.keys(allowed).filter((file) => found.get(file)?.has(rule)),
    [],
  );
});
