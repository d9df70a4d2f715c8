import { ServiceError } from "../../errors.ts";
import { readQuery } from "../query.ts";
import { readJsonBody } from "../v1-request.ts";
import type { Route } from "./routes.ts";

/** `POST /api/v1/connections`: refused until this service can be its own token issuer (A66). */
export const createConnection: Route = async (context, request) => {
  await readJsonBody(context, request, "createConnection");
  throw new ServiceError(
    "upstream",
    "This version cannot connect cloud accounts yet. Add a bucket with its own keys: a location of the kind s3.",
  );
};

/** `PUT /api/v1/connections`: there is none to complete. */
export const completeConnection: Route = async (context, request) => {
  readQuery("completeConnection", request.raw.url);
  await readJsonBody(context, request, "completeConnection");
  throw noSuchConnection();
};

/** `DELETE /api/v1/connections`: there is none to remove. */
export const deleteConnection: Route = async (_context, request) => {
  readQuery("deleteConnection", request.raw.url);
  throw noSuchConnection();
};

function noSuchConnection(): ServiceError {
  return new ServiceError("not_found", "There is no such connection.");
}
