import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import {
  type Certificates,
  encryptConnections,
  makeCertificates,
} from "../../../test/postgres-tls.ts";
import { startPostgres } from "../../../test/postgres.ts";
import { openPostgres } from "./postgres.ts";

/** Returns whether a connection is encrypted and its user, or the error of a mode. */
async function outcome(url: string): Promise<string> {
  try {
    await using database = openPostgres({ url });
    const row = await database.read((reader) =>
      reader.get<{ user: string; encrypted: string }>(
        `SELECT current_user::text AS user, ssl::text AS encrypted FROM pg_stat_ssl
          WHERE pid = pg_backend_pid()`,
      ),
    );
    return `${row?.user} ${row?.encrypted === "true" ? "encrypted" : "in the clear"}`;
  } catch (error) {
    return (error as Error).message;
  }
}

test("each mode does what it does for PostgreSQL's own clients, and no library warns", async () => {
  const warnings: string[] = [];
  const onWarning = ({ message }: Error) => void warnings.push(message);
  process.on("warning", onWarning);
  using certificates: Certificates = await makeCertificates();
  await using server = await startPostgres();
  const plain = new URL(await server.createDatabase());
  const at = (host: string, search: string, user = "lossless") =>
    `postgres://${user}@${host}:${server.port}${plain.pathname}?${search}`;
  assert.match(
    await outcome(at("localhost", "sslmode=require")),
    /The server does not support SSL connections \(sslmode=disable connects without it\)/,
  );
  assert.equal(await outcome(at("localhost", "sslmode=disable")), "lossless in the clear");

  await encryptConnections(server, certificates);
  const { authority, stranger, client } = certificates;
  const encrypted = "lossless encrypted";
  const unknown = /sslrootcert=FILE names the authority that signed it/;
  const name = /does not match certificate's altnames.*sslmode=verify-ca does not compare it/;
  const clear = /no encryption \(sslmode=require or verify-full encrypts\)/;
  const version = Number(readFileSync(join(server.dataDirectory, "PG_VERSION"), "utf8"));
  const direct = version >= 17 ? encrypted : /disconnected before secure TLS/;
  const expected: [host: string, search: string, outcome: string | RegExp][] = [
    ["localhost", "", clear],
    ["localhost", "sslmode=disable", clear],
    ["localhost", "sslmode=require", encrypted],
    ["127.0.0.1", "sslmode=require", encrypted],
    ["localhost", "sslmode=require&sslnegotiation=postgres", encrypted],
    ["localhost", `sslmode=verify-full&sslrootcert=${authority}&sslnegotiation=direct`, direct],
    ["localhost", "ssl=true", encrypted],
    ["localhost", "sslmode=no-verify", encrypted],
    ["localhost", `sslmode=no-verify&sslrootcert=${stranger}`, encrypted],
    ["localhost", `sslmode=require&sslrootcert=${authority}`, encrypted],
    ["127.0.0.1", `sslmode=require&sslrootcert=${authority}`, encrypted],
    ["localhost", `sslmode=require&sslrootcert=${stranger}`, unknown],
    ["localhost", `sslmode=verify-ca&sslrootcert=${authority}`, encrypted],
    ["127.0.0.1", `sslmode=verify-ca&sslrootcert=${authority}`, encrypted],
    ["localhost", `sslmode=verify-ca&sslrootcert=${stranger}`, unknown],
    ["localhost", `sslmode=verify-full&sslrootcert=${authority}`, encrypted],
    ["localhost", `sslrootcert=${authority}`, encrypted],
    ["127.0.0.1", `sslmode=verify-full&sslrootcert=${authority}`, name],
    ["localhost", `sslmode=verify-full&sslrootcert=${stranger}`, unknown],
    ["localhost", "sslmode=verify-full", unknown],
    ["localhost", "sslmode=verify-full&sslrootcert=system", unknown],
  ];
  for (const [host, search, wanted] of expected) {
    const found = await outcome(at(host, search));
    if (typeof wanted === "string") assert.equal(found, wanted, `${host} ${search}`);
    else assert.match(found, wanted, `${host} ${search}`);
  }
  const proof = `sslcert=${client.certificate}&sslkey=${client.key}`;
  const full = `sslmode=verify-full&sslrootcert=${authority}`;
  const certified = (search: string) => outcome(at("localhost", search, "certified"));
  assert.equal(await certified(`${full}&${proof}`), "certified encrypted");
  assert.equal(await certified(`sslmode=require&${proof}`), "certified encrypted");
  assert.match(await certified(full), /connection requires a valid client certificate/);
  process.off("warning", onWarning);
  assert.deepEqual(warnings, []);
});

test("commands and the service print no warning of a library; NODE_EXTRA_CA_CERTS names an authority too", async () => {
  using certificates = await makeCertificates();
  await using server = await startPostgres();
  const { pathname } = new URL(await server.createDatabase());
  await encryptConnections(server, certificates);
  const at = (search: string) =>
    `postgres://lossless@localhost:${server.port}${pathname}?${search}`;
  const data = mkdtempSync(join(tmpdir(), "lossless-tls-"));
  const lossless = (search: string, environment: Record<string, string>, ...words: string[]) => {
    const all = [commandLine, ...words, "--database-url", at(search)];
    return spawn(process.execPath, all, { env: { ...process.env, ...environment }, cwd: data });
  };

  const service = lossless(
    "sslmode=require",
    {},
    "serve",
    "--data",
    data,
    "--port",
    "0",
    "--drain-ms",
    "0",
  );
  const errors = text(service.stderr);
  for await (const line of createInterface(service.stdout)) {
    if (line.startsWith("Lossless is ready")) service.kill("SIGTERM");
  }
  const logged = (await errors).trim().split("\n");
  const warned = logged.map((line) => JSON.parse(line)).filter(({ level }) => level === "warn");
  const sentence = /encrypted, but the server's identity is not verified: use sslmode=verify-full/;
  assert.equal(warned.filter(({ msg }) => sentence.test(msg)).length, 1);

  const listed = async (search: string, environment: Record<string, string>) => {
    const list = lossless(search, environment, "people", "list");
    const [complaint, [code]] = await Promise.all([text(list.stderr), once(list, "exit")]);
    return `${code} ${complaint.replace(/^Data: .*\n/, "")}`;
  };
  const trusting = { NODE_EXTRA_CA_CERTS: certificates.authority };
  assert.equal(await listed("sslmode=require", {}), "0 ");
  assert.equal(await listed("sslmode=verify-full", trusting), "0 ");
  assert.match(
    await listed("sslmode=verify-full", {}),
    /^\d .*sslrootcert=FILE names the auth.*\n$/,
  );
  assert.match(await listed("sslmode=prefer", {}), /^2 .*does not know sslmode=prefer.*\n$/);
  rmSync(data, { recursive: true });
});

const commandLine = fileURLToPath(new URL("../../../cli/bin/lossless.js", import.meta.url));
