import { readEndpointBody } from "../bodies/endpoint-body.ts";
import { endpointRoutes } from "../endpoint-routes.ts";

/** Makes routes of rows of v1. */
export const v1 = endpointRoutes(readEndpointBody);
