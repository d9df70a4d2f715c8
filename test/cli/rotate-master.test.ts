import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suite, test } from "node:test";
import { ArtifactCaller } from "../contract/artifact-caller.ts";
import { locationBody, startStore } from "../contract/organization-setup.ts";
import { Writer } from "../contract/writer.ts";
import { organizations, Service } from "../service.ts";
import { finished, start } from "./command-line.ts";

suite("lossless keys rotate-master", () => {
  test("waits for the service to stop; afterwards its locations work with the new key", async () => {
    await using store = await startStore();
    const locations = [locationBody(store, { fallback: true })];
    const allowPrivate = ["127.0.0.0/8"];
    await using service = await Service.start({ locations, allowPrivate });
    const key = join(service.dataDirectory, "master.key");
    const before = readFileSync(key);
    const rotate = () =>
      finished(start("", ["keys", "rotate-master", "--data", service.dataDirectory, "--json"]));
    assert.equal((await rotate()).code, 3);
    assert.equal(await service.stop(), 0);
    const { code, stdout, stderr } = await rotate();
    assert.equal(code, 0, stderr);
    assert.equal((JSON.parse(stdout) as { resealed: number }).resealed, 1);
    assert.notDeepEqual(readFileSync(key), before);

    await service.start();
    const target = { baseUrl: service.baseUrl, observe: () => {} };
    const writer = await Writer.open(new ArtifactCaller(target, organizations.acme.key));
    await writer.write("v1");
    assert.equal(store.objects("models").size, 2, "the file and the manifest");
  });
});
