import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { columnRecord } from "../../test/column-records.ts";
import { type Fault, FakeService } from "../test/fake-service.ts";
import {
  EventError,
  IncompleteStreamError,
  LosslessClient,
  ProtocolError,
  type SeriesBlock,
} from "./index.ts";

const retry = { firstDelayMs: 1, longestDelayMs: 5, retryForMs: 60_000 };

type Line = { event: string; data: Record<string, unknown> };
type Form = "lines" | "columns";

function data(seriesName: string, steps: number[], metadata: Record<string, string> = {}): Line {
  const columns = {
    step: steps,
    timestampMs: steps.map((s) => s * 10),
    value: steps.map((s) => s / 3),
  };
  return {
    event: "svc.v2.query.series.data",
    data: { experimentId: "e", seriesName, metadata, data: columns },
  };
}
function summary(seriesName: string, batches: number, points: number): Line {
  const event = "svc.v2.query.experimentseries.series";
  return { event, data: { experimentId: "e", seriesName, batches, points } };
}
function done(series: number, batches: number, points: number): Line {
  return { event: "svc.v2.query.experimentseries.done", data: { series, batches, points } };
}

interface Answer {
  lines: Line[];
  breaks?: boolean;
  /** Bytes missing at the end. */
  cut?: number;
  /** Place of a byte that is changed. */
  changed?: number;
  form?: Form;
}

/**
 * A service that answers the n-th stream with the n-th list of lines, and later ones with the last.
 */
