import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { suite, test } from "node:test";
import { Browser, locationOf } from "../contract/browser.ts";
import { call, type JsonObject, parseObject } from "../http.ts";
import { MovableClock } from "../movable-clock.ts";
import { organizations, people } from "../service.ts";
import { suiteDirectory, suiteService } from "../suite-service.ts";
import { finished, type Finished, start } from "./command-line.ts";

const directory = suiteDirectory("login");
const clock = new MovableClock(directory);
const service = suiteService({ people: true, ...clock.service });

/** A machine with settings of its own, and a browser program that shows nothing. */
class Machine {
  readonly settings = mkdtempSync(join(directory, "settings-"));
  readonly environment = {
    LOSSLESS_API_KEY: "",
    XDG_CONFIG_HOME: this.settings,
    APPDATA: this.settings,
    SSH_CONNECTION: "",
    SSH_TTY: "",
    BROWSER: "true",
    ...clock.command,
  };
  readonly file = join(this.settings, "lossless", "login.json");

  get login(): JsonObject {
    return parseObject(readFileSync(this.file, "utf8"));
  }

  run(words: readonly string[], further: Record<string, string> = {}): Promise<Finished> {
    return finished(start(service.baseUrl, words, { ...this.environment, ...further }));
  }

  /** Runs `login --json`; `answer` does the person's part with what the command shows first. */
  async signIn(
    words: readonly string[],
    answer: (shown: JsonObject) => Promise<unknown>,
  ): Promise<Finished> {
    const child = start(service.baseUrl, ["login", "--json", ...words], this.environment);
    const end = finished(child);
    const [line] = (await once(createInterface(child.stdout!), "line")) as [string];
    await answer(parseObject(line));
    return end;
  }

  /** As somebody who allows it in the browser of this machine. */
  signInAs(person: keyof typeof people, ...words: string[]): Promise<Finished> {
    return this.signIn(words, async ({ authorizationUrl }) => {
      const { code } = await arrive(await answered(person, String(authorizationUrl), "allow"));
      assert.equal(code, 200);
    });
  }
}

/** Where the person's answer on the consent page leads. */
async function answered(
  person: keyof typeof people,
  address: string,
  answer: "allow" | "deny",
): Promise<URL> {
  const browser = new Browser(service);
  const { pathname, search } = new URL(address);
  const next = await browser.signIn(person, locationOf(await browser.get(pathname + search)));
  return new URL(locationOf(await browser.submit(await browser.get(next), { answer })));
}

/** The browser comes back to the command line. */
async function arrive({ origin, pathname, search }: URL): Promise<{ code: number; text: string }> {
  const { status: code, text } = await call(origin, { path: pathname + search });
  return { code, text };
}

async function whoami(machine: Machine, ...words: string[]): Promise<JsonObject> {
  const { code, stdout, stderr } = await machine.run(["whoami", "--json", ...words]);
  assert.equal(code, 0, stderr);
  return parseObject(stdout);
}

