import type { EndpointDefinition } from "./endpoint.ts";
import { v1Errors } from "./error-forms.ts";
import { limits } from "./limits.ts";
import { OverviewBody, OverviewReply } from "./overview.ts";

/** Views: what charts and tables ask for. They only read, so every one is safe to repeat. */
export const viewEndpoints = {
  readOverview: {
    errorForm: v1Errors,
    method: "POST",
    path: "/api/views/v1/overview",
    summary: "Series reduced to columns for drawing, all points considered.",
    about:
      "A column gives the first, last, least and largest value of all its points: lines drawn from these cover the " +
      "same pixels as lines through every point. The column of a point is " +
      "`floor((x - start) / (end - start) * columns)`. The series are those of one moment for each experiment.",
    credentials: ["api_key", "session", "oauth"],
    request: { kind: "json", schema: OverviewBody, bytesMax: limits.setupBodyBytesMax },
    reply: { kind: "json", status: 200, schema: OverviewReply },
    errors: ["bad_request", "unauthorized", "forbidden", "unavailable", "data_corrupted"],
    extension: true,
  },
} as const satisfies Record<string, EndpointDefinition>;