async function streaming(form: Form, ...answers: (Answer | Fault)[]) {
  const service = await FakeService.start();
  service.fault = (_, number) => {
    const answer = answers[Math.min(number, answers.length) - 1];
    if (answer === undefined || "kind" in answer) return answer;
    const lines = (correlationId: string) => [streamed(answer.form ?? form, correlationId, answer)];
    return { kind: "stream", lines, breaks: answer.breaks ?? false };
  };
  const client = new LosslessClient({ baseUrl: service.url, apiKey: "ak_test", retry });
  return { service, client, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
}

function streamed(form: Form, correlationId: string, answer: Answer): Buffer {
  const records = answer.lines.map((line, at) => ({ messageId: `r${at}`, correlationId, ...line }));
  const whole = Buffer.concat(
    records.map((record) =>
      form === "lines" ? Buffer.from(`${JSON.stringify(record)}\n`) : columnRecord(record),
    ),
  );
  if (answer.changed !== undefined) whole[answer.changed] ^= 1;
  return whole.subarray(0, whole.length - (answer.cut ?? 0));
}

async function blocks(stream: AsyncIterable<SeriesBlock>): Promise<SeriesBlock[]> {
  const all: SeriesBlock[] = [];
  for await (const block of stream) all.push(block);
  return all;
}

const good = [
  data("a", [1, 2], { split: "x" }),
  data("b", [7]),
  data("a", [3], { split: "x" }),
  data("a", [1], { split: "y" }),
  summary("a", 3, 4),
  summary("b", 1, 1),
  done(2, 4, 5),
];

for (const form of ["lines", "columns"] as const)
  suite(`series as ${form}`, () => {
    test("gives the blocks of a complete stream as they come", async () => {
      await using fixture = await streaming(form, { lines: good });
      const all = await blocks(fixture.client.series({ experimentId: "e" }));
      assert.deepEqual(
        all.map((block) => [block.seriesName, block.step]),
        [
          ["a", [1, 2]],
          ["b", [7]],
          ["a", [3]],
          ["a", [1]],
        ],
      );
      const [request] = fixture.service.requests;
      assert.deepEqual(request?.envelopes[0]?.data, {
        experimentId: "e",
        filter: [],
        xAxis: "step",
      });
    });

    test("joins consecutive blocks of one partition", async () => {
      await using fixture = await streaming(form, { lines: good });
      const partitions = await fixture.client.collectSeries({ experimentId: "e" });
      assert.deepEqual(
        partitions.map(({ seriesName, metadata, step }) => [seriesName, metadata, step]),
        [
          ["a", { split: "x" }, [1, 2, 3]],
          ["b", {}, [7]],
          ["a", { split: "y" }, [1]],
        ],
      );
      assert.deepEqual(partitions[0]?.value, [1 / 3, 2 / 3, 1]);
    });

    const faulty: [string, Answer][] = [
      ["no done", { lines: good.slice(0, -1) }],
      ["half of the done record", { lines: good, cut: 20 }],
      ["too few points in done", { lines: [...good.slice(0, -1), done(2, 4, 4)] }],
      ["too many batches in done", { lines: [...good.slice(0, -1), done(2, 5, 5)] }],
      ["another number of series", { lines: [...good.slice(0, -1), done(3, 4, 5)] }],
      [
        "a summary that does not add up",
        { lines: [data("a", [1]), summary("a", 1, 2), done(1, 1, 1)] },
      ],
      ["a series without summary", { lines: [data("a", [1]), done(0, 1, 1)] }],
      ["data after its summary", { lines: [data("a", [1]), summary("a", 1, 1), data("a", [2])] }],
    ];
    for (const [name, answer] of faulty) {
      test(`${name}: throws, and collecting reads again from the start`, async () => {
        await using fixture = await streaming(form, answer, answer, { lines: good });
        await assert.rejects(
          blocks(fixture.client.series({ experimentId: "e" })),
          IncompleteStreamError,
        );
        const partitions = await fixture.client.collectSeries({ experimentId: "e" });
        assert.equal(partitions[0]?.step.length, 3, "nothing is doubled");
        assert.equal(fixture.service.requests.length, 3);
      });
    }

    test("a connection that breaks in the middle is an error, and collecting reads again", async () => {
      await using fixture = await streaming(
        form,
        { lines: good.slice(0, 3), breaks: true },
        { lines: good.slice(0, 3), breaks: true },
        { lines: good },
      );
      await assert.rejects(blocks(fixture.client.series({ experimentId: "e" })), /cannot reach/);
      const partitions = await fixture.client.collectSeries({ experimentId: "e" });
      assert.equal(partitions.length, 3);
    });

    test("an error record ends the stream; a retryable one is tried again by collecting", async () => {
      const failure = (code: string, status: number): Line => ({
        event: "svc.v2.error",
        data: { code, message: code, status, retryable: status >= 500, details: {} },
      });
      const broken = { lines: [data("a", [1]), failure("shutting_down", 503)] };
      await using fixture = await streaming(form, broken, broken, { lines: good });
      await assert.rejects(blocks(fixture.client.series({ experimentId: "e" })), EventError);
      assert.equal((await fixture.client.collectSeries({ experimentId: "e" })).length, 3);
    });

    test("records of another query, columns of unequal length and text after done are refused", async () => {
      const unequal = data("a", [1, 2]);
      (unequal.data["data"] as { step: number[] }).step.pop();
      for (const lines of [
        ...(form === "lines" ? [[unequal]] : []),
        [...good, data("a", [9])],
        [{ event: "svc.v2.query.series.new", data: {} }],
        [{ ...good[0], correlationId: "other" } as Line],
      ]) {
        await using fixture = await streaming(form, { lines });
        await assert.rejects(blocks(fixture.client.series({ experimentId: "e" })), ProtocolError);
      }
    });

    test("leaving the loop early closes the connection", async () => {
      await using fixture = await streaming(form, { lines: good, breaks: true });
      for await (const block of fixture.client.series({ experimentId: "e" })) {
        assert.deepEqual(block.step, [1, 2]);
        break;
      }
    });
  });

suite("series as columns or lines", () => {
  const read = async (client: LosslessClient) =>
    (await client.collectSeries({ experimentId: "e" })).map(({ step, value }) => [step, value]);

  test("a stream that ends anywhere is known to be incomplete", async () => {
    const { length } = streamed("columns", "c".repeat(36), { lines: good });
    const whole = { lines: good };
    await using fixture = await streaming("columns", whole);
    const wanted = await read(fixture.client);
    let cut = 0;
    fixture.service.fault = (request) => ({
      kind: "stream",
      lines: (id) => [streamed("columns", id, { ...whole, cut: request.accept === "" ? 0 : cut })],
    });
    // Each place within the last records, and some in those before.
    for (cut = 1; cut < length; cut += cut < 400 ? 1 : 97) {
      await assert.rejects(
        blocks(fixture.client.series({ experimentId: "e" })),
        IncompleteStreamError,
        `${cut} bytes are missing`,
      );
    }
    cut = 0;
    assert.deepEqual(await read(fixture.client), wanted);
  });

  test("the same values arrive in both forms, in pieces of any size", async () => {
    const values = [5e-324, -1.7976931348623157e308, 0.1 + 0.2, 2 ** 53 + 2];
    const odd = data("é", [0, 1, 2, 2 ** 53 - 2], { "": "ü" });
    Object.assign(odd.data["data"] as object, { value: values });
    const lines = [odd, summary("é", 1, 4), done(1, 1, 4)];
    for (const size of [1, 3, 16, 1000]) {
      await using fixture = await streaming("columns", { lines });
      fixture.service.fault = () => ({
        kind: "stream",
        lines: (id) => {
          const whole = streamed("columns", id, { lines });
          const starts = Array.from({ length: Math.ceil(whole.length / size) }, (_, at) => at);
          return starts.map((at) => whole.subarray(at * size, (at + 1) * size));
        },
      });
      const [block] = await fixture.client.collectSeries({ experimentId: "e" });
      assert.deepEqual(block, {
        seriesName: "é",
        metadata: { "": "ü" },
        step: [0, 1, 2, 2 ** 53 - 2],
        timestampMs: [0, 10, 20, (2 ** 53 - 2) * 10],
        value: values,
      });
    }
  });

  test("a proxy that changes or refuses columns gets lines to pass on", async () => {
    const bad: (Answer | Fault)[] = [
      { lines: good, changed: 200 },
      { lines: good, changed: 4 },
      { kind: "status", status: 406, code: "unknown" },
    ];
    for (const answer of bad) {
      await using fixture = await streaming("columns", answer, { lines: good, form: "lines" });
      assert.equal((await read(fixture.client)).length, 3);
      assert.equal((await read(fixture.client)).length, 3);
      assert.deepEqual(
        fixture.service.requests.map(({ accept }) => accept),
        [
          "application/vnd.lossless.columns; version=1, application/x-ndjson;q=0.9",
          "application/x-ndjson",
          "application/x-ndjson",
        ],
      );
    }
  });
});
