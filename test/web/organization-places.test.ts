import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { Connection, OrganizationView } from "@lossless/protocol";
import type { Page } from "playwright-core";
import { AwsDouble } from "../clouds/aws/aws-double.ts";
import { trustConnection } from "../clouds/aws/trusting-account.ts";
import { run } from "../cli/command-line.ts";
import { Service } from "../service.ts";
import { S3Double } from "../stores/s3-double.ts";
import { type Pages, pagesSuite } from "./pages-suite.ts";

let aws: AwsDouble;
let store: S3Double;

/** It reaches our doubles of a cloud and a store. */
async function startService(): Promise<Service> {
  aws = await AwsDouble.start();
  store = await S3Double.start({ buckets: ["models"] });
  return Service.start({
    people: true,
    allowPrivate: ["127.0.0.0/8"],
    clouds: aws.addresses,
    quotas: { experiments: 4 },
  });
}

function define(pages: Pages): void {
  const { service, organizations } = pages;

  after(async () => {
    await store?.[Symbol.asyncDispose]();
    await aws?.[Symbol.asyncDispose]();
  });

  async function open(path: string): Promise<Page> {
    const { page } = await pages.open(path);
    await page.getByRole("heading", { level: 1 }).waitFor();
    return page;
  }
  const view = async (): Promise<OrganizationView> => {
    const reply = await fetch(`${service.baseUrl}/api/v1/org`, {
      headers: { authorization: `Bearer ${organizations.acme.key}` },
    });
    return (await reply.json()) as OrganizationView;
  };

  test("a bucket is probed before it is added; what is wrong is said, and what was typed stays", async () => {
    const page = await open("/organization/locations");
    await page.getByRole("button", { name: "Add a bucket" }).click();
    await page.waitForURL(/add=s3/);
    const values = {
      Endpoint: store.endpoint,
      "Region for signatures": store.region,
      "Access key id": store.accessKeyId,
      "Secret access key": "the wrong secret",
      "Cloud of the store": "aws",
      "Region in that": "us-east-1",
    };
    for (const [label, value] of Object.entries(values))
      await page.getByLabel(new RegExp(`^${label}`)).fill(value);
    await page.getByLabel("Bucket", { exact: true }).fill("models");
    await page.getByRole("button", { name: "Test and add" }).click();
    await page.getByRole("alert").waitFor();
    assert.equal(await page.getByLabel(/^Endpoint/).inputValue(), store.endpoint);
    await page.getByLabel(/^Secret access key/).fill(store.secretAccessKey);
    await page.getByRole("button", { name: "Test and add" }).click();
    await page.getByText("“models” was tested and added").waitFor();
    assert.ok(!(await page.content()).includes(store.secretAccessKey));
    assert.match((await run(service.baseUrl, "locations", "list")).stdout, /models/);
  });

  test("the fallback moves, a location is renamed, and retires after one question", async () => {
    const page = await open("/organization/locations");
    const row = (name: string) => page.getByRole("row").filter({ hasText: name });
    await row("built-in").getByText("first make another location the fallback").waitFor();
    await page.getByRole("button", { name: "Make fallback: models" }).click();
    await row("models").getByText("fallback", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Make default of aws: models" }).click();
    await row("models").getByText("default of aws").waitFor();
    await page.getByRole("button", { name: "Rename built-in" }).click();
    await page.getByLabel("New name of built-in").fill("first disk");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Retire first disk" }).click();
    const dialog = page.getByRole("dialog", { name: "Retire “first disk”?" });
    await dialog.getByText(/cannot become active again/).waitFor();
    await dialog.getByRole("button", { name: "Retire" }).click();
    await row("first disk").getByText("retired: read only").waitFor();
    const { locations } = await view();
    assert.deepEqual(
      locations.map(({ name, state, fallback }) => [name, state, fallback]),
      [
        ["first disk", "retired", false],
        ["models", "active", true],
      ],
    );
  });

  test("a cloud is connected step by step, from the script to a bucket; then it is removed", async () => {
    const page = await open("/organization/connections");
    await page.getByRole("button", { name: "Connect a cloud" }).click();
    await page.getByLabel("Amazon Web Services").check();
    await page.getByLabel(/^Name/).fill("our account");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.waitForURL(/connect=(?!new)/);
    await page.getByText("Show the script").click();
    await page.getByText("create-open-id-connect-provider --url").waitFor();
    const paste = page.getByLabel(/^Paste/);
    await paste.fill(
      "lossless connections complete x --role-arn arn:aws:iam::123456789012:role/none",
    );
    const field = page.getByLabel("Role ARN");
    assert.equal(await field.inputValue(), "arn:aws:iam::123456789012:role/none");
    await page.getByRole("button", { name: "Check", exact: true }).click();
    await page.getByRole("alert").first().waitFor();
    assert.equal(await field.inputValue(), "arn:aws:iam::123456789012:role/none");
    const [made] = (await view()).connections as [Connection];
    assert.equal(made.state, "pending");
    await paste.fill(JSON.stringify(trustConnection(aws, made)));
    await page.getByRole("button", { name: "Check", exact: true }).click();
    await page.getByText("The cloud accepted a token: the connection is active.").waitFor();
    // The address is the state: a reload is at the same step.
    await page.reload();
    await page.getByLabel(/^Region/).fill("us-east-1");
    await page.getByRole("button", { name: "Test and add" }).click();
    await page.getByText(/was created and tested/).waitFor();
    const created = (await view()).locations.find(({ kind }) => kind === "created")!;
    assert.ok(aws.s3.objects(created.bucket));
    await page.getByRole("button", { name: "Show all connections" }).click();
    await page.getByRole("button", { name: "Remove our account" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Remove" }).click();
    await dialog.getByRole("alert").getByText(created.name).waitFor();
    await page.keyboard.press("Escape");
    await page.goto(`${service.baseUrl}/organization/locations`);
    await page.getByRole("button", { name: `Retire ${created.name}` }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Retire" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.goto(`${service.baseUrl}/organization/connections`);
    await page.getByRole("button", { name: "Remove our account" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await page.getByText("No cloud is connected.").waitFor();
  });

  test("usage shows the points of today, by keyboard too, and how much of the quota is used", async () => {
    const { client } = pages;
    const recorder = await client.record({ slug: "counted" });
    for (let step = 0; step < 1_234; step++) recorder.record("loss", step, step);
    await recorder.finish();
    const page = await open("/organization/usage");
    await page.getByText("1,234 points in total").first().waitFor();
    const figure = page.getByRole("figure", { name: /^Points recorded per day: 1,234 points/ });
    await figure.focus();
    await page.keyboard.press("End");
    const today = new Date().toISOString().slice(0, 10);
    await figure.getByText(new RegExp(`^(${today}|.*): 1,234 points$`)).waitFor();
    await page.getByText("Points per day as numbers").click();
    await page
      .getByRole("table", { name: "Points per day as numbers" })
      .getByText("1,234")
      .waitFor();
    await page.getByText("1 of 4", { exact: true }).waitFor();
    await page.getByLabel("Days").selectOption("7");
    await page.waitForURL(/days=7/);
    await page.getByLabel("Bytes by").selectOption("transfer");
    await page.waitForURL(/by=transfer/);
    await page.reload();
    await page.getByText("1,234 points in total").first().waitFor();
    assert.equal(await page.getByLabel("Days").inputValue(), "7");
  });
}

pagesSuite("locations, connections and usage on pages", define, startService);
