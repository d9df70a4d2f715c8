import { type EndpointDefinition, endpoints } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import { ServiceError } from "../../ground/errors.ts";
import { bodyAllowance } from "../bodies/endpoint-body.ts";
import { type Call, routesReading } from "../endpoint-routes.ts";
import { readRequestBody } from "../bodies/request-body.ts";
import { type Fields, type Message, readAddress, readBodyText } from "./message.ts";
import { printMessage } from "./print.ts";

/** Makes routes of endpoints for MLflow's clients; bodies are read raw, by `answered`. */
export const mlflow = routesReading(async (context, request, name) => {
  const { request: row }: EndpointDefinition = endpoints[name];
  const most = (row.kind === "json" && row.bytesMax) || limits.mlflowBodyBytesMax;
  const bytesMax = Math.min(most, context.settings.maxBodyBytes);
  const allowance = bodyAllowance(context, request);
  using body = await readRequestBody(request.raw, bytesMax, allowance);
  const text = body.bytes.toString("utf8");
  return { text, sizeBytes: body.bytes.length };
});

type AnyCall = Pick<Call<"mlflowGetRun">, "caller" | "served" | "request" | "context">;

/** The request that a handler receives: its caller and its message. */
export interface MlflowCall<Of extends Fields> {
  organizationId: string;
  by: AnyCall["caller"]["by"];
  /** The address as sent. */
  target: string;
  /** Our hosts with their ports: of this request, and of the base address. */
  hosts: readonly string[];
  /** The parameters of the path. */
  params: Readonly<Record<string, string>>;
  message: Message<Of>;
  /** Size of the body. */
  sizeBytes: number;
  served: AnyCall["served"];
  context: AnyCall["context"];
}

/** Makes a handler that reads a message and replies with one. */
export function answered<Of extends Fields>(
  fields: Of,
  answer: (asked: MlflowCall<Of>) => Promise<object>,
) {
  return async ({ caller, served, request, context, body }: AnyCall & { body: unknown }) => {
    requireDefaultWorkspace(request.headers["x-mlflow-workspace"]);
    const { text, sizeBytes } = (body ?? { sizeBytes: 0 }) as Partial<{ text: string }> & {
      sizeBytes: number;
    };
    const target = request.raw.url ?? "";
    const message = text === undefined ? readAddress(fields, target) : readBodyText(fields, text);
    const { organizationId, by } = caller;
    const params = request.params as Record<string, string>;
    const hosts = ownHosts(request.headers.host, context.settings);
    const about = { organizationId, by, target, hosts, params, message, sizeBytes };
    const asked = { ...about, served, context };
    return printMessage(await answer(asked));
  };
}

/** Returns hosts as the addresses of that scheme write them, without a usual port. */
function ownHosts(host: string | undefined, { baseUrl }: AnyCall["context"]["settings"]): string[] {
  const bases = [host && `http://${host}`, host && `https://${host}`, baseUrl];
  return [...new Set(bases.flatMap((base) => (base && URL.parse(base)?.host) || []))];
}

export function requireDefaultWorkspace(name: string | string[] | undefined): void {
  if (name === undefined || name === "" || name === "default") return;
  throw new ServiceError(
    "feature_disabled",
    "Lossless has no workspaces: the key decides the organization. Leave X-MLFLOW-WORKSPACE out.",
  );
}

/** Returns a place in a search as the text that its clients send back. */
export function tokenOf(place: object | undefined): string | undefined {
  if (place === undefined) return undefined;
  const text = JSON.stringify(place, (_, value: unknown) => {
    if (typeof value === "bigint") return { integer: `${value}` };
    return typeof value === "number" && !Number.isFinite(value) ? { double: `${value}` } : value;
  });
  return Buffer.from(text).toString("base64url");
}

/** Reads the place in a page token; undefined without one. Throws for a token that is not ours. */
export function placeIn<Place>(
  token: string | undefined,
  isPlace: (value: unknown) => boolean,
): Place | undefined {
  if (token === undefined || token === "") return undefined;
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(token, "base64url").toString("utf8"), (_, own: unknown) => {
      const { integer, double } = (own ?? {}) as { integer?: string; double?: string };
      if (integer !== undefined) return BigInt(integer);
      return double === undefined ? own : Number(double);
    });
  } catch {
    value = undefined;
  }
  if (!isPlace(value)) {
    throw new ServiceError(
      "bad_request",
      "Invalid page token, could not base64-decode: it is not one of this service.",
    );
  }
  return value as Place;
}
