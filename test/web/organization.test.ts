import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import { before, test } from "node:test";
import type { Page, Route } from "playwright-core";
import { finished, start } from "../cli/command-line.ts";
import { pagesSuite } from "./pages-suite.ts";

const parts = [
  "people",
  "keys",
  "tokens",
  "sign-on",
  "locations",
  "connections",
  "usage",
  "trash",
  "rules",
  "audit",
] as const;
type Part = (typeof parts)[number];

/** Controls that each role may use on each page, besides filters and reads. */
const drawn: Record<"ada" | "bo" | "max", Record<Part, RegExp[]>> = {
  ada: {
    people: [/^Remove (bo|max)@/, /^Invite$/, /^Make a link for anyone$/],
    keys: [/^Create a key$/, /^Revoke test, created/],
    tokens: [/^Create a token$/],
    "sign-on": [/^Save$/, /^Add a group$/, /^Copy/],
    locations: [
      /^Make default of local: built-in/,
      /^Rename built-in/,
      /^Add a bucket/,
      /^Create a bucket in/,
    ],
    connections: [/^Connect a cloud/],
    usage: [],
    trash: [/^Set$/, /^Restore /, /^Purge /, /^Delete the organization/],
    rules: [/^In the folder:/, /^Try the rule$/, /^Set the rule$/],
    audit: [/.*/],
  },
  bo: {
    people: [/^Leave|^Remove (bo|max)@/, /^Invite$/, /^Make a link for anyone$/],
    keys: [/^Create a key$/, /^Revoke test, created/],
    tokens: [/^Create a token$/],
    "sign-on": [/^Copy/],
    locations: [
      /^Make default of local: built-in/,
      /^Rename built-in/,
      /^Add a bucket/,
      /^Create a bucket in/,
    ],
    connections: [/^Connect a cloud/],
    usage: [],
    trash: [/^Set$/, /^Restore /, /^Purge /],
    rules: [/^In the folder:/, /^Try the rule$/, /^Set the rule$/],
    audit: [/.*/],
  },
  max: {
    people: [],
    keys: [],
    tokens: [/^Create a token$/],
    "sign-on": [],
    locations: [],
    connections: [],
    usage: [],
    trash: [/^Restore /],
    rules: [],
    audit: [],
  },
};

const noVersions = { kind: "versions", under: null, keepLast: null, olderThanDays: null };

/** Endpoints that change something, with the least role in the table of endpoints. */
const changes: readonly [method: string, path: string, body?: object][] = [
  ["POST", "/api/v1/api-keys", { name: "x" }],
  ["DELETE", "/api/v1/api-keys?id=none"],
  ["POST", "/api/v1/invitations", { role: "member" }],
  ["DELETE", "/api/v1/invitations?id=none"],
  ["PATCH", "/api/v1/people?id=none", { role: "member" }],
  ["DELETE", "/api/v1/people?id=none"],
  ["POST", "/api/v1/connections", { cloud: "aws", name: "x" }],
  ["DELETE", "/api/v1/connections?id=none"],
  ["PATCH", "/api/v1/locations?id=none", { name: "x" }],
  ["GET", "/api/views/v1/audit"],
  ["GET", "/api/views/v1/audit-terms"],
  ["GET", "/api/v1/invitations"],
  ["POST", "/api/trash/v1/purge", { ids: ["none"] }],
  ["PUT", "/api/trash/v1/settings", { days: 30 }],
  ["POST", "/api/trash/v1/rules", { name: "x", rule: noVersions }],
  ["GET", "/api/sign-on/v1/provider"],
  ["GET", "/api/sign-on/v1/tokens?of=all"],
  ["POST", "/api/sign-on/v1/service-accounts", { name: "x", role: "member" }],
  ["POST", "/api/trash/v1/slugs", { slug: "none" }],
];

