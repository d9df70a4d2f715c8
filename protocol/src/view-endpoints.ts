import { ChangesBody, ChangesReply } from "./changes.ts";
import type { EndpointDefinition } from "./endpoint.ts";
import { v1Errors } from "./error-forms.ts";
import { limits } from "./limits.ts";
import { OverviewBody, OverviewReply } from "./overview.ts";
import { ViewPointsBody, ViewPointsReply } from "./view-points.ts";

/** Views: what charts and tables ask for. They only read, so every one is safe to repeat. */
export const viewEndpoints = {
  readOverview: {
    errorForm: v1Errors,
    method: "POST",
    path: "/api/views/v1/overview",
    summary: "Series reduced to columns for drawing, all points considered.",
    about:
      "A column gives the first, last, least, largest and mean value of all its points: lines drawn from the " +
      "first four cover the same pixels as lines through every point. The column of a point is " +
      "`floor((x - start) / (end - start) * columns)`, on a logarithmic axis " +
      "`floor(log(x / start) / log(end / start) * columns)`. The series are those of one moment for each experiment.",
    credentials: ["api_key", "session", "oauth"],
    request: { kind: "json", schema: OverviewBody, bytesMax: limits.setupBodyBytesMax },
    reply: { kind: "json", status: 200, schema: OverviewReply },
    errors: ["bad_request", "unauthorized", "forbidden", "unavailable", "data_corrupted"],
    extension: true,
  },
  readPoints: {
    errorForm: v1Errors,
    method: "POST",
    path: "/api/views/v1/points",
    summary: "The points of many series nearest to a place on the axis, or the first of a range.",
    credentials: ["api_key", "session", "oauth"],
    request: { kind: "json", schema: ViewPointsBody, bytesMax: limits.setupBodyBytesMax },
    reply: { kind: "json", status: 200, schema: ViewPointsReply },
    errors: ["bad_request", "unauthorized", "forbidden", "unavailable", "data_corrupted"],
    extension: true,
  },
  readChanges: {
    errorForm: v1Errors,
    method: "POST",
    path: "/api/views/v1/changes",
    summary: "Waits until experiments change, or new ones are opened.",
    about:
      "A long poll: answered at once where something differs already, else when it does, and with nothing after " +
      "`waitMs`. A caller gets at most four answers a second that say something; the next one waits its turn, within " +
      "`waitMs`. Send the next request when the last answer has been used.",
    credentials: ["api_key", "session", "oauth"],
    request: { kind: "json", schema: ChangesBody, bytesMax: limits.setupBodyBytesMax },
    reply: { kind: "json", status: 200, schema: ChangesReply },
    errors: ["bad_request", "unauthorized", "forbidden", "unavailable"],
    extension: true,
  },
} as const satisfies Record<string, EndpointDefinition>;
