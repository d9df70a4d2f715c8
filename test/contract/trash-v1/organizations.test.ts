import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import type { DeletedOrganization, OrganizationContents } from "@lossless/protocol";
import { finished, run, start } from "../../cli/command-line.ts";
import { MovableClock } from "../../movable-clock.ts";
import { organizations, people } from "../../service.ts";
import { suiteDirectory } from "../../suite-service.ts";
import { ArtifactCaller, sendParts } from "../artifact-caller.ts";
import { refused } from "../callers.ts";
import { MlflowCaller } from "../mlflow/mlflow-calls.ts";
import { RunFiles } from "../mlflow/run-files.ts";
import { locationBody, OrganizationSetup, startStore } from "../organization-setup.ts";
import { postSession, refusedV1, signIn } from "../people.ts";
import { topic, type System } from "../topic.ts";
import { oneFile, Writer } from "../writer.ts";
import { askTrash } from "./trash-calls.ts";

const hourMs = 60 * 60_000;
const scratch = suiteDirectory("organizations");
const clock = new MovableClock(scratch);
const shifted = () => Date.now() + clock.aheadMs;

topic(
  "an organization in the trash",
  (system) => {
    const { key } = organizations.rival;

    test("its owner deletes it by its name, nobody is let in, and it comes back as it was", async () => {
      const { rival } = system;
      const experiment = await rival.open("kept");
      await experiment.send(experiment.metric());
      await system.told();
      const rita = await signIn(system, "rita");
      const bo = await signIn(system, "bo", "rival");
      const ask = (body?: unknown, credential = rita, place = "organization") =>
        askTrash(system, place, { credential, ...(body !== undefined && { body }) });
      const contents = JSON.parse((await ask()).text) as OrganizationContents;
      assert.deepEqual([contents.experiments, contents.points, contents.apiKeys], [1, 1, 1]);
      assert.equal(contents.name, "rival");
      const dry = (...words: string[]) =>
        run(system.baseUrl, "org", "delete", "--dry-run", "--api-key", rita, ...words);
      assert.match((await dry("rival")).stdout, /keeps a copy of rival; nothing was changed\n$/);
      assert.match((await dry("acme")).stderr, /organization is called rival, not acme\n$/);
      await refusedV1(ask({ name: "rival" }, bo), 403, "forbidden");
      await refusedV1(ask({ name: "rival" }, key), 403, "forbidden");
      await refusedV1(ask({ name: "acme" }), 400, "bad_request");
      const deleted = await ask({ name: "rival" });
      assert.equal(deleted.status, 200, deleted.text);
      const { id, name, isPurging } = JSON.parse(deleted.text) as DeletedOrganization;
      assert.deepEqual([name, isPurging], ["rival", false]);
      const told = (text: string) => assert.match(text, /The organization rival is deleted/);
      told((await refused(rival.post([]), 401, "unauthorized")).message);
      told((await refused(experiment.post([experiment.metric()]), 401, "unauthorized")).message);
      await refusedV1(askTrash(system, "entries", { credential: key }), 401, "unauthorized");
      await refusedV1(askTrash(system, "entries", { credential: rita }), 403, "forbidden");
      assert.equal((await system.acme.open()).slug.length > 0, true, "others are not affected");
      const listed = async (credential: string) => {
        const { text } = await ask(undefined, credential, "organizations");
        return (JSON.parse(text) as { organizations: DeletedOrganization[] }).organizations;
      };
      assert.deepEqual(await listed(rita), [JSON.parse(deleted.text)]);
      assert.deepEqual(await listed(bo), [], "bo is no owner");
      const restore = { organizationId: id };
      await refusedV1(ask(restore, bo, "organizations"), 404, "not_found");
      const again = await signIn(system, "rita");
      assert.equal((await ask(restore, again, "organizations")).status, 200);
      await experiment.send(experiment.metric({ step: 1 }));
      assert.equal((await rival.series(experiment.experimentId)).done.points, 2);
    });

    test("what is purged leaves its name alone: no row, no object, nobody's but its own", async () => {
      const { rival, acme, service } = system;
      const living = await acme.open();
      await living.send(living.metric());
      const experiment = await rival.open();
      await experiment.send(
        ...Array.from({ length: 30 }, (_, step) => experiment.metric({ step })),
      );
      const parent = await rival.ask("folder.create", { name: "parent", parentFolderId: null });
      await rival.ask("folder.create", { name: "child", parentFolderId: parent.folderId });
      const mlflow = new MlflowCaller(system, key);
      const run = await mlflow.run();
      const model = await mlflow.model("0", { tags: [{ key: "t", value: "1" }] });
      const metric = { key: "m", value: 1, timestamp: 1, step: 1, model_id: model };
      await mlflow.post("runs/log-batch", { run_id: run, metrics: [metric] });
      await new RunFiles(mlflow, run).put("file", "of a run");
      const writer = await Writer.open(new ArtifactCaller(system, key));
      await writer.write("1");
      const [near, far] = await Promise.all([0, 1].map(() => startStore({ clock: shifted })));
      await using _near = near;
      await using _far = far;
      const setup = new OrganizationSetup(system, await signIn(system, "rita"));
      for (const [cloud, store] of Object.entries({ far, near })) {
        await setup.add(locationBody(store, { cloud, name: cloud }));
        const away = { cloud, region: "us-east-1", source: "test" };
        const { upload, ...begun } = await writer.begin(cloud, oneFile, { place: away });
        const sent = await sendParts({ upload, ...begun }, oneFile);
        assert.equal((await writer.commit(upload, sent)).status, 200);
        assert.ok(store.objects("models").size > 0);
      }
      await writer.begin("z");
      // One of its buckets is gone for good.
      await far[Symbol.asyncDispose]();
      const command = commandsOf(system);
      const dry = await command("org", "delete", "rival", "--dry-run");
      assert.match(dry, /lossless export organization DIR keeps a copy of rival/);
      assert.match(await command("org", "delete", "rival"), /^rival is in the trash/);
      assert.match(await command("org", "deleted"), /rival/);
      assert.match(
        await command("org", "purge", "rival"),
        /^a running service removes rival from /,
      );
      // A writer's begun upload waits for some minutes more.
      for (let hours = 2; (await command("org", "deleted")) !== "None.\n"; hours++) {
        clock.aheadMs = hours * hourMs;
        const masterKey = join(service.dataDirectory, "master.key");
        const words = ["--master-key-file", masterKey, "--provision", service.provisionFile];
        await operated(system, ["gc", ...words]);
        // By then it may be gone, and the command says that there is none.
        if (near.objects("models").size === 0)
          await operated(system, ["org", "purge", "rival", "--leave-objects"]);
        await setTimeout(200);
      }
      assert.match(await command("verify"), /^no damage/m);
      await refused(rival.post([]), 401, "unauthorized");
      const segments = join(service.dataDirectory, "segments");
      if (system.backend === "sqlite") {
        assert.ok(!readdirSync(segments).includes(experiment.experimentId));
      }
      assert.equal((await acme.series(living.experimentId)).done.points, 1);
      const taken = await failing(
        system,
        "keys",
        "create",
        "--name",
        "x",
        "--organization",
        "rival",
        "--new-organization",
      );
      assert.match(taken, /its name stays taken/);
      // Its provision file still names it.
      assert.equal(await service.stop(), 0);
      await service.start();
      await refused(rival.post([]), 401, "unauthorized");
      const rita = await postSession(system, people.rita);
      assert.equal(rita.status, 403, rita.text);
      assert.match(await command("verify"), /^no damage/m);
    });
  },
  { ...clock.service, allowPrivate: ["127.0.0.0/8"], flags: ["--seal-points", "20"] },
);

/** Commands of the operator on the data, which have to succeed. */
function commandsOf(system: System): (...words: string[]) => Promise<string> {
  return async (...words) => {
    const { code, stdout, stderr } = await operated(system, words);
    assert.equal(code, 0, `${words.join(" ")}: ${stdout}${stderr}`);
    return stdout;
  };
}

async function failing(system: System, ...words: string[]): Promise<string> {
  const { code, stderr } = await operated(system, words);
  assert.notEqual(code, 0);
  return stderr;
}

function operated({ service, baseUrl }: System, words: readonly string[]) {
  const { databaseUrl } = service.options;
  const data = ["--data", service.dataDirectory];
  const database = databaseUrl === undefined ? [] : ["--database-url", databaseUrl];
  const { environment, flags = [] } = service.options;
  const at = words[0] === "verify" ? flags.indexOf("--segments") : -1;
  const segments = at < 0 ? [] : flags.slice(at, at + 2);
  const all = [...words, ...data, ...database, ...segments];
  return finished(start(baseUrl, all, { ...environment, ...clock.command }));
}