pagesSuite("the pages of the organization", (pages) => {
  const { service, people, organizations } = pages;

  before(async () => {
    const { experimentId } = await pages.client.openExperiment({
      slug: "deleted",
      description: "",
      meta: {},
    });
    await pages.client.trash.experiments([experimentId]);
  });

  const open = (person: keyof typeof people, path: string) =>
    pages.open(path, {
      person,
      // One of two.
      ...(person === "bo" && { organization: organizations.acme.name }),
    });
  const settled = async (page: Page): Promise<void> => {
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.getByText("Loading …").waitFor({ state: "detached" });
  };

  for (const person of ["ada", "bo", "max"] as const) {
    test(`what ${person} may not do is not drawn, and refused`, async () => {
      const { page, seen } = await open(person, "/organization/people");
      const refused: string[] = [];
      page.on("response", (reply) => {
        if (reply.status() === 403) refused.push(reply.url());
      });
      for (const part of parts) {
        const isShown = person !== "max" || !["audit", "sign-on"].includes(part);
        await page.goto(`${service.baseUrl}/organization/${part}`);
        await settled(page);
        const tabs = page.getByRole("navigation", { name: "Organization pages" });
        assert.equal(
          await tabs.getByRole("link", { name: "Audit" }).count(),
          Number(person !== "max"),
        );
        if (!isShown)
          await page.getByText("This page needs the role admin. Your role is member.").waitFor();
        const pressed = await page.getByRole("main").getByRole("button").all();
        const names = await Promise.all(
          pressed.map(
            async (one) =>
              (await one.getAttribute("aria-label")) ?? (await one.textContent()) ?? "",
          ),
        );
        const wanted = drawn[person][part];
        const unwanted = names.filter((name) => !wanted.some((pattern) => pattern.test(name)));
        assert.deepEqual(unwanted, [], part);
        for (const pattern of wanted)
          assert.ok(
            names.some((name) => pattern.test(name)),
            `${part}: ${String(pattern)}`,
          );
      }
      assert.deepEqual(refused, [], "no page asks for what it may not have");
      await page.goto(`${service.baseUrl}/organization/people`);
      await settled(page);
      const roles = (
        await page.locator("select").first().locator("option").allTextContents()
      ).join();
      if (person === "ada") assert.equal(roles, "owner,admin,member,viewer");
      if (person === "bo") assert.equal(roles, "admin,member,viewer", "admins make no owners");
      assert.deepEqual(seen.problems, []);
      const statuses = await page.evaluate(`(async () => {
        const session = await (await fetch("${service.baseUrl}/api/v1/sessions")).json();
        const statuses = [];
        for (const [method, path, body] of ${JSON.stringify(person === "max" ? changes : [])}) {
          const headers = { "x-csrf-token": session.csrf, "content-type": "application/json" };
          const reply = await fetch("${service.baseUrl}" + path, { method, headers, body: body && JSON.stringify(body) });
          statuses.push(method + " " + path + " " + reply.status);
        }
        return statuses;
      })()`);
      for (const one of statuses as string[]) assert.match(one, / 403$/);
      assert.equal((statuses as string[]).length, person === "max" ? changes.length : 0);
    });
  }

  test("a key is made by keyboard, shown once, works in the command line, and ends", async () => {
    const { page, seen } = await open("ada", "/organization/keys");
    await settled(page);
    await page.getByLabel(/Name of the new key/).focus();
    await page.keyboard.type("from the page");
    await page.keyboard.press("Enter");
    const box = page.getByRole("region", { name: "The key" });
    await box.waitFor();
    const secret = (await box.locator("code").textContent())!;
    assert.match(secret, /^ak_\w{30,}$/);
    assert.ok(await box.evaluate((element) => element === element.ownerDocument.activeElement));
    const keyed = async () => {
      const environment = { LOSSLESS_API_KEY: secret };
      return finished(start(service.baseUrl, ["whoami"], environment));
    };
    assert.equal((await keyed()).code, 0);
    const environment = { LOSSLESS_API_KEY: organizations.acme.key };
    assert.match((await finished(start(service.baseUrl, ["org"], environment))).stdout, /acme/);
    // Nothing but the element has it, and nothing when the page is left.
    const elsewhere =
      await page.evaluate(`[location.href, document.title, JSON.stringify(history.state),
      JSON.stringify({ ...localStorage }), JSON.stringify({ ...sessionStorage }), document.cookie,
      [...document.querySelectorAll("*")].flatMap((one) => [...one.attributes]).map(({ value }) => value).join()].join()`);
    assert.ok(!(elsewhere as string).includes(secret));
    await page.getByRole("link", { name: "Usage", exact: true }).click();
    await page.getByRole("heading", { name: "Usage" }).waitFor();
    assert.ok(!(await page.content()).includes(secret));
    await page.goBack();
    await page.getByText("from the page").waitFor();
    assert.ok(!(await page.content()).includes(secret));
    const revoke = page.getByRole("button", { name: /^Revoke from the page/ });
    await revoke.focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Revoke the key “from the page”?" });
    await dialog.waitFor();
    // Enter at once changes nothing: the keyboard is at "Cancel".
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "detached" });
    assert.equal((await keyed()).code, 0);
    assert.ok(await revoke.evaluate((element) => element === element.ownerDocument.activeElement));
    await page.keyboard.press("Enter");
    await dialog.getByRole("button", { name: "Revoke" }).focus();
    await page.keyboard.press("Enter");
    await revoke.waitFor({ state: "detached" });
    assert.notEqual((await keyed()).code, 0);
    assert.deepEqual(seen.problems, []);
  });

  test("what another tab has ended is told where one acts", async () => {
    const { page } = await open("ada", "/organization/keys");
    await settled(page);
    await page.getByLabel(/Name of the new key/).fill("shared");
    await page.getByRole("button", { name: "Create a key" }).click();
    const revoke = page.getByRole("button", { name: /^Revoke shared/ });
    await revoke.waitFor();
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.getByRole("button", { name: /^Revoke shared/ }).click();
    await other.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await other.getByRole("button", { name: /^Revoke shared/ }).waitFor({ state: "detached" });
    await revoke.click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await page
      .getByRole("alert")
      .getByText(/There is no API key with the id/)
      .waitFor();
  });

  test("an invitation is a link that works once; who joins by it gets a role, and is removed", async () => {
    const { page, seen } = await open("ada", "/organization/people");
    await settled(page);
    await page.getByLabel(/E-mail address/).fill("not an address");
    await page.getByLabel(/E-mail address/).fill("cy@acme.test");
    await page.getByRole("combobox", { name: "Role", exact: true }).selectOption("member");
    await page.getByRole("button", { name: "Invite", exact: true }).click();
    const box = page.getByRole("region", { name: "The link" });
    const link = (await box.locator("code").textContent())!;
    assert.ok(link.startsWith(`${service.baseUrl}/join?token=in_`));
    await page.getByRole("table", { name: "Open invitations" }).getByText("cy@acme.test").waitFor();
    await box.getByRole("button", { name: "Done" }).click();
    assert.ok(!(await page.content()).includes(link));
    const joining = await pages.newPage();
    await joining.page.goto(link);
    await joining.page.getByLabel("E-mail").fill("cy@acme.test");
    await joining.page.getByLabel("Password", { exact: true }).fill("cy's long password");
    await joining.page.getByLabel("Repeat the password").fill("cy's long password");
    await joining.page.getByRole("button", { name: "Join" }).click();
    await joining.page.waitForURL(`${service.baseUrl}/experiments`);
    await page.reload();
    await page.getByRole("combobox", { name: "Role of cy@acme.test" }).selectOption("admin");
    await page.getByRole("button", { name: "Make admin" }).click();
    await page.getByRole("button", { name: "Make admin" }).waitFor({ state: "detached" });
    await joining.page.goto(`${service.baseUrl}/organization/audit`);
    await joining.page.locator("td").getByText("changed the role of").first().waitFor();
    await page.getByRole("button", { name: "Remove cy@acme.test" }).click();
    const dialog = page.getByRole("dialog", { name: "Remove cy@acme.test?" });
    await dialog.getByText(/Only a new invitation brings them back/).waitFor();
    await dialog.getByRole("button", { name: "Remove" }).click();
    await page.getByRole("button", { name: "Remove cy@acme.test" }).waitFor({ state: "detached" });
    // Their session ended with the membership; they may sign in, and belong nowhere.
    await joining.page.goto(`${service.baseUrl}/organization/people`);
    await joining.page.getByLabel("E-mail").fill("cy@acme.test");
    await joining.page.getByLabel("Password", { exact: true }).fill("cy's long password");
    await joining.page.getByRole("button", { name: "Sign in", exact: true }).click();
    await joining.page.getByRole("heading", { name: "No organization" }).waitFor();
    assert.deepEqual(seen.problems, []);
  });

  test("an invitation that is revoked leads nowhere", async () => {
    const { page } = await open("ada", "/organization/people");
    await settled(page);
    // Without an address nobody is invited; a link for anyone has a button of its own.
    await page.getByRole("button", { name: "Invite", exact: true }).click();
    await page.locator("input[type=email]:invalid").waitFor();
    assert.equal(await page.getByRole("region", { name: "The link" }).count(), 0);
    await page.getByRole("button", { name: "Make a link for anyone" }).click();
    const link = (await page
      .getByRole("region", { name: "The link" })
      .locator("code")
      .textContent())!;
    await page.getByRole("button", { name: /^Revoke the invitation for anyone/ }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await page
      .getByRole("button", { name: /^Revoke the invitation for anyone/ })
      .waitFor({ state: "detached" });
    assert.ok(!(await page.content()).includes(link));
    await page.goto(link);
    await page.getByText("This link has ended").first().waitFor();
  });

  test("the last owner is said to stay, and has no button to go", async () => {
    const { page } = await open("ada", "/organization/people");
    await settled(page);
    const row = page
      .getByRole("table", { name: "People" })
      .getByRole("row")
      .filter({ hasText: people.ada.email });
    await row.getByText("the last owner: make another member an owner first").waitFor();
    assert.equal(await row.getByRole("button").count(), 0);
    assert.equal(await row.getByRole("combobox").count(), 0);
  });

  test("the audit log is filtered in the address, and read on by pages", async () => {
    const client = await pages.clientOf("ada");
    for (let at = 0; at < 210; at++) await client.organization.createApiKey(`made ${at}`);
    const { page, seen } = await open("ada", "/organization/audit?action=apiKey.created");
    await page.getByText("200 entries, newest first. There are older ones.").waitFor();
    await page.getByText("made 209").first().waitFor();
    await page.getByRole("button", { name: "Show older entries" }).click();
    await page.getByText(/^2\d\d entries, newest first$/).waitFor();
    // Entries read for one filter never appear among those of another.
    await page.reload();
    await page.getByText("200 entries, newest first. There are older ones.").waitFor();
    const held: Route[] = [];
    await page.route(/\/views\/v1\/audit\?.*before=/, (route) => void held.push(route));
    await page.getByRole("button", { name: "Show older entries" }).click();
    await page.getByLabel("To", { exact: true }).fill("2020-01-31");
    await page.getByText("No entries match.").waitFor();
    while (held.length === 0) await setTimeout(10);
    await held[0].continue();
    await page.getByRole("button", { name: "Loading …" }).waitFor({ state: "detached" });
    await page.getByText("No entries match.").waitFor();
    await page.goBack();
    await page.getByText("200 entries, newest first. There are older ones.").waitFor();
    await page.getByRole("button", { name: "Show older entries" }).click();
    while (held.length === 1) await setTimeout(10);
    await held[1].continue();
    await page.getByRole("button", { name: "made 9", exact: true }).click();
    await page.waitForURL(/subject=/);
    await page.getByText("1 entry, newest first", { exact: true }).waitFor();
    await page.reload();
    await page.getByText("1 entry, newest first", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Clear filters" }).click();
    await page.waitForURL(`${service.baseUrl}/organization/audit`);
    await page.getByLabel("Who").selectOption({ label: "the provision file" });
    await page.getByText(/^\d+ entr(y|ies), newest first$/).waitFor();
    await page.getByLabel("From", { exact: true }).fill("2020-01-01");
    await page.getByLabel("To", { exact: true }).fill("2020-01-31");
    await page.getByText("No entries match.").waitFor();
    await page.goBack();
    await page.getByLabel("What").selectOption("session");
    await page.waitForURL(/action=session&?/);
    assert.deepEqual(seen.problems, []);
    for (const { id, name } of await client.organization.apiKeys())
      if (name.startsWith("made ")) await client.organization.revokeApiKey(id);
  });

  test("names are text, whatever is in them, and leave a phone its width", async () => {
    const hostile = `<img src=x onerror="window.hacked=1">${"x".repeat(90)}\u202Etxt`;
    const { page, seen } = await open("ada", "/organization/keys");
    await page.setViewportSize({ width: 390, height: 844 });
    await settled(page);
    await page.getByLabel(/Name of the new key/).fill(hostile);
    await page.getByRole("button", { name: "Create a key" }).click();
    await page.getByRole("region", { name: "The key" }).waitFor();
    await page.getByRole("button", { name: /^Revoke <img/ }).click();
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    for (const part of parts) {
      await page.goto(`${service.baseUrl}/organization/${part}`);
      await settled(page);
      if (part === "audit")
        await page.locator("td").getByText("created the API key").first().waitFor();
      const found = await page.evaluate(`({
        hacked: "hacked" in window,
        made: document.querySelectorAll("#app img, #app script").length,
        wide: Math.max(0, document.documentElement.scrollWidth - innerWidth),
      })`);
      assert.deepEqual(found, { hacked: false, made: 0, wide: 0 }, part);
    }
    assert.deepEqual(seen.problems, []);
    assert.deepEqual([...seen.origins], [new URL(service.baseUrl).origin]);
  });

  test("what was typed stays when the service says no", async () => {
    const { page } = await open("ada", "/organization/keys");
    await settled(page);
    await page.route("**/api/v1/api-keys", (route) =>
      route.request().method() === "POST"
        ? route.fulfill({
            status: 409,
            contentType: "application/json",
            body: JSON.stringify({ error: "conflict", message: "There are enough keys." }),
          })
        : route.fallback(),
    );
    await page.getByLabel(/Name of the new key/).fill("one too many");
    await page.getByRole("button", { name: "Create a key" }).click();
    await page.getByRole("alert").getByText("There are enough keys.").waitFor();
    assert.equal(await page.getByLabel(/Name of the new key/).inputValue(), "one too many");
  });

  test("another organization's people and keys are not there", async () => {
    const { page } = await open("rita", "/organization/people");
    await settled(page);
    await page.getByText(people.rita.email).first().waitFor();
    assert.ok(!(await page.content()).includes(people.ada.email));
  });
});
