import assert from "node:assert/strict";
import { before, test } from "node:test";
import { type EndpointDefinition, type EndpointName, endpoints } from "@lossless/protocol";
import { PatchedCheckout } from "../../crash/patched-checkout.ts";
import { type HttpReply, type JsonObject, ok } from "../../http.ts";
import { organizations, Service } from "../../service.ts";
import { event, observed, OrganizationCaller, type Target, targetOf } from "../callers.ts";
import { signIn } from "../people.ts";
import { ownServices, topic } from "../topic.ts";
import { untilSummarized } from "../views-v1/table-calls.ts";
import { fillAcme, type Things } from "./of-acme.ts";
import { type Asked, requestsOf, requestTo } from "./requests.ts";

const definitions: Record<EndpointName, EndpointDefinition> = endpoints;
/** Operations to which a credential means something. */
const names = (Object.keys(endpoints) as EndpointName[]).filter(
  (name) =>
    definitions[name].credentials.length > 0 &&
    !definitions[name].credentials.includes("signature"),
);
const flags = ["--auth-failure-limit", "100000", "--rate-limit", "0"];
const settings = { flags, allowPrivate: ["127.0.0.0/8"] };

type System = Target & { acme: OrganizationCaller };

/** Guests of one experiment, with all that a link may show, of a report, and of a review. */
async function guestsOf(system: System): Promise<{ experimentId: string; guests: Guests }> {
  const owner = await signIn(system, "ada");
  const ask = (path: string, body: unknown) =>
    observed(system, { method: "POST", path, body, credential: owner });
  const shown = await system.acme.open("shown", "A description", { lr: 0.5, who: "somebody" });
  await shown.send(shown.metric({ meta: { host: "machine" } }));
  const { experimentId } = shown;
  const blocks = [
    { kind: "text", markdown: "Shown" },
    { kind: "table", query: "slug = shown", columns: "", sort: "", limit: 10 },
  ];
  const named = { name: "Shown", scope: "shared", blocks };
  const { id: reportId } = ok(await ask("/api/views/v1/reports", named), 201);
  const all = { showsConsole: true, showsFiles: true };
  const link = async (body: JsonObject): Promise<string> => {
    const made = await ask("/api/guests/v1/links", { name: "link", days: 1, ...body });
    return new URL(ok(made, 201).address as string).hash.slice(1);
  };
  const experimentIds = [experimentId];
  return {
    experimentId,
    guests: {
      "of an experiment": await link({ experimentIds, ...all }),
      "of a report": await link({ reportId, ...all }),
      "for review": await link({ experimentIds, isAnonymous: true, showsConsole: true }),
    },
  };
}

type Guests = Record<"of an experiment" | "of a report" | "for review", string>;

/**
 * Answers to guests about things that their links do not show: everything that operations can name
 * has one word, which must be in no answer.
 */
async function leaksTo(system: Target, things: Things, guests: Guests): Promise<string[]> {
  const leaks: string[] = [];
  for (const name of names) {
    for (const asked of requestsOf(things)[name] ?? []) {
      for (const [who, credential] of Object.entries(guests)) {
        const { status, text } = await send(system, name, asked, credential);
        if (text.includes(things.word) || (status < 300 && changes(name)))
          leaks.push(`${name} ${JSON.stringify(asked)} by a guest ${who}: ${status} ${text}`);
      }
    }
  }
  return leaks;
}

function changes(name: EndpointName): boolean {
  const { method, path } = definitions[name];
  return method !== "GET" && !/^\/api\/(?:views|console|attempts)\/|^\/api\/v2\/events/.test(path);
}

function send(
  system: Target,
  name: EndpointName,
  asked: Asked,
  credential: string,
): Promise<HttpReply> {
  return observed(system, { ...requestTo(name, asked), credential });
}

