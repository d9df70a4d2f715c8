import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite, test } from "node:test";
import { Browser } from "../contract/browser.ts";
import { type PersonName, signInCommandLine } from "../contract/people.ts";
import { call } from "../http.ts";
import { organizations, people } from "../service.ts";
import { suiteDirectory, suiteService } from "../suite-service.ts";
import { finished, type Finished, start } from "./command-line.ts";

const service = suiteService({ people: true });
const directory = suiteDirectory("administration");

/** A machine with settings of its own and nothing in its environment, in an empty directory. */
class Machine {
  readonly home = mkdtempSync(join(directory, "machine-"));
  readonly variables: Record<string, string> = {
    LOSSLESS_URL: "",
    LOSSLESS_API_KEY: "",
    XDG_CONFIG_HOME: this.home,
    APPDATA: this.home,
  };

  run(line: string, further: Record<string, string> = {}): Promise<Finished> {
    const variables = { ...this.variables, ...further };
    return finished(start(service.baseUrl, line.split(" "), variables, this.home));
  }

  async json<T>(line: string, further?: Record<string, string>): Promise<T> {
    const { code, stdout, stderr } = await this.run(`${line} --json`, further);
    assert.deepEqual([code, stderr], [0, ""], `${line}: ${stderr}`);
    return JSON.parse(stdout) as T;
  }

  static async of(person: PersonName, organization = "acme"): Promise<Machine> {
    const machine = new Machine();
    const target = { baseUrl: service.baseUrl, observe() {} };
    const accessToken = await signInCommandLine(target, person, organization);
    const login = {
      url: service.baseUrl,
      accessToken,
      refreshToken: "none",
      expiresAtMs: Date.now() + 1_800_000,
      organization: { id: organization, name: organization },
    };
    mkdirSync(join(machine.home, "lossless"));
    writeFileSync(join(machine.home, "lossless", "login.json"), JSON.stringify(login));
    return machine;
  }
}

/** Takes an invitation on the join page, which has to say what it is for. */
async function joins(link: string, email: string, role: string): Promise<void> {
  const { pathname, search } = new URL(link);
  const browser = new Browser(service);
  const page = await browser.get(pathname + search);
  assert.ok(page.text.includes(`<strong>acme</strong> as ${role}.`), page.text);
  const password = "a password of words";
  assert.equal((await browser.submit(page, { email, password, again: password })).status, 303);
}

interface Member {
  id: string;
  email: string;
  role: string;
}

