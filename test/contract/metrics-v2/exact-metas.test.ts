import assert from "node:assert/strict";
import { test } from "node:test";
import { call } from "../../http.ts";
import { event, type EventCaller, type RequestEvent, uniqueName } from "../callers.ts";
import { topic } from "../topic.ts";

/** 2^53 + 1 is the first integer a double rounds; the last two have over 64 bits, or are none. */
const metaText =
  '{"seed":1234567890123456789,"least":9007199254740993,"list":[-98765432109876543210,{"x":18446744073709551615}],' +
  '"largest":9007199254740991,"text":"1234567890123456789","float":1e+300,"half":0.5}';

topic("metas with integers beyond 2^53", (system) => {
  /** The events with the text in place of the meta; gives the text of the reply. */
  async function sent(caller: EventCaller, ...events: RequestEvent[]): Promise<string> {
    const text = JSON.stringify(events).replaceAll('"META"', metaText);
    const { path, credential } = caller;
    const reply = await call(system.baseUrl, { path, credential, body: text });
    assert.equal(reply.status, 200, reply.text);
    assert.doesNotMatch(reply.text, /svc\.v2\.error/);
    return reply.text;
  }

  test("open, error and annotate give back every digit, alone and in a batch", async () => {
    const slug = uniqueName("exact");
    const meta = "META" as never;
    const opened = event("experiment.open", { slug, description: "", meta });
    await sent(
      system.acme,
      opened,
      event("folder.create", { name: uniqueName("f"), parentFolderId: null }),
    );
    const experiment = await system.acme.open(uniqueName("annotated"));
    const { experimentId } = experiment;
    const note = { annotation: "a", meta };
    const plain = { annotation: "b", meta: { seed: 1 } };
    await sent(
      experiment,
      experiment.event("annotate", note),
      experiment.event("annotate", plain),
      experiment.event("error", { error: "x", meta }),
    );
    const record = await sent(system.acme, event("query.experiment", { experimentSlug: slug }));
    assert.ok(record.includes(`"meta":${metaText}`), record);
    const failed = await sent(system.acme, event("query.experiment", { experimentId }));
    assert.ok(failed.includes(`"errorMeta":${metaText}`), failed);
    const several = await sent(
      system.acme,
      event("query.experiments", { experimentIds: [experimentId] }),
    );
    assert.ok(several.includes(`"errorMeta":${metaText}`), several);
    const notes = await sent(system.acme, event("query.annotations", { experimentId }));
    assert.ok(notes.includes(`"meta":${metaText}`) && notes.includes(`"meta":{"seed":1}`), notes);
  });

  test("64 KiB are counted with all digits", async () => {
    const digits = "9".repeat(300);
    const count = Math.floor(65_536 / 301);
    const experiment = await system.acme.open();
    const body = JSON.stringify(experiment.event("annotate", { annotation: "a", meta: {} }));
    const status = async (numbers: number) => {
      const meta = `{"x":[${Array(numbers).fill(digits).join(",")}]}`;
      const text = body.replace('"meta":{}', `"meta":${meta}`);
      const { path, credential } = experiment;
      return (await call(system.baseUrl, { path, credential, body: text })).status;
    };
    assert.deepEqual([await status(count - 1), await status(count + 1)], [200, 400]);
  });
});
