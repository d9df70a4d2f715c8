import assert from "node:assert/strict";
import type { RequestListener } from "node:http";
import { Readable } from "node:stream";
import { suite, test } from "node:test";
import { answering } from "../../../../test/loopback.ts";
import { dialects, type DialectName } from "../../../../test/stores/double/dialects.ts";
import {
  type FaultRule,
  S3Double,
  type S3DoubleOptions,
} from "../../../../test/stores/s3-double.ts";
import { EgressPolicy } from "../../buckets/egress.ts";
import { S3Bucket } from "../../buckets/s3/bucket.ts";
import { type ProbeSettings, probeStore } from "./location-setup.ts";
import { probe, ProbeFailed, type ProbeTimes } from "./probe.ts";
import { type SignedReply, SignedRequests } from "./signed-requests.ts";

const egress = new EgressPolicy({ allowPrivate: ["127.0.0.0/8"], ownAddresses: () => [] });
const times: ProbeTimes = { stepsMs: 10_000, cleanupMs: 2_000 };
const settings: ProbeSettings = {
  egress,
  openStore: (access, limits) => new S3Bucket({ ...access, ...limits, egress, attemptsMax: 1 }),
  clock: Date.now,
};

/** More bytes than any client should read, and finite: they are made in this process. */
function* flood(): Generator<Buffer> {
  const piece = Buffer.alloc(65_536, "<a>");
  for (let count = 0; count < 1_024; count += 1) yield piece;
}

type Store = Pick<S3Double, "endpoint" | "region" | "accessKeyId" | "secretAccessKey">;

function probeOf(store: Store, path = "", given: Partial<ProbeTimes> = {}) {
  const { endpoint, region: signingRegion, accessKeyId, secretAccessKey } = store;
  const access = { endpoint, signingRegion, accessKeyId, secretAccessKey, pathStyle: true };
  const full = { ...access, bucket: "b", egress };
  return probeStore(settings, full, path, { ...times, ...given });
}

/** Step and code of a probe that fails; whatever was begun must be gone. */
async function failureOf(options: S3DoubleOptions, given: Partial<ProbeTimes> = {}) {
  await using store = await S3Double.start(options);
  const failure = await probeOf(store, "p", given).then(
    () => "none",
    (error: unknown) => {
      if (!(error instanceof ProbeFailed)) throw error;
      return `${error.step}: ${error.code}`;
    },
  );
  const left = [...store.objects("b").keys(), ...store.uploads("b").map(({ key }) => key)];
  return { failure, left };
}

