import assert from "node:assert/strict";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type ErrorCode, errors, type MlflowCode, type V1Code } from "@lossless/protocol";
import { Client } from "pg";
import { Figures } from "../../figures.ts";
import { columnParts, columnsBody } from "../../columns-body.ts";
import { call, type HttpReply, type JsonObject, parseLines } from "../../http.ts";
import { sharedPostgres, startPostgres } from "../../postgres.ts";
import { organizations, Service, type ServiceOptions } from "../../service.ts";
import {
  event,
  eventError,
  observed,
  OrganizationCaller,
  requestError,
  uniqueName,
  targetOf,
} from "../callers.ts";
import { killPostgres } from "../killed-postgres.ts";
import { RawConnection, rawRequest } from "../raw-request.ts";
import { ownServices } from "../topic.ts";

/** The subject of a provocation: one service and its first organization. */
interface Subject {
  service: Service;
  baseUrl: string;
  acme: OrganizationCaller;
}

interface Seen {
  code: string;
  status: number;
}

interface Provocation {
  /** Without options it shares a service with others. */
  options?: ServiceOptions;
  provoke(subject: Subject): Promise<Seen>;
}

const headersTooLarge = `GET /healthz HTTP/1.1\r\nHost: HOST\r\nX: ${"x".repeat(70_000)}\r\n\r\n`;
const halfRequest = "POST /api/v2/events HTTP/1.1\r\nHost: HOST\r\n";