topic(
  "guests",
  (system) => {
    let things: Things;
    let experimentId: string;
    let guests: Guests;

    before(async () => {
      ({ things } = await fillAcme(system));
      ({ experimentId, guests } = await guestsOf(system));
      await untilSummarized(system, system.acme);
    });

    test("see nothing that their link does not show, by any operation", async () => {
      assert.deepEqual(await leaksTo(system, things, guests), []);
    });

    test("see what it shows", async () => {
      const series = [{ experimentId, seriesName: "loss" }];
      const seen: Partial<Record<EndpointName, Asked>> = {
        organizationEvents: { body: [event("query.experiment", { experimentId })] },
        readOverview: { body: { series, xAxis: "step", columns: 10 } },
        readGroups: { body: { seriesName: "loss", by: [], xAxis: "step", columns: 10 } },
        readPoints: { body: { series, xAxis: "step", pointsMax: 10 } },
        readPointsCsv: { query: { experimentId, seriesName: "loss", xAxis: "step" } },
        readChanges: { body: { experiments: [{ experimentId, revision: 0 }], waitMs: 0 } },
        readTable: { body: { limit: 10 } },
        readDifference: { body: { experimentIds: [experimentId] } },
        readNewAnnotations: { query: { experimentId } },
        readFolders: {},
        listSavedViews: {},
        readExperimentArtifacts: { query: { experimentId } },
        readConsole: { body: { experimentId } },
        readLoggedNames: { body: { experimentIds: [experimentId] } },
        readGuestVisit: {},
      };
      for (const [name, asked] of Object.entries(seen) as [EndpointName, Asked][]) {
        for (const [who, credential] of Object.entries(guests)) {
          const { status, text } = await send(system, name, asked, credential);
          assert.equal(status, 200, `${name} by a guest ${who}: ${text}`);
          assert.doesNotMatch(text, /svc\.v2\.error/, text);
        }
      }
      for (const credential of Object.values(guests)) {
        const grouped = await send(system, "readGroups", seen.readGroups!, credential);
        const { experiments, groups } = ok<{ experiments: number; groups: JsonObject[] }>(grouped);
        assert.deepEqual([experiments, groups.map(({ points }) => points)], [1, [1]]);
      }
      const found = await send(system, "readTable", seen.readTable!, guests["of an experiment"]);
      const { rows, total } = ok<{ rows: JsonObject[]; total: number }>(found);
      assert.deepEqual([rows.map(({ slug }) => slug), total], [["shown"], 1]);
    });

    test("cannot talk a query out of its brackets", async () => {
      const { word } = things;
      for (const query of ["id != x", `slug ~ ${word} or id != x`, "a) or (id != x", 'x" or "y']) {
        const asked = { body: { query, limit: 100, columns: [`meta.${word}`] } };
        const { text } = await send(system, "readTable", asked, guests["of an experiment"]);
        assert.doesNotMatch(text, new RegExp(`"slug":"(?!shown)|${word}/`), `${query}: ${text}`);
      }
    });

    test("for review see neither names nor texts", async () => {
      const series = [{ experimentId, seriesName: "loss" }];
      const read = ["query.experiment", "query.catalog", "query.attributes"];
      const asked: Partial<Record<EndpointName, Asked>> = {
        organizationEvents: { body: read.map((name) => event(name, { experimentId })) },
        readOverview: { body: { series, xAxis: "step", columns: 10 } },
        readPoints: { body: { series, xAxis: "step", pointsMax: 10 } },
        readTable: { body: { limit: 10, columns: ["meta.who", "meta.lr", "description"] } },
        readDifference: { body: { experimentIds: [experimentId], equalKeys: true } },
        readGuestVisit: {},
      };
      for (const [name, one] of Object.entries(asked) as [EndpointName, Asked][]) {
        const { status, text } = await send(system, name, one, guests["for review"]);
        assert.equal(status, 200, text);
        assert.doesNotMatch(
          text,
          /shown"|somebody|description"\s*:\s*"A|machine|acme/,
          `${name}: ${text}`,
        );
      }
      const table = await send(system, "readTable", asked.readTable!, guests["for review"]);
      const [row] = ok<{ rows: JsonObject[] }>(table).rows;
      assert.deepEqual([row?.slug, row?.values], ["run 1", [null, 0.5, null]]);
      const refused = await send(
        system,
        "readAttempts",
        { body: { experimentId } },
        guests["for review"],
      );
      assert.equal(refused.status, 403, refused.text);
    });
  },
  settings,
);

ownServices("guests, of a service with a fault", () => {
  const faults = [
    {
      name: "an operation whose request nobody judges",
      find: "readPoints: { admits: ofSeries,",
      replace: "readPoints: { admits: () => true,",
      told: /^readPoints /,
    },
    {
      name: "an operation of the whole organization",
      find: "  readGuestVisit: { admits: () => true,",
      replace: "  readFields: { admits: () => true },\n  readGuestVisit: { admits: () => true,",
      told: /^readFields /,
    },
  ];
  for (const { name, find, replace, told } of faults) {
    test(`${name} is noticed`, async () => {
      const file = "server/src/http/callers/guest-scope.ts";
      using checkout = new PatchedCheckout([{ file, find, replace }]);
      const { directory } = checkout;
      await using service = await Service.start({ ...settings, people: true, checkout: directory });
      const system = { ...targetOf(service), baseUrl: service.baseUrl };
      const acme = new OrganizationCaller(system, organizations.acme.key);
      const { things } = await fillAcme({ ...system, acme });
      const { guests } = await guestsOf({ ...system, acme });
      const leaks = await leaksTo(system, things, guests);
      assert.ok(leaks.length > 0);
      for (const leak of leaks) assert.match(leak, told);
    });
  }
});
