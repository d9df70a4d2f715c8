import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { type HttpReply, type JsonObject, parseObject } from "../../http.ts";
import { organizations } from "../../service.ts";
import { IdentityProvider } from "../../sign-on/identity-provider.ts";
import { setSignOn, signOnBody } from "../../sign-on/sign-on-calls.ts";
import { ArtifactCaller, sendParts } from "../artifact-caller.ts";
import { observed, type Target } from "../callers.ts";
import { MlflowCaller } from "../mlflow/mlflow-calls.ts";
import { RunFiles } from "../mlflow/run-files.ts";
import { signIn } from "../people.ts";
import type { System } from "../topic.ts";

/** Acme's things: one of each kind that requests can name. All of these are texts. */
export type Things = Record<
  | "word"
  | "organization"
  | "experiment"
  | "slug"
  | "experimentToken"
  | "spareExperiment"
  | "trashedExperiment"
  | "trashEntry"
  | "otherTrashEntry"
  | "folder"
  | "spareFolder"
  | "emptyFolder"
  | "series"
  | "artifact"
  | "epoch"
  | "upload"
  | "report"
  | "reportRevision"
  | "picture"
  | "view"
  | "viewRevision"
  | "workspace"
  | "rule"
  | "ruleRevision"
  | "key"
  | "person"
  | "owner"
  | "invitation"
  | "guestLink"
  | "serviceAccount"
  | "personalToken"
  | "signIn"
  | "location"
  | "connection"
  | "user"
  | "group"
  | "mlflowExperiment"
  | "mlflowName"
  | "run"
  | "model"
  | "file",
  string
>;

/**
 * Fills acme. What it has a name for is called by a word that stands nowhere else, by which it is
 * known in any answer.
 */
