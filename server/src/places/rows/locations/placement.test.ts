import assert from "node:assert/strict";
import { suite, test } from "node:test";
import fc from "fast-check";
import { chooseLocation } from "./placement.ts";
import type { StoredLocation } from "./location.ts";

function location(id: string, given: Partial<StoredLocation> = {}): StoredLocation {
  return {
    id,
    organizationId: "o",
    driver: "s3",
    name: id,
    cloud: "aws",
    region: "east",
    endpoint: "https://s3.test",
    bucket: id,
    path: "",
    connection: null,
    access: null,
    signingRegion: "r",
    pathStyle: true,
    accessKeyId: "a",
    sealedSecret: null,
    capabilities: {},
    isFallback: false,
    isDefault: false,
    state: "active",
    createdAtMs: 0,
    ...given,
  };
}

const aws = { cloud: "aws", region: "east" };
const east = location("east");
const eastToo = location("east too");
const west = location("west", { region: "west", isDefault: true });
const gcp = location("gcp", { cloud: "gcp", region: "europe" });
const home = location("home", { cloud: "local", region: "local", isFallback: true });

/** Name and match of the choice, and whether there is a warning. */
function chosen(
  locations: StoredLocation[],
  place: { cloud: string; region: string },
  exclude: string[] = [],
): string {
  const choice = chooseLocation(locations, place, exclude);
  if (choice === undefined) return "not ready";
  const { candidate, warning } = choice;
  return `${candidate.location.name}, ${candidate.match}${warning === null ? "" : ", warned"}`;
}

suite("placement (A16, A17)", () => {
  test("what is excluded is skipped with a warning that names it", () => {
    const all = [home, west, east, eastToo, gcp];
    assert.equal(chosen(all, aws, ["east"]), "east too, region, warned");
    assert.equal(chosen(all, aws, ["east", "east too"]), "west, cloud, warned");
    assert.equal(chosen(all, aws, ["east", "east too", "west"]), "home, null, warned");
    assert.equal(chosen(all, aws, ["east", "east too", "west", "home"]), "not ready");
    assert.equal(chosen(all, aws, ["gcp", "none"]), "east, region");
    const { warning } = chooseLocation(all, aws, ["east", "east too", "west"])!;
    assert.equal(
      warning,
      'The version goes to "home", the fallback, because "east", "east too", "west" failed or was excluded.',
    );
  });

  test("one location in several parts counts once, by the best of them", () => {
    const one = location("one", { isDefault: true, isFallback: true });
    assert.equal(chosen([one], aws), "one, region");
    assert.equal(chosen([one], { cloud: "aws", region: "x" }), "one, cloud");
    assert.equal(chosen([one], { cloud: "x", region: "x" }), "one, null");
    assert.equal(chosen([one], aws, ["one"]), "not ready");
  });

  test("the choice is active and not excluded, and warned of when better ones were skipped", () => {
    const word = fc.constantFrom("a", "b");
    const locations = fc
      .array(
        fc.record({
          cloud: word,
          region: word,
          isDefault: fc.boolean(),
          isFallback: fc.boolean(),
          state: fc.constantFrom("active" as const, "retired" as const),
        }),
        { maxLength: 6 },
      )
      .map((all) => all.map((given, index) => location(`${index}`, given)));
    const exclude = fc.uniqueArray(fc.constantFrom<string[]>("0", "1", "2", "3"));
    fc.assert(
      fc.property(locations, word, word, exclude, (all, cloud, region, excluded) => {
        const choice = chooseLocation(all, { cloud, region }, excluded);
        const free = chooseLocation(all, { cloud, region }, []);
        if (choice === undefined) return;
        assert.ok(all.some(({ isFallback, state }) => isFallback && state === "active"));
        assert.ok(!excluded.includes(choice.candidate.location.id));
        assert.equal(choice.candidate.location.state, "active");
        const isBest = free!.candidate.location === choice.candidate.location;
        assert.equal(choice.warning === null, isBest);
        assert.equal(free!.warning, null);
      }),
    );
  });
});
