import { StoredBucket } from "../../stores/double/contents.ts";
import { GoogleRefusal, type GoogleReply } from "./google-reply.ts";
import type { GoogleProject } from "./project.ts";

export interface JsonBucketState {
  projects: readonly GoogleProject[];
  buckets: Map<string, StoredBucket>;
  /** The request that made each bucket. */
  made: Map<string, { project: GoogleProject; body: Record<string, unknown> }>;
}

const regions = /^(us|eu|asia|[a-z]+-[a-z]+\d{1,2}|nam4|eur4)$/i;

/** POST, GET and DELETE of /storage/v1/b, as a member that the token belongs to. */
export function answerBuckets(
  state: JsonBucketState,
  member: string | undefined,
  request: { method: string; name: string; project: string; body: Record<string, unknown> },
): GoogleReply {
  if (member === undefined) throw GoogleRefusal.storage(401, "authError", "Invalid Credentials");
  if (request.method === "POST" && request.name === "") return create(state, member, request);
  const { name } = request;
  const found = state.made.get(name);
  if (found === undefined)
    throw GoogleRefusal.storage(404, "notFound", "The specified bucket does not exist.");
  const permission = request.method === "DELETE" ? "storage.buckets.delete" : "storage.buckets.get";
  if (!found.project.may(member, `projects/_/buckets/${name}`, permission))
    throw GoogleRefusal.storage(403, "forbidden", `${permission} is missing.`);
  if (request.method === "GET") return { status: 200, body: { kind: "storage#bucket", name } };
  if (request.method !== "DELETE") throw GoogleRefusal.storage(405, "methodNotAllowed", "method");
  const bucket = state.buckets.get(name)!;
  // Uploads that were not ended do not keep a bucket.
  if (bucket.objects.size > 0)
    throw GoogleRefusal.storage(409, "conflict", "The bucket you tried to delete is not empty.");
  state.buckets.delete(name);
  state.made.delete(name);
  return { status: 204 };
}

function create(
  state: JsonBucketState,
  member: string,
  { project: projectId, body }: { project: string; body: Record<string, unknown> },
): GoogleReply {
  const name = String(body.name);
  const project = state.projects.find((one) => one.projectId === projectId);
  if (project === undefined) throw GoogleRefusal.storage(400, "invalid", "Unknown project id.");
  // Looked for at the project: a condition on the bucket's name is not met there.
  if (!project.may(member, `projects/${projectId}`, "storage.buckets.create"))
    throw GoogleRefusal.storage(403, "forbidden", "storage.buckets.create is missing.");
  if (!/^[a-z0-9][a-z0-9_.-]{1,61}[a-z0-9]$/.test(name) || /goog/.test(name))
    throw GoogleRefusal.storage(400, "invalid", "Invalid bucket name.");
  if (!regions.test(String(body.location)))
    throw GoogleRefusal.storage(400, "invalid", "The specified location constraint is not valid.");
  if (state.buckets.has(name))
    throw GoogleRefusal.storage(409, "conflict", "The requested bucket name is not available.");
  state.buckets.set(name, new StoredBucket());
  state.made.set(name, { project, body });
  return { status: 200, body: { kind: "storage#bucket", ...body } };
}