suite("sign-in of the command line", () => {
  test("by a code on another machine; kept for this user alone, and ended by logout", async () => {
    const machine = new Machine();
    const end = await machine.signIn(["--device"], async ({ verificationUri, userCode }) => {
      assert.equal(verificationUri, `${service.baseUrl}/device`);
      const browser = new Browser(service);
      await browser.signIn("ada");
      const entry = await browser.get("/device");
      const confirm = await browser.submit(entry, { user_code: String(userCode) });
      assert.equal((await browser.submit(confirm, { answer: "allow" })).status, 200);
    });
    assert.equal(end.code, 0, end.stderr);
    if (process.platform !== "win32") {
      assert.equal(statSync(machine.file).mode & 0o777, 0o600);
      assert.equal(statSync(join(machine.settings, "lossless")).mode & 0o777, 0o700);
    }
    const { accessToken, refreshToken, organization } = machine.login;
    assert.ok(!end.stdout.includes(String(accessToken)) && !end.stderr.includes("at_"));
    const me = await whoami(machine);
    assert.deepEqual(
      [me.credential, me.email, me.organization],
      ["oauth", people.ada.email, organization],
    );
    assert.equal((await machine.run(["experiments", "list"])).code, 0);
    const byKey = await machine.run(["whoami", "--json"], {
      LOSSLESS_API_KEY: organizations.rival.key,
    });
    assert.equal(parseObject(byKey.stdout).credential, "api_key");
    // Somebody meant to give one, and is not taken for the person who signed in.
    const blank = await machine.run(["whoami"], { LOSSLESS_API_KEY: "\n" });
    assert.deepEqual([blank.code, /LOSSLESS_API_KEY is blank/.test(blank.stderr)], [2, true]);

    assert.equal((await machine.run(["logout"])).code, 0);
    assert.deepEqual(readdirSync(join(machine.settings, "lossless")), []);
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const body = new URLSearchParams({
      grant_type: "refresh_token",
      refresh_token: String(refreshToken),
    }).toString();
    const refreshed = await call(service.baseUrl, {
      method: "POST",
      path: "/oauth/token",
      headers,
      body,
    });
    assert.equal(parseObject(refreshed.text).error, "invalid_grant");
    const nobody = await machine.run(["experiments", "list"]);
    assert.deepEqual([nobody.code, nobody.stdout], [2, ""]);
    assert.match(nobody.stderr, /lossless login/);
    assert.equal((await machine.run(["logout"])).code, 0);
  });

  test("in a browser of this machine; what is not the answer ends nothing", async () => {
    const machine = new Machine();
    const end = await machine.signIn([], async ({ authorizationUrl }) => {
      const answer = await answered("ada", String(authorizationUrl), "allow");
      assert.match(answer.origin, /^http:\/\/127\.0\.0\.1:\d+$/);
      for (const [name, value] of [
        ["state", "x"],
        ["iss", "https://evil.example"],
        ["error", "access_denied"],
      ] as const) {
        const forged = new URL(answer);
        forged.searchParams.set(name, value);
        assert.equal((await arrive(forged)).code, 400, name);
      }
      assert.equal((await arrive(new URL("/", answer))).code, 404);
      const page = await arrive(answer);
      assert.equal(page.code, 200);
      assert.match(page.text, /Return to the command line/);
    });
    assert.equal(end.code, 0, end.stderr);
    assert.equal((await whoami(machine)).email, people.ada.email);

    const denied = await new Machine().signIn([], async ({ authorizationUrl }) =>
      arrive(await answered("ada", String(authorizationUrl), "deny")),
    );
    assert.equal(denied.code, 1);
    assert.match(denied.stderr, /denied/);
  });

  test("an access token that ended is renewed by one of several commands", async () => {
    const machine = new Machine();
    assert.equal((await machine.signInAs("ada")).code, 0);
    const { refreshToken } = machine.login;
    clock.aheadMs = 61 * 60_000;
    const ends = await Promise.all(
      Array.from({ length: 4 }, () => machine.run(["experiments", "list"])),
    );
    for (const { code, stderr } of ends) assert.equal(code, 0, stderr);
    assert.notEqual(machine.login.refreshToken, refreshToken);
    assert.deepEqual(readdirSync(join(machine.settings, "lossless")), ["login.json"]);

    // Stolen and used: then the sign-in is over, and the command says what to do.
    writeFileSync(machine.file, JSON.stringify({ ...machine.login, expiresAtMs: 0, refreshToken }));
    const over = await machine.run(["experiments", "list"]);
    assert.equal(over.code, 1);
    assert.match(over.stderr, /has ended: run lossless login again/);
  });

  test("somebody in several organizations names one", async () => {
    const machine = new Machine();
    const unnamed = await machine.signInAs("bo");
    assert.equal(unnamed.code, 0, unnamed.stderr);
    assert.equal(machine.login.organization, null);
    const asked = await machine.run(["experiments", "list"]);
    assert.equal(asked.code, 2);
    assert.match(asked.stderr, /--organization/);
    const acme = await whoami(machine, "--organization", "acme");
    assert.equal((acme.organization as JsonObject).name, "acme");

    assert.equal((await machine.signInAs("bo", "--organization", "rival")).code, 0);
    assert.equal(((await whoami(machine)).organization as JsonObject).name, "rival");
    const { accessToken } = machine.login;
    const foreign = await machine.signInAs("bo", "--organization", "nowhere");
    assert.equal(foreign.code, 1);
    assert.match(foreign.stderr, /you do not belong to .*nowhere/);
    assert.equal(machine.login.accessToken, accessToken);
  });

  test("a sign-in is for its service, and a damaged file says so", async () => {
    const machine = new Machine();
    assert.equal((await machine.signInAs("ada")).code, 0);
    const elsewhere = await machine.run(["experiments", "list", "--url", "http://127.0.0.1:9"]);
    assert.equal(elsewhere.code, 2);
    assert.match(elsewhere.stderr, /signed in at http/);
    const alias = service.baseUrl.replace("127.0.0.1", "localhost");
    const other = await machine.run(["login", "--url", alias]);
    assert.equal(other.code, 1);
    assert.match(other.stderr, /calls itself http:\/\/127\.0\.0\.1/);
    writeFileSync(machine.file, "{");
    const damaged = await machine.run(["experiments", "list"]);
    assert.equal(damaged.code, 1);
    assert.match(damaged.stderr, /is damaged/);
    assert.equal((await machine.signInAs("ada")).code, 0);
  });
});