/** Every code of v2; one that is missing here is a type error. */
const provocations: Record<Exclude<ErrorCode, V1Code | MlflowCode>, Provocation> = {
  unauthorized: request(({ baseUrl }) => call(baseUrl, { path: "/api/v2/auth/status" })),
  malformed_json: request(({ acme }) => acme.post("{")),
  validation_failed: request(({ acme }) => acme.post("{}")),
  duplicate_message_id: request(async ({ acme }) => {
    const experiment = await acme.open();
    return experiment.post([experiment.metric({}, "same"), experiment.metric({}, "same")]);
  }),
  checksum_mismatch: request(async ({ acme }) => {
    const { experimentId, token: credential } = await acme.open();
    const point = { messageId: "p-0", metricName: "a", meta: {} };
    const numbers = { step: 0, timestampMs: 1, metricValue: 1 };
    const body = columnsBody(columnParts([{ ...point, ...numbers }]));
    body[body.length - 1] ^= 1;
    const path = `/api/v2/experiments/${experimentId}/columns`;
    return observed(acme.target, { path, credential, body });
  }),
  invalid_headers: request(({ baseUrl }) =>
    rawRequest(baseUrl, "GET /healthz HTTP/1.1\r\nHost: HOST\r\nHost: HOST\r\n\r\n"),
  ),
  not_found: request(({ baseUrl }) => call(baseUrl, { path: "/api/v2/none" })),
  method_not_allowed: request(({ baseUrl }) => call(baseUrl, { path: "/api/v2/events" })),
  request_timeout: request(({ baseUrl }) => rawRequest(baseUrl, halfRequest), {
    flags: ["--request-timeout-ms", "300", "--headers-timeout-ms", "300"],
  }),
  payload_too_large: request(({ acme }) => acme.post(" ".repeat(33 * 1_048_576))),
  unsupported_media_type: request(({ acme }) => acme.post("{}", { "content-type": "text/plain" })),
  misdirected_request: request(({ baseUrl }) =>
    rawRequest(baseUrl, "GET /api/v2/auth/status HTTP/1.1\r\nHost: evil.example\r\n\r\n"),
  ),
  headers_too_large: request(({ baseUrl }) => rawRequest(baseUrl, headersTooLarge)),
  rate_limited: request(
    async ({ acme }) => {
      const sent = Array.from({ length: 20 }, () => acme.post(event("foldertree.read", {})));
      const refused = (await Promise.all(sent)).find(({ status }) => status !== 200)!;
      assert.match(String(refused.headers["retry-after"]), /^\d+$/);
      return refused;
    },
    { flags: ["--rate-limit", "1"] },
  ),
  internal: request(brokenTable),
  data_corrupted: { provoke: corrupted },
  overloaded: request(tooManyBytes),
  shutting_down: request(requestWhileStopping, {}),
  storage_unavailable: request(postgresKilled),
  storage_full: { options: {}, provoke: diskFull },

  folder_already_exists: failing(async (acme) => {
    const data = folder(uniqueName("folder"));
    await acme.ask("folder.create", data);
    return ["folder.create", data];
  }),
  folder_not_found: failing(() => ["folder.create", folder("x", "none")]),
  folder_not_empty: failing(async (acme) => {
    const { folderId } = await acme.ask("folder.create", folder(uniqueName("folder")));
    await acme.ask("folder.create", folder("child", String(folderId)));
    return ["folder.delete", { folderId }];
  }),
  folder_cycle: failing(async (acme) => {
    const { folderId } = await acme.ask("folder.create", folder(uniqueName("folder")));
    return ["folder.update", { folderId, parentFolderId: folderId }];
  }),
  experiment_not_found: failing(() => ["query.experiment", { experimentSlug: "none" }]),
  experiment_deleted: failing(async (acme) => {
    const { slug, experimentId } = await acme.open();
    const path = "/api/trash/v1/experiments";
    const { target, credential } = acme;
    await observed(target, { path, credential, body: { experimentIds: [experimentId] } });
    return ["experiment.open", { slug, description: "", meta: {} }];
  }),
  experiment_changed: failing(async (acme) => {
    const { slug } = await acme.open();
    return ["experiment.open", { slug, description: "", meta: {}, seenUpdatedAtMs: null }];
  }),
  series_deleted: {
    async provoke({ acme }) {
      const experiment = await acme.open();
      await experiment.send(experiment.metric());
      const { experimentId } = experiment;
      const { target, credential } = acme;
      const body = { experimentId, seriesNames: ["loss"] };
      await observed(target, { path: "/api/trash/v1/series", credential, body });
      const [reply] = await experiment.send(experiment.metric({ step: 1 }));
      const { code, status } = eventError(reply);
      return { code, status };
    },
  },
  experiment_token_invalid: failing(() => [
    "experiment.tokenRefresh",
    { experimentId: "none", experimentToken: "ik_none" },
  ]),
  experiment_id_mismatch: points([{ experimentId: "other" }]),
  message_id_conflict: points([{}, { step: 1 }]),
  limit_exceeded: points([{}, { metricName: "second" }], { flags: ["--series-limit", "1"] }),
  result_too_large: { options: {}, provoke: tooManyExperiments },
};

ownServices("every error code can be provoked, and has its status", () => {
  let shared: Service | undefined;
  before(async () => {
    shared = await Service.start();
  });
  after(() => shared?.[Symbol.asyncDispose]());
  for (const [code, { options, provoke }] of Object.entries(provocations)) {
    test(code, async () => {
      const own = options === undefined ? undefined : await Service.start(options);
      try {
        const seen = await provoke(subjectOf(own ?? shared!));
        assert.deepEqual(seen, { code, status: errors[code as ErrorCode].status });
      } finally {
        await own?.[Symbol.asyncDispose]();
      }
    });
  }
});

function subjectOf(service: Service): Subject {
  const target = targetOf(service);
  return {
    service,
    baseUrl: service.baseUrl,
    acme: new OrganizationCaller(target, organizations.acme.key),
  };
}

/** The request as a whole is refused. */
function request(
  send: (subject: Subject) => Promise<HttpReply>,
  options?: ServiceOptions,
): Provocation {
  const provoke = async (subject: Subject): Promise<Seen> => {
    const { code, status } = requestError(await send(subject));
    return { code, status };
  };
  return options === undefined ? { provoke } : { options, provoke };
}

type NamedData = [name: string, data: JsonObject];

