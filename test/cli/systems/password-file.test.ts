import assert from "node:assert/strict";
import { mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { startPostgres, type PostgresServer } from "../../postgres.ts";
import { Service } from "../../service.ts";
import { suiteDirectory } from "../../suite-service.ts";
import { run } from "../command-line.ts";

/** A server that asks for the password, which is in a file as Kubernetes mounts a secret. */
suite("--database-password-file", () => {
  const directory = suiteDirectory("password");
  let postgres: PostgresServer;
  let admin: Client;
  let url: string;
  let file: string;
  let swaps = 0;

  before(async () => {
    postgres = await startPostgres();
    admin = new Client({ connectionString: await postgres.createDatabase() });
    await admin.connect();
    await admin.query("CREATE ROLE rotated LOGIN PASSWORD 'first one'");
    await admin.query(`ALTER DATABASE ${admin.database} OWNER TO rotated`);
    const hba = join(postgres.dataDirectory, "pg_hba.conf");
    writeFileSync(
      hba,
      `host all rotated 127.0.0.1/32 scram-sha-256\nhost all shut 127.0.0.1/32 reject\n${readFileSync(hba, "utf8")}`,
    );
    await admin.query("SELECT pg_reload_conf()");
    url = `postgres://rotated@127.0.0.1:${postgres.port}/${admin.database}`;
    file = join(directory, "password");
    symlinkSync(join("..data", "password"), file);
    mount("first one\n");
  });
  after(async () => {
    await admin?.end();
    await postgres?.[Symbol.asyncDispose]();
  });

  /** The directory behind the link is another one at once. */
  function mount(content: string): void {
    const name = `..${++swaps}`;
    mkdirSync(join(directory, name));
    writeFileSync(join(directory, name, "password"), content);
    symlinkSync(name, join(directory, "..next"));
    renameSync(join(directory, "..next"), join(directory, "..data"));
  }

  const told = async (given: string, ...words: string[]) => {
    const { code, stdout, stderr } = await run("", ...words, "--database-url", given);
    return { code, text: stdout + stderr };
  };
  const cutOff = () =>
    admin.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'rotated'");
  const becomes = async ({ baseUrl }: Service, status: number) => {
    // A kept connection may be closed at the moment of a request.
    const now = () =>
      fetch(`${baseUrl}/readyz`).then(
        (reply) => reply.status,
        () => 0,
      );
    while ((await now()) !== status) await sleep(50);
  };

  test("another password, cut connections: the service comes back by itself, and so from other changes", async () => {
    const flags = ["--database-password-file", file];
    await using service = await Service.start({ databaseUrl: url, flags });
    const { processId } = service;
    const changes: [change: () => unknown, mend: () => unknown][] = [
      [
        () => admin.query("ALTER ROLE rotated PASSWORD 'second one'"),
        () => mount("second one\r\n"),
      ],
      [
        () => admin.query("ALTER ROLE rotated NOLOGIN"),
        () => admin.query("ALTER ROLE rotated LOGIN"),
      ],
      [() => renameSync(file, `${file}.gone`), () => renameSync(`${file}.gone`, file)],
      [
        () => admin.query("REVOKE ALL ON api_key FROM rotated"),
        () => admin.query("GRANT ALL ON api_key TO rotated"),
      ],
      [
        () => admin.query("ALTER ROLE rotated CONNECTION LIMIT 0"),
        () => admin.query("ALTER ROLE rotated CONNECTION LIMIT -1"),
      ],
    ];
    for (const [change, mend] of changes) {
      await change();
      await cutOff();
      await becomes(service, 503);
      await mend();
      await becomes(service, 200);
    }
    assert.equal(service.processId, processId);
    const command = readFileSync(`/proc/${processId}/cmdline`, "utf8");
    for (const seen of [command, service.output, service.errors])
      assert.doesNotMatch(seen, /(first|second) one/);
  });

  test("commands and the doctor take it", async () => {
    const flags = ["--database-password-file", file];
    const verified = await told(url, "verify", ...flags);
    assert.equal(verified.code, 0, verified.text);
    const listed = await told(url, "people", "list", ...flags);
    assert.equal(listed.code, 0, listed.text);
    const copied = await told(url, "copy", ...flags, "--to-data", join(directory, "copied"));
    assert.equal(copied.code, 0, copied.text);
    const { text } = await told(url, "doctor", ...flags, "--data", join(directory, "none"));
    assert.match(text, /^ok +PostgreSQL: version/m);
    assert.doesNotMatch(text, /second one/);
  });

  test("what is wrong with it is said, with exit code 2 and without the password", async () => {
    const wrong = async (words: RegExp, given: string, path: string) => {
      const { code, text } = await told(given, "verify", "--database-password-file", path);
      assert.deepEqual([code, words.test(text)], [2, true], text);
      assert.doesNotMatch(text, /second one|\n\s+at /);
      const doctor = await told(given, "doctor", "--database-password-file", path);
      assert.match(doctor.text, words);
    };
    const holding = (name: string, content: string) => {
      writeFileSync(join(directory, name), content);
      return join(directory, name);
    };
    await wrong(/nowhere.*cannot be read: ENOENT/, url, "nowhere");
    await wrong(/cannot be read: EISDIR/, url, directory);
    await wrong(/is empty/, url, holding("empty", "\n"));
    await wrong(/one line/, url, holding("lines", "second one\nsecond one\n"));
    await wrong(/too long/, url, holding("long", "x".repeat(5_000)));
    await wrong(
      /"rotated".*--database-password-file; ALTER ROLE/,
      url,
      holding("other", "third one"),
    );
    await wrong(/remove it from the address/, url.replace("@", ":second%20one@"), file);
  });

  test("no password at all, and an address that pg_hba.conf refuses", async () => {
    for (const [given, words] of [
      [url, /give it with --database-password-file/],
      [url.replace("rotated", "shut"), /pg_hba\.conf/],
    ] as const) {
      const { code, text } = await told(given, "verify");
      assert.deepEqual([code, words.test(text)], [2, true], text);
    }
  });
});
