import assert from "node:assert/strict";
import { before, test } from "node:test";
import { type EndpointDefinition, type EndpointName, endpoints } from "@lossless/protocol";
import { type HttpReply, ok, parseObject } from "../../http.ts";
import { organizations } from "../../service.ts";
import { IdentityProvider } from "../../sign-on/identity-provider.ts";
import { setSignOn, signOnBody } from "../../sign-on/sign-on-calls.ts";
import { observed } from "../callers.ts";
import { signIn } from "../people.ts";
import { topic } from "../topic.ts";
import { untilSummarized } from "../views-v1/table-calls.ts";
import { fillAcme, type Things, unknownOf } from "./of-acme.ts";
import { type Asked, credentialOfAcme, ofOneself, requestsOf, requestTo } from "./requests.ts";

const definitions: Record<EndpointName, EndpointDefinition> = endpoints;
const names = Object.keys(endpoints) as EndpointName[];

/** Statuses that acme itself gets for reasons unrelated to ownership. */
const refusedToAll: Partial<Record<EndpointName, readonly number[]>> = {
  // The parts' tags are wrong; no cloud answers; the slug was not purged; no bucket takes parts.
  commitUpload: [400],
  completeConnection: [400, 409, 502],
  createLocation: [400, 409],
  freeSlug: [404, 409],
  mlflowStartParts: [501],
  mlflowCompleteParts: [400, 404, 501],
  mlflowAbortParts: [400, 404, 501],
};

const grows = new Set<EndpointName>(["readUsage", "readUsageView"]);