/** One event is answered with svc.v2.error. */
function failing(
  prepare: (acme: OrganizationCaller) => NamedData | Promise<NamedData>,
): Provocation {
  return {
    async provoke({ acme }) {
      const [reply] = await acme.send(event(...(await prepare(acme))));
      const { code, status } = eventError(reply);
      return { code, status };
    },
  };
}

/** Points with the same messageId, one after the other; the last one fails. */
function points(changes: JsonObject[], options?: ServiceOptions): Provocation {
  const provoke = async ({ acme }: Subject): Promise<Seen> => {
    const experiment = await acme.open();
    const messageIds = options === undefined ? ["same", "same"] : ["first", "second"];
    let seen: Seen | undefined;
    for (const [index, change] of changes.entries()) {
      const [reply] = await experiment.send(experiment.metric(change, messageIds[index]));
      if (index === changes.length - 1) seen = eventError(reply);
    }
    return { code: seen!.code, status: seen!.status };
  };
  return options === undefined ? { provoke } : { options, provoke };
}

function folder(name: string, parentFolderId: string | null = null): JsonObject {
  return { name, parentFolderId };
}

/** A table is taken away under the running service: nothing of the SQL may show. */
async function brokenTable(): Promise<HttpReply> {
  const databaseUrl = await (await sharedPostgres()).createDatabase();
  await using service = await Service.start({ databaseUrl });
  const { acme } = subjectOf(service);
  const { experimentId } = await acme.open();
  await execute(databaseUrl, "ALTER TABLE annotation RENAME TO hidden");
  const reply = await acme.post(event("query.annotations", { experimentId }));
  assert.doesNotMatch(reply.text, /annotation|relation|select|\.ts/i);
  return asRequestError(reply);
}

async function postgresKilled(): Promise<HttpReply> {
  await using postgres = await startPostgres();
  const databaseUrl = await postgres.createDatabase();
  await using service = await Service.start({ databaseUrl });
  const { acme } = subjectOf(service);
  await acme.open();
  await killPostgres(postgres, databaseUrl);
  const reply = await acme.post(event("experiment.open", { slug: "x", description: "", meta: {} }));
  assert.doesNotMatch(reply.text, /postgres|ECONN|\.ts/i);
  return asRequestError(reply);
}

/** A storage failure may be told of the request or of each event; both carry the same code. */
function asRequestError(reply: HttpReply): HttpReply {
  if (reply.status !== 200) return reply;
  const { data } = JSON.parse(reply.text) as { data: Seen & { message: string } };
  const details = `code=${data.code}; request_id=${String(reply.headers["x-request-id"])}`;
  const text = JSON.stringify({ data: null, error: { message: data.message, details } });
  return { ...reply, status: data.status, text };
}

