import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { sharedPostgres } from "../../postgres.ts";
import { MovableClock } from "../../movable-clock.ts";
import { Service } from "../../service.ts";
import { suiteDirectory } from "../../suite-service.ts";
import { finished, run, start } from "../command-line.ts";

interface Key {
  id: string;
  state: string;
  isPublished: boolean;
}

const wellKnown = (service: Service, name: string) =>
  fetch(`${service.baseUrl}/.well-known/${name}`).then((reply) => reply.text());

for (const backend of ["sqlite", "postgres"]) {
  suite(`lossless issuer, ${backend}`, () => {
    const directory = suiteDirectory("issuer");
    let service: Service;
    let databaseUrl: string | undefined;
    before(async () => {
      databaseUrl =
        backend === "postgres" ? await (await sharedPostgres()).createDatabase() : undefined;
      service = await Service.start({ databaseUrl });
    });
    after(async () => {
      await service[Symbol.asyncDispose]();
    });
    const onData = (...words: string[]) => {
      const where = databaseUrl === undefined ? [] : ["--database-url", databaseUrl];
      return finished(
        start("", ["issuer", ...words, "--data", service.dataDirectory, ...where, "--json"]),
      );
    };
    const keys = async (...words: string[]): Promise<Key[]> => {
      const { code, stdout, stderr } = await onData(...words);
      assert.equal(code, 0, stderr);
      return (JSON.parse(stdout) as { keys: Key[] }).keys;
    };

    test("before anybody needed a key there is none, and none to rotate", async () => {
      assert.deepEqual(await keys("keys"), []);
      const { code, stderr } = await onData("rotate", "--force");
      assert.equal(code, 1);
      assert.match(stderr, /no keys yet/);
    });

    test("export writes what the service serves, whole files and nothing else", async () => {
      const { code, stdout, stderr } = await run(service.baseUrl, "issuer", "export", directory);
      assert.equal(code, 0, stderr);
      const folder = join(directory, ".well-known");
      assert.deepEqual(readdirSync(folder).sort(), ["jwks.json", "openid-configuration"]);
      for (const name of readdirSync(folder)) {
        const written = JSON.parse(readFileSync(join(folder, name), "utf8")) as unknown;
        assert.deepEqual(written, JSON.parse(await wellKnown(service, name)));
      }
      assert.match(stdout, /publish them as http:\/\/127\.0\.0\.1:\d+\/\.well-known/);
      assert.match(stdout, /valid for at least 90 days/);
      assert.match(stdout, /publishes them itself/);
      assert.match(
        stderr,
        /No cloud accepts the issuer http:.*--issuer-url https:.*then export again/s,
      );
    });

    test("a key that is new does not sign, except by force; beside the service it works at once", async () => {
      const there = ["--issuer-url", service.baseUrl];
      const [before, early] = [await keys("keys"), await onData("rotate", ...there)];
      assert.equal(early.code, 1);
      assert.match(early.stderr, /published for 0 hours/);
      assert.deepEqual(await keys("keys"), before);
      const wrong = await onData("rotate", "--issuer-url", "http://keys.example");
      assert.equal(wrong.code, 2);
      const blind = await onData("rotate");
      assert.equal(blind.code, 2);
      assert.match(blind.stderr, /address is needed.*--issuer-url.*--config/s);
      assert.deepEqual(await keys("keys"), before);
      const after = await keys("rotate", "--force");
      assert.deepEqual(after.map(({ state }) => state).sort(), ["active", "next", "retired"]);
      const next = before.find(({ state }) => state === "next");
      assert.equal(after.find(({ state }) => state === "active")?.id, next?.id);
      const served = JSON.parse(await wellKnown(service, "jwks.json")) as { keys: unknown[] };
      assert.equal(served.keys.length, 3);
    });

    test("a key that is withdrawn is gone from the set", async () => {
      const before = await keys("keys");
      const after = await keys("rotate", "--force", "--withdraw");
      assert.deepEqual(after.map(({ state }) => state).sort(), ["active", "next"]);
      const gone = before.filter(({ state }) => state !== "next").map(({ id }) => id);
      const served = await wellKnown(service, "jwks.json");
      for (const id of gone) assert.equal(served.includes(id), false);
      const audited = await finished(
        start("", [
          "audit", "--json", "--data", service.dataDirectory,
          ...(databaseUrl === undefined ? [] : ["--database-url", databaseUrl]),
        ]), // prettier-ignore
      );
      assert.match(audited.stdout, /issuer\.keyRotated/);
      assert.match(audited.stdout, /"isWithdrawn": ?true/);
    });

    test("the private keys are sealed again with the master key", async () => {
      const served = await wellKnown(service, "jwks.json");
      assert.equal(await service.stop(), 0);
      const where = databaseUrl === undefined ? [] : ["--database-url", databaseUrl];
      const words = ["keys", "rotate-master", "--data", service.dataDirectory, ...where, "--json"];
      const { code, stdout, stderr } = await finished(start("", words));
      assert.equal(code, 0, stderr);
      assert.equal((JSON.parse(stdout) as { resealed: number }).resealed, 2);
      await service.start();
      assert.equal(await wellKnown(service, "jwks.json"), served);
      await keys("rotate", "--force");
    });

    // The last one: what it writes is a day ahead.
    test("the published set is looked at where the service's own options say that it is", async () => {
      const before = await keys("keys");
      const file = join(directory, "lossless.json");
      const clock = new MovableClock(directory, 25 * 3_600_000);
      const rotate = (variables: Record<string, string>, ...words: string[]) => {
        const where = databaseUrl === undefined ? [] : ["--database-url", databaseUrl];
        const all = ["issuer", "rotate", "--data", service.dataDirectory, ...where, ...words];
        return finished(start("", all, { ...clock.command, ...variables }));
      };
      const elsewhere = `${service.baseUrl}/elsewhere`;
      writeFileSync(file, JSON.stringify({ "issuer-url": elsewhere, "base-url": service.baseUrl }));
      for (const refused of [
        await rotate({ LOSSLESS_ISSUER_URL: elsewhere }),
        await rotate({}, "--config", file),
        await rotate({ LOSSLESS_CONFIG: file }),
      ]) {
        assert.equal(refused.code, 1, refused.stderr);
        assert.match(refused.stderr, /\/elsewhere\/\.well-known\/openid-configuration answers 404/);
      }
      assert.deepEqual(await keys("keys"), before);
      const done = await rotate({ LOSSLESS_BASE_URL: service.baseUrl });
      assert.equal(done.code, 0, done.stderr);
      const next = before.find(({ state }) => state === "next");
      const after = await keys("keys");
      assert.equal(after.find(({ state }) => state === "active")?.id, next?.id);
    });
  });
}