topic(
  "what another organization has",
  (system) => {
    let things: Things;
    let unknown: Things;
    let scim: string;
    let owner: string;
    const rivals = new Map<string, string>();

    before(async () => {
      ({ things, scim } = await fillAcme(system));
      unknown = unknownOf(things);
      owner = await signIn(system, "ada");
      const rita = await signIn(system, "rita");
      const ask = (path: string, body: unknown) =>
        observed(system, { method: "POST", path, body, credential: rita });
      const tokenOf = async (scope: string): Promise<string> =>
        String(
          ok(await ask("/api/sign-on/v1/tokens", { name: scope, scope, days: 1 }), 201).secret,
        );
      await using provider = await IdentityProvider.start([`${system.baseUrl}/`]);
      await setSignOn(system, rita, signOnBody(provider.issuer));
      const ofProvider = await ask("/api/sign-on/v1/scim", undefined);
      rivals.set("a key", organizations.rival.key);
      rivals.set("an owner", rita);
      rivals.set("an owner's token", await tokenOf("role"));
      rivals.set("a token to read", await tokenOf("read"));
      rivals.set("an experiment's token", (await system.rival.open()).token);
      rivals.set("an identity provider", String(parseObject(ofProvider.text).secret));
    });

    function send(name: EndpointName, asked: Asked, credential: string): Promise<HttpReply> {
      return observed(system, { ...requestTo(name, asked), credential });
    }

    /** The status, and all that is said, but for what differs between any two requests. */
    function told(name: EndpointName, { status, text }: HttpReply, asked: Things): string {
      // A new thing has an id and times of its own.
      if (status < 400 && !isRead(name) && name !== "organizationEvents") return String(status);
      let plain = steady(text);
      const longestFirst = Object.entries(asked).sort((a, b) => b[1].length - a[1].length);
      for (const [kind, value] of longestFirst) {
        if (value.length > 3) plain = plain.replaceAll(value, `{${kind}}`);
      }
      const differs = /"messageId":"[^"]*"|"correlationId":"[^"]*"|request_id=[\w-]+|mine-[\w-]+/g;
      return `${status} ${plain.replaceAll(differs, "")}`;
    }

    /**
     * Whether an operation reads: a write under a name of acme's makes a thing of the writer's own.
     */
    const isRead = (name: EndpointName) => definitions[name].method === "GET";
    const readsFirst = () => [...names.filter(isRead), ...names.filter((name) => !isRead(name))];

    /** Everything that acme can read, but for what grows with each of these reads. */
    async function state(): Promise<Map<string, string>> {
      const read = new Map<string, string>();
      for (const name of names.filter((one) => isRead(one) && !grows.has(one))) {
        for (const asked of requestsOf(things)[name] ?? []) {
          const reply = await send(name, asked, credentialFor(name));
          read.set(`${name} ${JSON.stringify(asked)}`, `${reply.status} ${steady(reply.text)}`);
        }
      }
      return read;
    }

    function credentialFor(name: EndpointName): string {
      return credentialOfAcme(name, { owner, scim, experimentToken: things.experimentToken });
    }

    test("each operation that takes a credential has a request that names what it can", () => {
      const requests = requestsOf(things);
      const lacking = names.filter(
        (name) =>
          definitions[name].credentials.length > 0 &&
          requests[name] === undefined &&
          !ofOneself.includes(name),
      );
      assert.deepEqual(lacking, []);
    });

    test("is to everybody else what does not exist, and stays as it was", async () => {
      await untilSummarized(system, system.acme);
      const atFirst = await state();
      const faults: string[] = [];
      for (const name of readsFirst()) {
        const count = requestsOf(things)[name]?.length ?? 0;
        for (let at = 0; at < count; at++) {
          for (const [who, credential] of rivals)
            faults.push(...(await compare(name, at, who, credential)));
        }
      }
      assert.deepEqual(faults, []);
      const after = await state();
      for (const [what, was] of atFirst) assert.equal(after.get(what), was, what);
    });

    /** Compares replies about acme's things with replies about things that do not exist. */
    async function compare(
      name: EndpointName,
      at: number,
      who: string,
      credential: string,
    ): Promise<string[]> {
      const [asked, alike] = [requestsOf(things)[name]![at], requestsOf(unknown)[name]![at]];
      const seen = await send(name, asked, credential);
      const same = await send(name, alike, credential);
      const faults = leaks(seen, asked).map((kind) => `${kind} in ${seen.text}`);
      const [one, other] = [told(name, seen, things), told(name, same, unknown)];
      if (one !== other) faults.push(`${one}\n  and not ${other}`);
      return faults.map((fault) => `${name} ${JSON.stringify(asked)} by ${who}: ${fault}`);
    }

    /** Parts of acme's data that a reply has and its request did not. */
    function leaks({ text }: HttpReply, asked: Asked): string[] {
      const said = JSON.stringify(asked);
      return Object.entries(things).flatMap(([kind, value]) =>
        value.length > 3 && text.includes(value) && !said.includes(value) ? [kind] : [],
      );
    }

    test("what is read by these requests is there: acme sees it", async () => {
      const blind: string[] = [];
      for (const name of names.filter(isRead)) {
        for (const [at, asked] of (requestsOf(things)[name] ?? []).entries()) {
          const alike = requestsOf(unknown)[name]![at];
          if (JSON.stringify(asked) === JSON.stringify(alike)) continue;
          const seen = told(name, await send(name, asked, credentialFor(name)), things);
          const none = told(name, await send(name, alike, credentialFor(name)), unknown);
          if (seen === none) blind.push(`${name} ${JSON.stringify(asked)}: ${seen.slice(0, 300)}`);
        }
      }
      assert.deepEqual(blind, []);
    });

    test("these requests are good: acme is not refused", async () => {
      const faults: string[] = [];
      for (const [name, all] of Object.entries(requestsOf(things)) as [EndpointName, Asked[]][]) {
        for (const asked of all) {
          const { status, text } = await send(name, asked, credentialFor(name));
          const isFine = status < 400 && !text.includes('"svc.v2.error"');
          if (isFine || refusedToAll[name]?.includes(status)) continue;
          faults.push(`${name} ${JSON.stringify(asked)}: ${status} ${text.slice(0, 300)}`);
        }
      }
      assert.deepEqual(faults, []);
    });
  },
  { flags: ["--auth-failure-limit", "100000"], allowPrivate: ["127.0.0.0/8"] },
);

/** Without times of use, addresses that are signed anew, and what follows another's asking. */
function steady(text: string): string {
  return text
    .replaceAll(
      /"(lastUsed\w*|lastSeen\w*|lookedAtMs|expires\w*|url|address|asOfMs|requestId)":("[^"]*"|\d+|null)/g,
      "",
    )
    .replaceAll(/"messageId":"[^"]*"/g, "");
}