async function execute(databaseUrl: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/** One byte of every sealed object is changed while nothing runs: it must be an error, no value. */
async function corrupted(): Promise<Seen> {
  const figures = await Figures.onFreePort();
  const flags = ["--seal-points", "1", "--seal-idle-ms", "0", ...figures.flags];
  await using service = await Service.start({ flags });
  const { acme } = subjectOf(service);
  const experiment = await acme.open();
  await experiment.send(experiment.metric({ metricValue: Math.PI }));
  await experiment.tell("done");
  await figures.sealed(1);
  await service.stop();
  const entries = globSync("segments/**/*", { cwd: service.dataDirectory, withFileTypes: true });
  for (const entry of entries.filter((one) => one.isFile())) {
    const file = join(entry.parentPath, entry.name);
    const bytes = readFileSync(file);
    for (let at = 0; at < bytes.length; at += 7) bytes[at] ^= 1;
    writeFileSync(file, bytes);
  }
  await service.start();
  const data = { experimentId: experiment.experimentId, filter: [], xAxis: "step" };
  const reply = await acme.query("query.experimentseries", data);
  if (reply.status !== 200) {
    const { code, status } = requestError(reply);
    return { code, status };
  }
  const last = parseLines<{ event: string; data: Seen }>(reply.text).at(-1)!;
  assert.equal(last.event, "svc.v2.error");
  const { code, status } = last.data;
  return { code, status };
}

/** A request is finished when its head is whole before the signal, and refused when it is later. */
async function requestWhileStopping({ service, baseUrl, acme }: Subject): Promise<HttpReply> {
  const body = JSON.stringify(event("foldertree.read", {}));
  const admitted = await partlySent(baseUrl, acme.credential, body, 5);
  const late = new RawConnection(baseUrl);
  late.send("GET /api/v2/auth/status HTTP/1.1\r\nHost: HOST\r\n");
  await call(baseUrl, { path: "/healthz" });
  const exit = service.stop();
  const ready = (): Promise<number> =>
    call(baseUrl, { path: "/readyz" }).then(
      ({ status }) => status,
      () => 503,
    );
  while ((await ready()) === 200) await sleep(5);
  late.send(`Authorization: Bearer ${acme.credential}\r\n\r\n`);
  const reply = await late.reply;
  admitted.send(body.slice(5));
  assert.equal((await admitted.reply).status, 200);
  assert.equal(await exit, 0);
  return reply;
}

/** Two unfinished requests hold the bytes that have come: a third of their size does not fit. */
async function tooManyBytes(): Promise<HttpReply> {
  const figures = await Figures.onFreePort();
  const room = ["--max-body-bytes", "1048576", "--max-queue-bytes", "1048576"];
  await using service = await Service.start({ flags: [...room, ...figures.flags] });
  const { baseUrl, acme } = subjectOf(service);
  const body = JSON.stringify(event("foldertree.read", {})).padEnd(1_048_576);
  const held: RawConnection[] = [];
  for (let holding = 1; holding <= 2; holding++) {
    held.push(await partlySent(baseUrl, acme.credential, body, body.length - 1));
    const heldBytes = holding * (body.length - 1);
    while ((await figures.value("lossless_queue_bytes")) < heldBytes) await sleep(5);
  }
  const third = await acme.post(body);
  assert.match(String(third.headers["retry-after"]), /^\d+$/);
  for (const connection of held) {
    connection.send(body.slice(-1));
    assert.equal((await connection.reply).status, 200);
  }
  assert.equal((await acme.post(body)).status, 200);
  return third;
}

/** A request whose head and first bytes the service has received. */
async function partlySent(
  baseUrl: string,
  credential: string,
  body: string,
  bytes: number,
): Promise<RawConnection> {
  const connection = new RawConnection(baseUrl);
  connection.send(
    `POST /api/v2/events HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer ${credential}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, bytes)}`,
  );
  // A later request is received later.
  await call(baseUrl, { path: "/api/v2/auth/status", credential });
  return connection;
}

/** Writes are refused while less than the reserve is free; reads go on. */
async function diskFull({ service, acme }: Subject): Promise<Seen> {
  const { experimentId } = await acme.open();
  await service.stop();
  const reserve = ["--disk-reserve-bytes", String(Number.MAX_SAFE_INTEGER)];
  await using full = await Service.start({ directory: service.directory, flags: reserve });
  const subject = subjectOf(full);
  assert.equal((await subject.acme.record(experimentId)).experimentId, experimentId);
  const reply = await subject.acme.post(event("folder.create", folder("x")));
  const { code, status } = requestError(asRequestError(reply));
  return { code, status };
}

/** One experiment more than a tree may hold, put beside the one that the service has opened. */
async function tooManyExperiments({ service }: Subject): Promise<Seen> {
  await subjectOf(service).acme.open();
  await service.stop();
  const database = new DatabaseSync(join(service.dataDirectory, "lossless.db"));
  database.exec(`CREATE TEMPORARY TABLE copied AS SELECT * FROM experiment;
    WITH RECURSIVE counted (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < 99999)
    INSERT INTO copied SELECT copied.* FROM copied, counted;
    UPDATE copied SET id = 'made-up-' || rowid, slug = 'made-up-' || rowid;
    INSERT INTO experiment SELECT * FROM copied`);
  database.close();
  await service.start();
  const [reply] = await subjectOf(service).acme.send(event("foldertree.read", {}));
  const { code, status } = eventError(reply);
  return { code, status };
}
