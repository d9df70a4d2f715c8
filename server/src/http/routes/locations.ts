import { limits } from "@lossless/protocol/limits";
import type { Location, OrganizationView, UsageReply } from "@lossless/protocol";
import { connectionRecord } from "../../connections/record.ts";
import { locationRecord } from "../../locations/location.ts";
import { writeOne } from "../../storage/storage.ts";
import { ReplyText } from "../../versions/reply-text.ts";
import { sendJson } from "../error-replies.ts";
import { readQuery } from "../query.ts";
import { readJsonBody } from "../v1-request.ts";
import { actorOf, organizationCaller } from "./caller.ts";
import type { Route } from "./routes.ts";

/** `GET /api/v1/org`. Ready: some location takes what no better one takes. */
export const readOrganization: Route = async (context, request, reply) => {
  const { organizationId: orgId, organizationName: name, served } = organizationCaller(request);
  const [kept, stored] = await Promise.all([
    served.storage.read("connection.list", { organizationId: orgId }),
    served.storage.read("location.list", { organizationId: orgId }),
  ]);
  const baseUrl = context.baseUrl();
  const locations = stored.map((one) => locationRecord(one, baseUrl));
  const ready = stored.some(({ isFallback, state }) => isFallback && state === "active");
  const issuer = context.issuerUrl();
  const connections = kept.map((one) => connectionRecord(one, { issuer, baseUrl }));
  const view: OrganizationView = { orgId, name, issuer, connections, locations, ready };
  sendJson(reply, JSON.stringify(view));
};

/** `POST /api/v1/locations`: replies when the probe is over, within 15 s. */
export const createLocation: Route = async (context, request, reply) => {
  const { organizationId, served } = organizationCaller(request);
  const body = await readJsonBody(context, request, "createLocation");
  const stored = await served.locations.add({ organizationId, body, by: actorOf(request) });
  const record: Location = locationRecord(stored, context.baseUrl());
  sendJson(reply, JSON.stringify(record), 201);
};

/** `PATCH /api/v1/locations` */
export const updateLocation: Route = async (context, request, reply) => {
  const { organizationId, served } = organizationCaller(request);
  const { id } = readQuery("updateLocation", request.raw.url);
  const change = await readJsonBody(context, request, "updateLocation");
  const by = actorOf(request);
  const stored = await writeOne(served.storage, "location.update", {
    organizationId,
    id,
    change,
    by,
  });
  sendJson(reply, JSON.stringify(locationRecord(stored, context.baseUrl())));
};

/** `GET /api/v1/usage`. A thousand places a day are many rows, so they are written in turns. */
export const readUsage: Route = async (_context, request, reply) => {
  const { organizationId, served } = organizationCaller(request);
  const { days: text } = readQuery("readUsage", request.raw.url);
  const days = text === undefined ? limits.usageDaysDefault : Number(text);
  const rows = await served.storage.read("usage.read", { organizationId, days });
  sendJson(reply, await usageText(rows));
};

/** The JSON of a UsageReply. */
async function usageText(rows: UsageReply["rows"]): Promise<Buffer> {
  const text = new ReplyText();
  await text.add('{"rows":[');
  for (const [at, row] of rows.entries()) {
    await text.add(at === 0 ? JSON.stringify(row) : `,${JSON.stringify(row)}`);
  }
  await text.add("]}");
  return text.end();
}
