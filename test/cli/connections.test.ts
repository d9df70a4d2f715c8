import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import type { Connection } from "@lossless/protocol";
import { AwsDouble } from "../clouds/aws/aws-double.ts";
import { trustConnection } from "../clouds/aws/trusting-account.ts";
import { World } from "../clouds/world.ts";
import { organizations } from "../service.ts";
import { finished, start } from "./command-line.ts";

suite("connections by the command line", () => {
  let aws: AwsDouble;
  let world: World;
  let environment: Record<string, string>;
  before(async () => {
    aws = await AwsDouble.start();
    world = await World.start({ clouds: aws.addresses });
    environment = {
      LOSSLESS_API_KEY: await world.signIn(),
      XDG_CONFIG_HOME: join(world.directory, "config"),
    };
  });
  after(async () => {
    await world[Symbol.asyncDispose]();
    await aws[Symbol.asyncDispose]();
  });

  const begin = (...words: string[]) =>
    start(world.baseUrl, ["connections", ...words], environment);
  const run = (...words: string[]) => finished(begin(...words));
  const done = async (...words: string[]): Promise<string> => {
    const { code, stdout, stderr } = await run(...words);
    assert.equal(code, 0, stderr);
    return stdout;
  };
  const json = async <T>(...words: string[]): Promise<T> =>
    JSON.parse(await done(...words, "--json")) as T;
  const fails = async (code: number, sentence: RegExp, ...words: string[]): Promise<void> => {
    const end = await run(...words);
    assert.deepEqual([end.code, end.stdout], [code, ""], end.stderr);
    assert.match(end.stderr, sentence);
  };
  const trust = (connection: Connection): string => {
    const identifiers = trustConnection(aws, connection);
    assert.ok(identifiers.cloud === "aws");
    return identifiers.aws.roleArn;
  };

  test("add, list, show and setup: names, ids, and the script alone", async () => {
    const added = await run("add", "gcp", "our project");
    assert.equal(added.code, 0, added.stderr);
    assert.match(added.stdout, /^our project is started: \w{26}\nNext, in the gcp account: /);
    assert.match(
      added.stderr,
      /No cloud can reach the token issuer http:.*--issuer-url.*then .*issuer export/s,
    );
    const [connection] = await json<Connection[]>("list");
    assert.deepEqual([connection.name, connection.state], ["our project", "pending"]);
    assert.match(await done("list"), /our project +gcp +pending/);
    assert.deepEqual(await json<Connection>("show", "our project"), connection);
    assert.match(await done("show", connection.id), /Subject: +org:\w{26}:conn:\w{26}\n/);
    assert.equal(await done("setup", "our project"), connection.setup);
    await done("add", "gcp", "our project");
    await fails(
      1,
      /2 connections are called our project; name one by its id/,
      "show",
      "our project",
    );
    await fails(1, /there is no connection other/, "setup", "other");
    await fails(2, /name the cloud \(aws, gcp, azure\)/, "add", "ibm", "x");
    await fails(2, /name the cloud/, "add", "aws");
    for (const { id } of await json<Connection[]>("list")) {
      await fails(1, /no terminal to ask on; --yes/, "remove", id);
      const { stderr } = await run("remove", id, "--yes");
      const left = `Nothing was removed in the gcp account: .* lossless-${id.slice(-10)}\\)`;
      assert.match(stderr, new RegExp(left));
    }
    assert.deepEqual(await json("list"), []);
  });

  test("complete: what the cloud refuses is told; with --wait it is tried again", async () => {
    const connection = await json<Connection>("add", "aws", "account");
    const roleArn = "arn:aws:iam::111111111111:role/none";
    await fails(1, /AWS refused: \w+\. /, "complete", "account", "--role-arn", roleArn);
    assert.match(await done("show", "account"), /Refused: +AWS refused: /);
    await fails(
      1,
      /aws\.roleArn must be/,
      "complete",
      "account",
      "--role-arn",
      "x",
      "--wait",
      "60",
    );
    await fails(2, /options that the setup script printed/, "complete", "account");
    await fails(2, /one cloud/, "complete", "account", "--role-arn", roleArn, "--tenant-id", "t");
    await fails(2, /--project-number is required/, "complete", "account", "--project-id", "p");

    const role = connection.setup.match(/^NAME='(.*)'$/m)![1];
    const arn = `arn:aws:iam::${aws.account().id}:role/${role}`;
    const waiting = begin("complete", "account", "--role-arn", arn, "--wait", "120");
    await new Promise((resolve) => waiting.stderr!.once("data", resolve));
    assert.equal(trust(connection), arn);
    const { code, stdout } = await finished(waiting);
    assert.equal(code, 0);
    assert.match(stdout, /^account is active\nNext: lossless locations add --connection /);
    const active = await json<Connection>("show", "account");
    assert.deepEqual([active.state, active.error], ["active", null]);
    assert.ok((await done("list")).includes(arn));
  });

  test("remove: refused while it is used, asked before it is done, and told what is lost", async () => {
    const connection = await json<Connection>("add", "aws", "to be removed");
    const roleArn = trust(connection);
    await done("complete", connection.id, "--role-arn", roleArn);
    const location = await world.createLocation(connection, "us-east-1", { name: "in use" });
    const word = connection.id;
    await fails(1, /Active locations use this connection: in use \(/, "remove", word, "--yes");
    await world.retire(location);
    await fails(1, /no terminal to ask on; --yes/, "remove", word);
    const details = await json<Record<string, unknown>>("remove", word, "--yes");
    assert.deepEqual([details["id"], details["locations"], details["versions"]], [word, 1, 0]);
    await fails(1, /there is no connection/, "remove", word, "--yes");
  });

  test("an API key sees connections and changes none", async () => {
    const key = { ...environment, LOSSLESS_API_KEY: organizations.acme.key };
    const withKey = (...words: string[]) =>
      finished(start(world.baseUrl, ["connections", ...words], key));
    assert.equal((await withKey("list")).code, 0);
    const refused = await withKey("add", "aws", "x");
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /LOSSLESS_API_KEY was used/);
  });
});