export async function fillAcme(
  system: Target & Pick<System, "acme">,
): Promise<{ things: Things; scim: string }> {
  const word = `acmeonly${randomUUID().slice(0, 8)}`;
  const owner = await signIn(system, "ada");
  const ask = async (
    method: string,
    path: string,
    body?: unknown,
    credential = owner,
  ): Promise<JsonObject> => made(await observed(system, { method, path, body, credential }));

  const { folderId: folder } = await system.acme.ask("folder.create", folderOf(word));
  const { folderId: spareFolder } = await system.acme.ask("folder.create", folderOf(`${word}-2`));
  const { folderId: emptyFolder } = await system.acme.ask("folder.create", folderOf(`${word}-3`));
  const slug = `${word}/run`;
  const experiment = await system.acme.open(slug, word, { [word]: word });
  const { experimentId } = experiment;
  await experiment.send(experiment.metric({ metricName: word, meta: { rank: word } }));
  await experiment.tell("annotate", { annotation: word, meta: { by: word } });
  await observed(system, {
    path: `/api/console/v1/experiments/${experimentId}/lines`,
    credential: experiment.token,
    body: {
      source: { id: word },
      first: 0,
      lines: [{ timestampMs: 1, stream: "stdout", text: word }],
    },
  });
  await system.acme.ask("experiment.move", { experimentId, folderId: folder });
  const [spare, trashed, other] = [
    await system.acme.open(`${word}/spare`),
    await system.acme.open(`${word}/trashed`),
    await system.acme.open(`${word}/other`),
  ];
  const trash = await ask("POST", "/api/trash/v1/experiments", {
    experimentIds: [trashed.experimentId, other.experimentId],
  });
  const entries = trash.entries as JsonObject[];

  const artifacts = new ArtifactCaller(system, organizations.acme.key);
  const artifact = `${word}/model`;
  const { epoch } = await artifacts.open(artifact);
  const files = { [word]: Buffer.from(word) };
  await artifacts.write(artifact, "000000000001", epoch, files);
  const written = await artifacts.begin(artifact, "000000000002", epoch, files, {
    experiment: slug,
  });
  const sent = await sendParts(written, files);
  made(await artifacts.commit(artifact, written.upload, epoch, sent));
  const upload = await artifacts.begin(artifact, "000000000003", epoch, files, { [word]: 1 });
  await sendParts(upload, files);
  const note = `/api/v1/artifacts/note?artifact=${artifact}&note=note.md`;
  await observed(system, { method: "PUT", path: note, credential: owner, body: Buffer.from(word) });

  const alias = `/api/v1/artifacts/alias?artifact=${artifact}&alias=${word}`;
  await ask("PUT", alias, { version: "000000000002" });

  const scope = "shared";
  const view = await ask("POST", "/api/views/v1/saved", {
    name: word,
    scope,
    address: `/experiments?q=${word}`,
  });
  const workspace = await ask("PUT", "/api/views/v1/workspace", {
    scope,
    folderId: folder,
    revision: 0,
    layout: { pinned: [word] },
  });
  const blocks = [{ kind: "text", markdown: word }];
  const report = await ask("POST", "/api/views/v1/reports", { name: word, scope, blocks });
  const beside = `/api/views/v1/report-picture?id=${idOf(report)}`;
  const { picture } = await ask("POST", beside, pictureOf(word));
  const rule = await ask("POST", "/api/trash/v1/rules", { name: word, rule: ruleOf(null) });
  const key = await ask("POST", "/api/v1/api-keys", { name: word });
  const invitation = await ask("POST", "/api/v1/invitations", {
    email: `${word}@acme.test`,
    role: "member",
  });
  const guestLink = await ask("POST", "/api/guests/v1/links", {
    name: word,
    experimentIds: [experimentId],
    days: 1,
  });
  const account = await ask("POST", "/api/sign-on/v1/service-accounts", {
    name: word,
    role: "member",
  });
  const token = await ask("POST", "/api/sign-on/v1/tokens", { name: word, scope: "read", days: 1 });
  const connection = await ask("POST", "/api/v1/connections", { cloud: "aws", name: word });
  const { people } = await ask("GET", "/api/v1/people");
  const personWith = (address: string): string =>
    idOf((people as JsonObject[]).find(({ email }) => email === address));
  const { signIns } = await ask("GET", "/api/v1/sign-ins");
  const organization = await ask("GET", "/api/v1/org");

  await using provider = await IdentityProvider.start([`${system.baseUrl}/`]);
  await setSignOn(system, owner, signOnBody(provider.issuer, { name: word }));
  const { secret } = await ask("POST", "/api/sign-on/v1/scim");
  const scim = String(secret);
  const user = await ask("POST", "/scim/v2/Users", userOf(word), scim);
  const group = await ask("POST", "/scim/v2/Groups", groupOf(word), scim);

  const mlflow = new MlflowCaller(system, organizations.acme.key);
  const mlflowName = `${word}-mlflow`;
  const mlflowExperiment = await mlflow.experiment(mlflowName);
  const run = await mlflow.run(mlflowExperiment, { run_name: word });
  await mlflow.post("runs/log-batch", {
    run_id: run,
    metrics: [{ key: word, value: 1, timestamp: 1, step: 1 }],
    params: [{ key: word, value: word }],
    tags: [{ key: word, value: word }],
  });
  await mlflow.post("experiments/set-experiment-tag", {
    experiment_id: mlflowExperiment,
    key: word,
    value: word,
  });
  const model = await mlflow.model(mlflowExperiment, { name: word });
  await mlflow.ask("PATCH", `logged-models/${model}/tags`, { tags: [{ key: word, value: word }] });
  for (const name of [word, `${word}-2`]) {
    await mlflow.post("registered-models/create", { name, tags: [{ key: word, value: word }] });
    const source = `runs:/${run}/${word}`;
    await mlflow.post("model-versions/create", { name, source, run_id: run });
    await mlflow.post("registered-models/alias", { name, alias: word, version: "1" });
  }
  const dataset = { name: word, digest: word, source_type: "local", source: "{}" };
  await mlflow.post("runs/log-inputs", { run_id: run, datasets: [{ dataset, tags: [] }] });
  await new RunFiles(mlflow, run, `${mlflowExperiment}/${run}/artifacts`).put(word, word);
  await new RunFiles(mlflow, model, `${mlflowExperiment}/models/${model}/artifacts`).put(
    word,
    word,
  );

  const things: Things = {
    word,
    organization: String(organization.orgId),
    experiment: experimentId,
    slug,
    experimentToken: experiment.token,
    spareExperiment: spare.experimentId,
    trashedExperiment: trashed.experimentId,
    trashEntry: idOf(entries[0]),
    otherTrashEntry: idOf(entries[1]),
    folder: String(folder),
    spareFolder: String(spareFolder),
    emptyFolder: String(emptyFolder),
    series: word,
    artifact,
    epoch: String(epoch),
    upload: upload.upload,
    report: idOf(report),
    reportRevision: String(report.revision),
    picture: String(picture),
    view: idOf(view),
    viewRevision: String(view.revision),
    workspace: idOf(workspace),
    rule: idOf(rule),
    ruleRevision: String(rule.revision),
    key: idOf(key),
    person: personWith("max@acme.test"),
    owner: personWith("ada@acme.test"),
    invitation: idOf(invitation),
    guestLink: idOf(guestLink),
    serviceAccount: idOf(account),
    personalToken: idOf(token),
    signIn: idOf((signIns as JsonObject[])[0]),
    location: idOf((organization.locations as JsonObject[])[0]),
    connection: idOf(connection),
    user: idOf(user),
    group: idOf(group),
    mlflowExperiment,
    mlflowName,
    run,
    model,
    file: word,
  };
  return { things, scim };
}

