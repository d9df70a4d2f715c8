import { LosslessClient } from "../../client/src/index.ts";
import { median } from "./measure.ts";

/** Reads the series of an experiment by the client, as columns and as lines in turn. */
const [experimentId, rounds] = process.argv.slice(2);
const { LOSSLESS_URL: baseUrl = "", LOSSLESS_API_KEY: apiKey = "" } = process.env;
const clients = {
  columns: new LosslessClient({ baseUrl, apiKey }),
  lines: new LosslessClient({
    baseUrl,
    apiKey,
    fetch: (input, init) => {
      const headers = new Headers(init?.headers);
      headers.set("accept", "application/x-ndjson");
      return fetch(input, { ...init, headers });
    },
  }),
};
const found = { columns: { cpu: [], wall: [] }, lines: { cpu: [], wall: [] } } as Record<
  string,
  { cpu: number[]; wall: number[] }
>;
for (let round = 0; round <= Number(rounds); round++) {
  for (const [form, client] of Object.entries(clients)) {
    const [began, used] = [performance.now(), process.cpuUsage()];
    let points = 0;
    for await (const { value } of client.series({ experimentId })) points += value.length;
    const { user, system } = process.cpuUsage(used);
    if (points === 0) throw new Error("the experiment has no points");
    if (round === 0) continue;
    found[form].cpu.push((user + system) / 1e6);
    found[form].wall.push((performance.now() - began) / 1_000);
  }
}
const medians = Object.entries(found).map(([form, { cpu, wall }]) => [
  form,
  { cpu: median(cpu), wall: median(wall) },
]);
console.log(JSON.stringify(Object.fromEntries(medians)));