suite("administration by the command line", () => {
  const waysOf = async (): Promise<{ name: string; machine: Machine; flags: string }[]> => [
    { name: "by the service", machine: await Machine.of("ada"), flags: "" },
    {
      name: "on the data",
      machine: new Machine(),
      flags: ` --data ${service.dataDirectory} --organization acme`,
    },
  ];

  test("people are invited, listed, given roles and removed, either way", async () => {
    for (const { name, machine, flags } of await waysOf()) {
      const ask = <T>(line: string): Promise<T> =>
        machine.json<T>(line + flags, { LOSSLESS_BASE_URL: service.baseUrl });
      const email = `new.${name.replaceAll(" ", ".")}@acme.test`;
      const { link } = await ask<{ link: string }>(`people invite --role member --email ${email}`);
      assert.ok(link.startsWith(`${service.baseUrl}/join?token=in_`), link);
      await joins(link, email, "member");
      const listed = (await ask<Member[]>("people list")).find((one) => one.email === email);
      assert.equal(listed?.role, "member", name);
      const changed = await ask<Member>(`people role ${email.toUpperCase()} admin`);
      assert.deepEqual([changed.id, changed.role], [listed.id, "admin"]);
      const removed = await ask<Member>(`people remove ${listed.id}`);
      assert.equal(removed.email, email);
      const left = await ask<Member[]>("people list");
      assert.ok(!left.some((one) => one.email === email));
      const [newest] = await ask<{ action: string; subject: string }[]>("audit --limit 1");
      assert.deepEqual([newest?.action, newest?.subject], ["membership.ended", listed.id]);
      const made = await ask<{ key?: { id: string }; keyId?: string }>(
        `keys create --name by-${name.replaceAll(" ", "-")}`,
      );
      const audit = await machine.run(`audit --limit 1${flags}`);
      const who = name === "by the service" ? people.ada.email : "operator";
      assert.match(audit.stdout, new RegExp(` apiKey\\.created +${who} +key by-`), audit.stdout);
      const keys = await machine.run(`keys list${flags}`);
      assert.match(keys.stdout, new RegExp(` by-.* ${who} `), keys.stdout);
      await ask(`keys revoke ${made.key?.id ?? made.keyId}`);
    }
  });

  test("the last owner stays, and unknown people and roles are told, either way", async () => {
    for (const { name, machine, flags } of await waysOf()) {
      const refused = async (line: string, code: number, sentence: RegExp): Promise<void> => {
        const end = await machine.run(line + flags);
        assert.deepEqual([end.code, end.stdout], [code, ""], `${name}, ${line}: ${end.stderr}`);
        assert.match(end.stderr, sentence, `${name}, ${line}`);
      };
      await refused(`people remove ${people.ada.email}`, 1, /last owner/);
      await refused(`people role ${people.ada.email} member`, 1, /last owner/);
      await refused(`people remove ${people.rita.email}`, 1, /here is no person rita@/);
      await refused(
        `people role ${people.max.email} king`,
        2,
        /owner, admin, member, viewer, not king/,
      );
      await refused(`people role ${people.max.email}`, 2, /the role/);
      await refused("people invite", 2, /--role is required/);
      await refused("people remove", 2, /name one person/);
    }
  });

  test("on the data a person of several organizations is removed from a named one", async () => {
    const machine = new Machine();
    const data = `--data ${service.dataDirectory}`;
    const unnamed = await machine.run(`people role ${people.bo.email} member ${data}`);
    assert.equal(unnamed.code, 1);
    assert.match(unnamed.stderr, /belongs to acme, rival: name one with --organization/);
    const only = await machine.json<Member>(`people role ${people.max.email} member ${data}`);
    assert.equal(only.role, "member");
  });

  test("a role that does not suffice is told, without talk of keys", async () => {
    const { code, stderr } = await (await Machine.of("max")).run("audit");
    assert.equal(code, 1);
    assert.match(stderr, /lossless: This needs the role admin; yours is member\.\n$/);
  });

  test("a key goes before the sign-in everywhere, and says that it was used", async () => {
    const signedIn = await Machine.of("ada");
    const key = { LOSSLESS_API_KEY: organizations.acme.key, LOSSLESS_URL: service.baseUrl };
    const who = await signedIn.json<{ from: string }>("whoami", key);
    assert.equal(who.from, "LOSSLESS_API_KEY");
    for (const line of ["keys create --name x", "audit", "people invite --role member"]) {
      const { code, stderr } = await signedIn.run(line, key);
      assert.equal(code, 1, line);
      assert.match(stderr, /LOSSLESS_API_KEY was used: unset it to act as the person/, line);
    }
    const nobody = await new Machine().run("keys create --name x", key);
    assert.match(nobody.stderr, /LOSSLESS_API_KEY was used: run lossless login, and unset it/);
    const url = { LOSSLESS_URL: service.baseUrl };
    const flag = await signedIn.run(`audit --api-key ${organizations.acme.key}`, url);
    assert.match(flag.stderr, /--api-key was used: leave it out/);
    const location = await signedIn.run("locations rename built-in other", key);
    assert.match(location.stderr, /LOSSLESS_API_KEY was used: unset it/);
    const listed = await signedIn.json<{ name: string }[]>("keys list", key);
    assert.deepEqual(
      listed.map(({ name }) => name),
      ["test"],
    );
  });

  test("what is spoken of is said; nothing at all is no list", async () => {
    const signedIn = await Machine.of("ada");
    for (const line of ["keys list", "people list", "audit"]) {
      const byService = await signedIn.run(line);
      assert.deepEqual([byService.code, byService.stderr], [0, `Service: ${service.baseUrl}\n`]);
      const data = await signedIn.run(`${line} --data ${service.dataDirectory}`);
      assert.deepEqual([data.code, data.stderr], [0, `Data: ${service.dataDirectory}\n`]);
      const variable = { LOSSLESS_DATA: service.dataDirectory };
      assert.equal((await signedIn.run(line, variable)).stderr, data.stderr);
      const file = join(signedIn.home, "service.json");
      writeFileSync(file, JSON.stringify({ data: service.dataDirectory }));
      assert.equal((await signedIn.run(`${line} --config ${file}`)).stderr, data.stderr);
      const byFile = await signedIn.run(line, { LOSSLESS_CONFIG: file });
      assert.equal(byFile.stderr, data.stderr);
      const nothing = await new Machine().run(line);
      assert.deepEqual([nothing.code, nothing.stdout], [2, ""]);
      assert.match(nothing.stderr, /no sign-in and no API key, and no directory \.\/lossless-data/);
    }
    for (const where of ["--data x", "--config x"]) {
      const both = await signedIn.run(`audit ${where} --url ${service.baseUrl}`);
      assert.deepEqual([both.code, both.stdout], [2, ""]);
    }
    const uncredentialed = await new Machine().run("keys list", { LOSSLESS_URL: service.baseUrl });
    assert.equal(uncredentialed.code, 2);
    assert.match(uncredentialed.stderr, /a credential is needed/);
    const reset = await signedIn.run(`people reset-password ${people.max.email}`);
    assert.equal(reset.code, 2);
    assert.match(reset.stderr, /made only on the data/);
  });

  test("a link made on the data has the address of the service, or says that it is a guess", async () => {
    const machine = new Machine();
    const config = join(machine.home, "config.json");
    writeFileSync(config, JSON.stringify({ "base-url": "https://file.example" }));
    const invite = `people invite --role member --organization acme --data ${service.dataDirectory}`;
    const base = { LOSSLESS_BASE_URL: "https://variable.example" };
    const cases: [string, Record<string, string>, string][] = [
      ["--base-url https://flag.example", base, "https://flag.example"],
      ["", { ...base, LOSSLESS_CONFIG: config }, "https://variable.example"],
      [`--config ${config}`, { LOSSLESS_URL: service.baseUrl }, "https://file.example"],
      ["", { LOSSLESS_URL: `${service.baseUrl}/` }, service.baseUrl],
    ];
    for (const [flags, variables, address] of cases) {
      const { stdout, stderr } = await machine.run(`${invite} ${flags}`.trim(), variables);
      assert.ok(stdout.startsWith(`${address}/join?token=in_`), stdout + stderr);
      assert.doesNotMatch(stderr, /guess/);
    }
    const guessed = await machine.run(invite);
    assert.ok(guessed.stdout.startsWith("http://127.0.0.1:7070/join?token=in_"), guessed.stderr);
    assert.match(guessed.stderr, /is a guess: set --base-url or LOSSLESS_BASE_URL/);
    const wrong = await machine.run(`${invite} --base-url nonsense`);
    assert.deepEqual([wrong.code, wrong.stdout], [2, ""]);
    const byService = await (
      await Machine.of("ada")
    ).run("people invite --role member --base-url https://flag.example");
    assert.equal(byService.code, 2);
  });

  test("a link for a new password says so on its page", async () => {
    const machine = new Machine();
    const { link } = await machine.json<{ link: string }>(
      `people reset-password ${people.max.email} --data ${service.dataDirectory}`,
      { LOSSLESS_BASE_URL: service.baseUrl },
    );
    const { pathname, search } = new URL(link);
    const page = await call(service.baseUrl, { path: pathname + search });
    assert.match(page.text, /<h1>New password<\/h1>/);
    assert.doesNotMatch(page.text, /acme|max@/);
  });

  test("the operator erases a person everywhere, but no last owner", async () => {
    const machine = new Machine();
    const erase = (who: string, where = `--data ${service.dataDirectory}`) =>
      machine.run(`people erase ${who} ${where}`);
    const { email } = people.bo;
    const byService = await erase(email, `--url ${service.baseUrl}`);
    assert.equal(byService.code, 2, byService.stderr);
    for (const [who, sentence] of [
      [people.ada.email, /last owner of "acme"/],
      ["nobody@acme.test", /There is no person/],
    ] as const) {
      const refused = await erase(who);
      assert.deepEqual([refused.code, refused.stdout], [1, ""]);
      assert.match(refused.stderr, sentence);
    }
    const erased = await erase(email.toUpperCase());
    assert.match(erased.stdout, /^erased; the pseudonym is erased-\w{26}$/m);
    const [, pseudonym = ""] = /pseudonym is (\S+)/.exec(erased.stdout) ?? [];
    const on = `--data ${service.dataDirectory}`;
    for (const question of ["people list", "audit"]) {
      const { stdout, code } = await machine.run(`${question} ${on} --json`);
      assert.deepEqual([code, stdout.includes(email)], [0, false], question);
      assert.equal(stdout.includes(pseudonym), question === "audit");
    }
    assert.equal((await erase(email)).code, 1);
  });
});