/** The same things, of which there is none: names and ids in the same form. */
export function unknownOf(things: Things): Things {
  const { word } = things;
  const unknownWord = `nobody${word.slice(6)}`;
  const turned = Object.entries(things).map(([kind, value], at) => {
    if (value.includes(word)) return [kind, value.replaceAll(word, unknownWord)];
    return [kind, value.length > 8 ? value.slice(0, -8) + String(at).padStart(8, "0") : value];
  });
  return Object.fromEntries(turned) as Things;
}

function folderOf(name: string): JsonObject {
  return { name, parentFolderId: null };
}

/** A picture of one pixel that contains a word. */
export function pictureOf(word: string): Buffer {
  const words = Buffer.from(word);
  const comment = Buffer.concat([Buffer.from([0x21, 0xfe, words.length]), words, Buffer.from([0])]);
  const head = Buffer.from("GIF89a\x01\x00\x01\x00\x00\x00\x00", "latin1");
  return Buffer.concat([head, comment, Buffer.from([0x3b])]);
}

export function ruleOf(folderId: string | null): JsonObject {
  return { kind: "experiments", folderId, olderThanDays: 365, statuses: ["done"] };
}

export function userOf(word: string): JsonObject {
  return {
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"],
    userName: `${word}@acme.test`,
    externalId: word,
    active: true,
  };
}

export function groupOf(word: string): JsonObject {
  return { schemas: ["urn:ietf:params:scim:schemas:core:2.0:Group"], displayName: word };
}

function made(reply: HttpReply): JsonObject {
  assert.ok(reply.status >= 200 && reply.status < 300, reply.text);
  return reply.text === "" ? {} : parseObject(reply.text);
}

/** The id of a thing, or of the one that an answer wraps. */
function idOf(answer: JsonObject | undefined): string {
  const wrapped = Object.values(answer ?? {}) as (JsonObject | null)[];
  const id = answer?.id ?? wrapped.find((value) => typeof value?.id === "string")?.id;
  assert.ok(typeof id === "string", JSON.stringify(answer));
  return id;
}