suite("probe of a store", () => {
  for (const dialect of Object.keys(dialects) as DialectName[]) {
    test(`finds out what the double can do as ${dialect}, and leaves nothing`, async () => {
      await using store = await S3Double.start({ dialect });
      const { probedAtMs, clockSkewMs, ...found } = await probeOf(store, "some/where");
      assert.ok(Date.now() - probedAtMs < 60_000 && Math.abs(clockSkewMs) < 60_000);
      assert.deepEqual(found, {
        enforcesPartLength: true,
        completesAgain: dialect !== "minio",
        listsUploads: true,
        partsMax: dialect === "swift" ? 1_000 : 10_000,
      });
      assert.deepEqual([...store.objects("b").keys()], []);
      assert.deepEqual(store.uploads("b"), []);
      const keys = store.requests.map(({ key }) => key).filter((key) => key !== "");
      assert.ok(keys.every((key) => key.startsWith("some/where/.lossless-probe/")));
      assert.ok(keys.some((key) => key.includes("模型 7 %20+&")));
      assert.ok(store.requests.some((one) => one.presigned && one.operation === "UploadPart"));
      assert.ok(store.requests.some((one) => one.presigned && one.operation === "GetObject"));
    });
  }

  const faults: [FaultRule, string][] = [
    [{ operation: "PutObject", fault: "internalError" }, "put: InternalError"],
    [{ operation: "GetObject", fault: "slowDown", times: 1 }, "ranged get: SlowDown"],
    [{ operation: "GetObject", fault: "flippedBit", times: 1 }, "ranged get: other bytes came back"],
    [{ operation: "GetObject", fault: "cutReply", after: 1, times: 1 }, "clock: connection lost"],
    [{ operation: "CreateMultipartUpload", fault: "truncatedXml" }, "multipart upload: invalid reply"],
    [{ operation: "UploadPart", fault: "slowDown" }, "signed upload of parts: SlowDown"],
    [{ operation: "UploadPart", fault: "lostRequest" }, "signed upload of parts: connection lost"],
    [{ operation: "ListParts", fault: "internalError" }, "signed upload of parts: InternalError"],
    [
      { operation: "CompleteMultipartUpload", fault: "errorInBody" },
      "completion of the upload: InternalError",
    ],
    [{ operation: "GetObject", fault: "flippedBit", after: 2 }, "signed download: other bytes came back"],
    [{ operation: "GetObject", fault: "cutReply", after: 2 }, "signed download: connection lost"],
    [{ operation: "CreateMultipartUpload", fault: "slowDown", after: 1 }, "abort: SlowDown"],
    [{ operation: "AbortMultipartUpload", fault: "slowDown", times: 1 }, "abort: SlowDown"],
    [{ operation: "DeleteObject", fault: "slowDown", times: 1 }, "delete: SlowDown"],
  ]; // prettier-ignore

  for (const [rule, expected] of faults) {
    test(`${JSON.stringify(rule)} fails as "${expected}"`, async () => {
      const { failure, left } = await failureOf({ faults: [rule] });
      assert.equal(failure, expected);
      assert.deepEqual(left, []);
    });
  }

  for (const [status, expected] of [
    [201, "none"],
    [204, "signed upload of parts: HTTP status 204"],
    [200, "signed upload of parts: no ETag"],
  ] as const) {
    test(`parts that are answered ${status} and have no ETag: ${expected}`, async () => {
      await using store = await S3Double.start({ buckets: ["b"] });
      const { endpoint, region: signingRegion, accessKeyId, secretAccessKey } = store;
      const access = { endpoint, signingRegion, accessKeyId, secretAccessKey, pathStyle: true };
      await using bucket = new S3Bucket({ ...access, bucket: "b", egress, attemptsMax: 1 });
      using requests = new NamelessParts(egress.agents());
      requests.status = status;
      const failure = await probe({ bucket, path: "", id: "x" }, requests, times, Date.now).then(
        () => "none",
        ({ step, code }: ProbeFailed) => `${step}: ${code}`,
      );
      assert.equal(failure, expected);
      assert.deepEqual([...store.objects("b").keys()], []);
    });
  }

  test("a list of uploads that fails is no failure: it is remembered", async () => {
    const rule: FaultRule = { operation: "ListMultipartUploads", fault: "internalError" };
    await using store = await S3Double.start({ faults: [rule] });
    assert.equal((await probeOf(store)).listsUploads, false);
  });

  test("a delete without effect is found", async () => {
    await using store = await S3Double.start();
    const kept = new Map<string, never>();
    const objects = store.objects("b");
    objects.delete = (key) => kept.size >= 0 && objects.has(key);
    await assert.rejects(probeOf(store), /"delete": the object is still there/);
  });

  test("clocks may differ by 5 minutes, not more", async () => {
    const at = (minutes: number) => ({ clock: () => Date.now() + minutes * 60_000 });
    for (const minutes of [6, -6]) {
      const { failure, left } = await failureOf(at(minutes));
      assert.equal(failure, "clock: the clocks differ by more than 5 minutes");
      assert.deepEqual(left, []);
    }
    await using store = await S3Double.start(at(4));
    assert.equal(Math.round((await probeOf(store)).clockSkewMs / 60_000), 4);
  });

  test("a wrong secret, an unknown bucket and nobody at the address are told as such", async () => {
    await using store = await S3Double.start();
    const { endpoint, region, accessKeyId } = store;
    const wrong = { endpoint, region, accessKeyId, secretAccessKey: "no" };
    await assert.rejects(probeOf(wrong), /step "put": [\w ]+\.$/);
    const { failure } = await failureOf({ buckets: ["b"], region: "eu" });
    assert.equal(failure, "none");
    const nobody = { ...wrong, endpoint: "http://127.0.0.1:1" };
    await assert.rejects(probeOf(nobody), /"put": refused/);
  });

  test("a store that never answers, wherever, ends it in time, and what can be removed is (T44)", async () => {
    for (const [operation, expected] of [
      ["PutObject", "put: timeout"],
      ["UploadPart", "signed upload of parts: timeout"],
      ["CompleteMultipartUpload", "completion of the upload: timeout"],
    ] as const) {
      // A slow machine may use a short time up before the step that hangs; then twice as much.
      for (let stepsMs = 700; ; stepsMs *= 2) {
        const options = { faults: [{ operation, fault: "hang" as const }] };
        const { failure, left } = await failureOf(options, { stepsMs, cleanupMs: 10_000 });
        if (failure !== expected && failure.endsWith(": timeout") && stepsMs < 60_000) continue;
        assert.equal(failure, expected);
        assert.deepEqual(left, []);
        break;
      }
    }
  });

  test("replies without an end are cut (T44)", async () => {
    const lines: RequestListener[] = [
      (_request, response) => {
        response.writeHead(200, { "content-type": "application/xml" });
        const drip = setInterval(() => response.write("x"), 100);
        response.on("close", () => clearInterval(drip));
      },
      (_request, response) => {
        response.writeHead(500, { "content-type": "application/xml" });
        Readable.from(flood()).pipe(response);
      },
    ];
    for (const listener of lines) {
      await using server = await answering(listener);
      const store = {
        endpoint: server.origin,
        region: "r",
        accessKeyId: "a",
        secretAccessKey: "s",
      };
      const short = { stepsMs: 1_500, cleanupMs: 300 };
      await assert.rejects(probeOf(store, "", short), ProbeFailed);
    }
  });

  test("a redirect is not followed (T43)", async () => {
    let reached = 0;
    await using target = await answering(() => (reached += 1));
    await using server = await answering((_request, response) => {
      response.writeHead(307, { location: `${target.origin}/latest/meta-data` }).end();
    });
    const store = { endpoint: server.origin, region: "r", accessKeyId: "a", secretAccessKey: "s" };
    await assert.rejects(probeOf(store), ProbeFailed);
    assert.equal(reached, 0);
  });
});

/** Answers as Azure does to a part. */
class NamelessParts extends SignedRequests {
  status = 201;

  override async put(...given: Parameters<SignedRequests["put"]>): Promise<SignedReply> {
    const reply = await super.put(...given);
    return reply.status === 200 ? { ...reply, status: this.status, etag: undefined } : reply;
  }
}
