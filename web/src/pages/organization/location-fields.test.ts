import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { locationBody } from "./location-fields.ts";

suite("the body of a new location", () => {
  const form = (values: Record<string, string>) =>
    ({ get: (name: string) => values[name] ?? null }) as FormData;
  const filled = {
    endpoint: " https://s3.example ",
    bucket: "models",
    path: "",
    signingRegion: "auto",
    accessKeyId: "id",
    secretAccessKey: "secret\n",
    cloud: "here",
    region: "there",
    name: "",
  };

  test("of a store has what was typed without spaces around it, and no empty name", () => {
    assert.deepEqual(locationBody("s3", form({ ...filled, pathStyle: "on" })), {
      kind: "s3",
      endpoint: "https://s3.example",
      bucket: "models",
      path: "",
      signingRegion: "auto",
      accessKeyId: "id",
      secretAccessKey: "secret",
      cloud: "here",
      region: "there",
      pathStyle: true,
      fallback: false,
    });
    assert.equal(
      (locationBody("s3", form({ ...filled, fallback: "on" })) as { fallback?: boolean }).fallback,
      true,
    );
  });

  test("of one that is made names its connection", () => {
    assert.deepEqual(
      locationBody("created", form({ connection: "c", region: "europe-west4", name: "n" })),
      { kind: "created", connection: "c", region: "europe-west4", name: "n" },
    );
  });
});
