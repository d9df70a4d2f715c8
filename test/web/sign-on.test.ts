import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { signIn } from "../contract/people.ts";
import { Service } from "../service.ts";
import { client, IdentityProvider, publicClient } from "../sign-on/identity-provider.ts";
import { readSignOn, setSignOn, signOnBody } from "../sign-on/sign-on-calls.ts";
import { pagesSuite } from "./pages-suite.ts";

pagesSuite(
  "sign-on and tokens on the pages",
  (pages) => {
    const { service } = pages;
    let provider: IdentityProvider;

    before(async () => {
      const target = { baseUrl: service.baseUrl, observe() {} };
      const { redirectAddress } = await readSignOn(target, await signIn(target, "ada"));
      provider = await IdentityProvider.start([redirectAddress]);
      provider.accounts.set("s-max", {
        email: "max@acme.test",
        email_verified: true,
        groups: ["ml"],
      });
      provider.account = "s-max";
    });
    after(() => provider?.[Symbol.asyncDispose]());

    test("an owner sets the provider, a member signs in by it in a browser, and it ends", async () => {
      const { page, seen } = await pages.open("/organization/sign-on");
      await page.getByLabel(/^Name/).fill("Test provider");
      await page.getByLabel(/^Issuer/).fill(provider.issuer);
      await page.getByLabel("Client id").fill(client.id);
      await page.getByLabel(/^Client secret/).fill(client.secret);
      await page.getByLabel(/^Domains/).fill("acme.test, both.test");
      await page.getByLabel(/^Scopes/).fill("openid email profile groups");
      await page.getByLabel(/^Claim/).fill("groups");
      await page.getByRole("textbox", { name: "Group 1" }).fill("ml");
      await page.getByRole("button", { name: "Add a group" }).click();
      await page.getByRole("textbox", { name: "Group 2" }).fill("leads");
      await page.getByRole("combobox", { name: "Role of group 2" }).selectOption("admin");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("Saved: the provider answered.").waitFor();
      assert.equal(await page.getByLabel(/^Client secret/).inputValue(), "");
      assert.ok(!(await page.content()).includes(client.secret));
      await page.reload();
      await page.getByRole("textbox", { name: "Group 2" }).waitFor();
      const roles = page.getByRole("combobox", { name: /^Role of group/ });
      assert.deepEqual(await Promise.all((await roles.all()).map((one) => one.inputValue())), [
        "member",
        "admin",
      ]);
      await page.getByLabel(/This is a public client/).check();
      assert.equal(await page.getByLabel(/^Client secret/).count(), 0);
      await page.getByLabel("Client id").fill(publicClient.id);
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("Saved: the provider answered.").waitFor();

      const visitor = await pages.newPage();
      await visitor.page.goto(`${service.baseUrl}/sign-in`);
      await visitor.page.getByLabel("E-mail").fill("max@acme.test");
      await visitor.page.getByRole("button", { name: /your organization/ }).click();
      await visitor.page.getByRole("link", { name: /Test provider/ }).click();
      await visitor.page.waitForURL(`${service.baseUrl}/experiments`);
      await visitor.page.getByRole("button", { name: "Sign out" }).waitFor();

      await page.getByRole("button", { name: "Remove the provider" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
      await page
        .getByRole("button", { name: "Remove the provider" })
        .waitFor({ state: "detached" });
      await visitor.page.goto(`${service.baseUrl}/experiments`);
      await visitor.page.waitForURL(/\/sign-in/);
      assert.deepEqual(seen.problems, []);
    });

    test("what the provider refuses is said in the form, which keeps what was typed", async () => {
      const { page } = await pages.open("/organization/sign-on");
      await page.getByLabel(/^Name/).fill("Nobody");
      await page.getByLabel(/^Issuer/).fill(`${provider.issuer}/nobody`);
      await page.getByLabel("Client id").fill(client.id);
      await page.getByLabel(/^Client secret/).fill(client.secret);
      await page.getByLabel(/^Domains/).fill("acme.test");
      await page.getByLabel(/^Role of everyone else/).selectOption("member");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByRole("alert").waitFor();
      assert.equal(await page.getByLabel(/^Name/).inputValue(), "Nobody");
      assert.equal(await page.getByLabel(/^Role of everyone else/).inputValue(), "member");
    });

    test("an admin sees it and sets nothing; a member is told which role it takes", async () => {
      const target = { baseUrl: service.baseUrl, observe() {} };
      await setSignOn(target, await signIn(target, "ada"), signOnBody(provider.issuer));
      const admin = await pages.open("/organization/sign-on", {
        person: "bo",
        organization: pages.organizations.acme.name,
      });
      await admin.page.getByText(provider.issuer).waitFor();
      assert.equal(await admin.page.getByRole("button", { name: /Save|Remove/ }).count(), 0);
      const member = await pages.open("/organization/sign-on", { person: "max" });
      await member.page.getByText("This page needs the role admin. Your role is member.").waitFor();
      assert.deepEqual([admin.seen.problems, member.seen.problems], [[], []]);
    });

    test("an owner makes the SCIM token, which is shown once, and ends it", async () => {
      const { page, seen } = await pages.open("/organization/sign-on");
      const part = page.getByRole("region", { name: "People and groups by SCIM" });
      await part.getByRole("button", { name: "Create a SCIM token" }).click();
      const secret = (await part.getByRole("status").locator("code").textContent())!;
      const users = async () => {
        const headers = { authorization: `Bearer ${secret}` };
        return (await fetch(`${service.baseUrl}/scim/v2/Users`, { headers })).status;
      };
      assert.equal(await users(), 200);
      await page.reload();
      await part.getByText("0 users, 0 groups").waitFor();
      assert.ok(!(await page.content()).includes(secret));
      await part.getByRole("button", { name: "Turn off SCIM" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Turn off" }).click();
      await part.getByRole("button", { name: "Create a SCIM token" }).waitFor();
      assert.equal(await users(), 401);
      assert.deepEqual(seen.problems, []);
    });

    test("a member makes a token, programs read with it, and its end is at once", async () => {
      const { page, seen } = await pages.open("/organization/tokens", { person: "max" });
      await page.getByLabel(/^Name of the new token/).fill("notebook");
      await page.getByLabel("Permissions").selectOption("read");
      assert.equal(await page.getByLabel("Acts for").count(), 0);
      await page.getByRole("button", { name: "Create a token" }).click();
      const box = page.getByRole("region", { name: "The token" });
      const secret = (await box.locator("code").textContent())!;
      const whoami = async () => {
        const headers = { authorization: `Bearer ${secret}` };
        return (await fetch(`${service.baseUrl}/api/v1/whoami`, { headers })).status;
      };
      assert.equal(await whoami(), 200);
      await page.getByRole("button", { name: /^Revoke notebook/ }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
      await page.getByText("No tokens.").waitFor();
      assert.equal(await whoami(), 401);
      assert.ok(!(await page.content()).includes(secret));
      assert.deepEqual(seen.problems, []);
    });

    test("an admin makes a service account with its token, then another one of it", async () => {
      const { page, seen } = await pages.open("/organization/tokens");
      await page.getByLabel(/^Name of the new token/).fill("nightly");
      await page.getByLabel("Acts for").selectOption("new");
      await page.getByLabel("Name of the service account").fill("ci");
      await page.getByLabel("Expires").selectOption("");
      await page.getByRole("button", { name: "Create a token" }).click();
      const row = page.getByRole("row", { name: /nightly/ });
      await row.getByText("never", { exact: true }).first().waitFor();
      await row.getByText("ci", { exact: true }).waitFor();
      await page.reload();
      await page.getByLabel(/^Name of the new token/).fill("weekly");
      await page.getByLabel("Acts for").selectOption({ label: "ci" });
      await page.getByRole("button", { name: "Create a token" }).click();
      await page
        .getByRole("row", { name: /weekly/ })
        .getByText("ci", { exact: true })
        .waitFor();
      await page.goto(`${service.baseUrl}/organization/people`);
      await page.getByRole("button", { name: "Remove ci" }).waitFor();
      assert.deepEqual(seen.problems, []);
    });
  },
  () => Service.start({ people: true, allowPrivate: ["127.0.0.0/8"] }),
);
