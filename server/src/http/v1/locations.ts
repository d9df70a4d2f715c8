import { limits } from "@lossless/protocol/limits";
import type { Location, OrganizationView } from "@lossless/protocol";
import { ServiceError } from "../../ground/errors.ts";
import { connectionRecord } from "../../connections/record.ts";
import { locationRecord } from "../../locations/location.ts";
import { writeOne } from "../../storage/storage.ts";
import { sendJson } from "../replies.ts";
import { readQuery } from "../query.ts";
import { readJsonBody } from "./v1-request.ts";
import { actorOf, organizationCaller } from "../callers/caller.ts";
import type { Route } from "../route.ts";

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

/** `GET /api/v1/usage` */
export const readUsage: Route = async (context, request, reply) => {
  const { organizationId, served } = organizationCaller(request);
  const { days: text } = readQuery("readUsage", request.raw.url);
  const days = text === undefined ? limits.usageDaysDefault : Number(text);
  const replies = context.readReplies.of(organizationId, request, reply);
  try {
    const input = { organizationId, days };
    const { pieces } = await replies.read(served.storage, "usage.read", input);
    sendJson(reply, pieces);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== "result_too_large") throw error;
    throw new ServiceError("bad_request", `${error.message} Ask for fewer days.`);
  }
};
