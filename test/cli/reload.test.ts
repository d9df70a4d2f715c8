import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { organizations, people, Service } from "../service.ts";

const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await holds())) await sleep(20);
};

test("SIGHUP applies the provision file again, a wrong one changes nothing, and systemd is told", async () => {
  const directory = mkdtempSync(join(tmpdir(), "lossless-reload-"));
  // It stands in for systemd's program, and writes down what it is to send.
  const told = join(directory, "told");
  const program = join(directory, "systemd-notify");
  writeFileSync(program, `#!/bin/sh\necho "$@" >> "$NOTIFY_SOCKET"\n`);
  chmodSync(program, 0o755);
  const environment = {
    NOTIFY_SOCKET: told,
    PATH: `${directory}${delimiter}${process.env.PATH}`,
  };
  const service = await Service.start({ environment });
  const lines = () => (existsSync(told) ? readFileSync(told, "utf8").trim().split("\n") : []);
  const known = async (secret: string) => {
    const headers = { authorization: `Bearer ${secret}` };
    return (await fetch(`${service.baseUrl}/api/v1/whoami`, { headers })).status === 200;
  };
  await until(() => lines().length === 1);
  const file = JSON.parse(readFileSync(service.provisionFile, "utf8"));
  const secret = `ak_${"n".repeat(44)}`;
  file.organizations[0].apiKeys.push({ name: "new", secret });
  const reload = (content: string) => {
    writeFileSync(service.provisionFile, content);
    process.kill(service.processId, "SIGHUP");
  };

  reload("{ this is wrong");
  await until(() => lines().length === 3);
  assert.match(service.errors, /"level":"error".*the reload failed.*provision\.json/);
  assert.equal(await known(secret), false);

  reload(JSON.stringify(file));
  await until(() => lines().length === 5);
  assert.equal(await known(secret), true);

  assert.equal(await service.stop(), 0);
  await until(() => lines().length === 6);
  const shapes = lines().map((line) => line.replace(/\d{4,}/, "N"));
  const reloading = "RELOADING=1 MONOTONIC_USEC=N";
  assert.deepEqual(shapes, ["READY=1", reloading, "READY=1", reloading, "READY=1", "STOPPING=1"]);
  await service[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

test("what contradicts the database is told in words, and nothing of its file is applied", async () => {
  // Nothing answers there: it is saved with a warning.
  const main = {
    kind: "s3",
    name: "main",
    endpoint: "http://127.0.0.1:9",
    bucket: "one",
    path: "p",
    cloud: "aws",
    region: "eu-central-1",
    signingRegion: "eu-central-1",
    pathStyle: true,
    accessKeyId: "id",
    secretAccessKey: "secret",
  };
  const allowPrivate = ["127.0.0.0/8"];
  await using service = await Service.start({ people: true, locations: [main], allowPrivate });
  const known = async (secret: string) => {
    const headers = { authorization: `Bearer ${secret}` };
    return (await fetch(`${service.baseUrl}/api/v1/whoami`, { headers })).status === 200;
  };
  const signsIn = async (password: string) => {
    const body = JSON.stringify({ email: people.ada.email, password });
    const headers = { "content-type": "application/json" };
    const reply = await fetch(`${service.baseUrl}/api/v1/sessions`, {
      method: "POST",
      headers,
      body,
    });
    return reply.ok;
  };
  const before = readFileSync(service.provisionFile, "utf8");
  const keyOfNewcomer = `ak_${"n".repeat(44)}`;
  const secondKey = `ak_${"m".repeat(44)}`;
  const password = "another password of ada";
  let reloads = 0;
  /** Applies a file that has more than one change, and returns what the log says of it. */
  const reload = async (change: (acme: Provisioned, rival: Provisioned) => void) => {
    const file = JSON.parse(before) as { organizations: Provisioned[] };
    const [acme, rival] = file.organizations;
    file.organizations.unshift({ name: "new", apiKeys: [{ name: "ci", secret: keyOfNewcomer }] });
    acme.apiKeys.push({ name: "more", secret: secondKey });
    acme.people![0].password = password;
    change(acme, rival);
    writeFileSync(service.provisionFile, JSON.stringify(file));
    process.kill(service.processId, "SIGHUP");
    reloads++;
    const told = () => service.errors.match(/.*(?:reloaded: |the reload failed).*/g) ?? [];
    await until(() => told().length === reloads);
    return told().at(-1)!;
  };
  const applied = async () => [
    await known(keyOfNewcomer),
    await known(secondKey),
    await signsIn(password),
  ];
  const refused = async (told: string, sentence: RegExp) => {
    const { level, msg, ...more } = JSON.parse(told) as Record<string, unknown>;
    assert.match(String(msg), sentence);
    assert.match(String(msg), /^the reload failed, and the service goes on without it: /);
    assert.deepEqual([level, "err" in more], ["error", false]);
    assert.deepEqual(await applied(), [false, false, false]);
    assert.ok(await known(organizations.acme.key));
    assert.ok(await signsIn(people.ada.password));
  };

  await refused(
    await reload((acme, rival) => {
      const { key } = organizations.acme;
      acme.apiKeys = acme.apiKeys.filter(({ secret }) => secret !== key);
      rival.apiKeys.push({ name: "taken", secret: key });
    }),
    /The secret of the API key "taken" is already the key of another organization/,
  );
  await refused(
    await reload((acme) => (acme.locations = [{ ...main, bucket: "two" }])),
    /The location "main" of "acme" .*: a location of that name has the bucket "one"/,
  );
  await refused(
    await reload((acme) => {
      acme.locations = [
        { ...main, name: "renamed" },
        { ...main, endpoint: "http://127.0.0.1:10" },
      ];
    }),
    /The location "main" of "acme" .*: by its name it is the stored location that "renamed" is too/,
  );
  assert.match(await reload(() => {}), /reloaded: the provision file is applied/);
  assert.deepEqual(await applied(), [true, true, true]);
});

interface Provisioned {
  name: string;
  apiKeys: { name: string; secret: string }[];
  people?: { password: string }[];
  locations?: object[];
}
