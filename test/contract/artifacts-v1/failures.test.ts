import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { type HttpReply, ok, parseObject } from "../../http.ts";
import { startPostgres } from "../../postgres.ts";
import { organizations, Service } from "../../service.ts";
import { ArtifactCaller, fails } from "../artifact-caller.ts";
import { killPostgres } from "../killed-postgres.ts";
import { ReplyCheck } from "../reply-check.ts";
import { ownServices } from "../topic.ts";
import { Writer } from "../writer.ts";

/** T60: nothing of the inside is in a reply, however it fails. */
function requirePlain({ text }: HttpReply): void {
  const { error, message, ...rest } = parseObject(text);
  assert.deepEqual(rest, {});
  assert.equal(typeof error, "string");
  assert.ok(!String(message).includes(tmpdir()));
  assert.doesNotMatch(
    String(message),
    /failpoint|\.ts\b|node:|SELECT|INSERT|postgres|sqlite|127\.0\.0\.1|\/tmp\/|ECONN/i,
  );
}

function callerOf({ baseUrl }: Service): ArtifactCaller {
  return new ArtifactCaller({ baseUrl, observe: () => {} }, organizations.acme.key);
}

ownServices("failures", () => {
  test("internal, T60: an unexpected failure is 500, and the same request succeeds then", async () => {
    const points = ["open.afterOpen", "begin.afterBegin", "commit.afterAccept"];
    const environment = {
      LOSSLESS_TEST_FAILPOINT: points.map((point) => `${point}=error`).join(),
    };
    await using service = await Service.start({ environment });
    const caller = callerOf(service);
    const second = async (request: () => Promise<HttpReply>): Promise<HttpReply> => {
      const reply = await request();
      await fails(reply, 500, "internal");
      requirePlain(reply);
      return request();
    };
    const place = { cloud: "", region: "", source: "" };
    const open = () => caller.post("artifacts/open", { artifact: "a" }, { mode: "new", place });
    const { epoch } = ok<{ epoch: number }>(await second(open), 200);
    const writer = new Writer(caller, "a", epoch);
    ok(await second(() => writer.tryBegin("1")), 201);
    const { id, sent } = await writer.sent("1");
    ok(await second(() => writer.commit(id, sent)), 200);
    assert.equal((await caller.read("a")).version, "1");
    const failures = (service.output + service.errors).match(/"level":"error"/g);
    assert.equal(failures?.length, points.length, "the log says what they were");
  });

  test("A63, T60: when the database is gone, v1 answers 503 unavailable", async () => {
    await using postgres = await startPostgres();
    const databaseUrl = await postgres.createDatabase();
    await using service = await Service.start({ databaseUrl });
    const caller = callerOf(service);
    const writer = await Writer.open(caller, "a");
    await writer.write("1");
    const documented = await ReplyCheck.of(service.baseUrl);
    await killPostgres(postgres, databaseUrl);
    const query = { artifact: "a", version: "latest" };
    const requests: [Promise<HttpReply>, string, string][] = [
      [caller.request("versions/read", query), "GET", "versions/read"],
      [writer.tryBegin("2"), "POST", "versions/begin"],
      [caller.request("artifacts/list", {}), "GET", "artifacts/list"],
      [caller.request("org", {}), "GET", "org"],
    ];
    for (const [request, method, path] of requests) {
      const reply = await request;
      await fails(reply, 503, "unavailable");
      requirePlain(reply);
      documented.check({ method, path: `/api/v1/${path}` }, reply);
    }
  });
});
