import type { Static, TSchema } from "typebox";
import { Compile } from "typebox/schema";
import { ColumnsHead } from "./columns.ts";
import type { EndpointDefinition } from "./endpoint.ts";
import { type EndpointName, endpoints } from "./endpoints.ts";
import { explain } from "./explain.ts";
import { checkMetricMeta, checkText, checkTexts, member, type Problem } from "./meta-limits.ts";
import { fileNameProblem, pathProblem } from "./names.ts";
import type { Verdict } from "./validate.ts";

type Endpoints = typeof endpoints;

/**
 * The body of an endpoint: JSON or a form, with the text of a meta where that is kept, or bytes.
 */
export type RequestBody<Name extends EndpointName> = BodyOf<Endpoints[Name]["request"]>;

type BodyOf<Request> = Request extends { schema: infer Schema extends TSchema }
  ? Request extends { metaAsSent: true }
    ? Omit<Static<Schema>, "meta"> & { metaText: string }
    : Request extends { editsAsSent: true }
      ? WithEditTexts<Static<Schema>>
      : Static<Schema>
  : Request extends { kind: "bytes" }
    ? Uint8Array
    : undefined;

/** Replaces the values of meta edits by their JSON texts, which keep every digit. */
type WithEditTexts<Body> = Body extends { meta?: (infer Edit)[] }
  ? Omit<Body, "meta"> & {
      meta?: (Omit<Edit, "before" | "after"> & {
        beforeText: string | undefined;
        afterText: string | undefined;
      })[];
    }
  : never;

/** The query of an endpoint, decoded. */
export type RequestQuery<Name extends EndpointName> = Endpoints[Name] extends {
  query: infer Schema extends TSchema;
}
  ? Static<Schema>
  : Record<string, never>;

/** The JSON reply of an endpoint. */
export type ReplyBody<Name extends EndpointName> = Endpoints[Name]["reply"] extends {
  kind: "json";
  schema: infer Schema extends TSchema;
}
  ? Static<Schema>
  : never;

/**
 * Checks the JSON body of a v1 endpoint against its schema, and for what JSON Schema cannot
 * express: texts, bytes of paths, duplicate names. Bytes of a meta are not checked: only its text
 * has them. A verdict that is ok makes the value a RequestBody.
 */
export function checkBody(name: EndpointName, value: unknown): Verdict {
  const { request }: EndpointDefinition = endpoints[name];
  if (request.kind !== "json") throw new Error(`BUG: ${name} takes no JSON, got a body`);
  return check(request.schema, value, () => bodyProblem(name, value));
}

/**
 * Checks decoded query parameters; unknown ones are ignored (A62). A verdict that is ok makes the
 * values a RequestQuery.
 */
export function checkQuery(name: EndpointName, values: Record<string, string>): Verdict {
  const { query }: EndpointDefinition = endpoints[name];
  if (query === undefined) return valid;
  return check(query, values, () => queryProblem(values));
}

/**
 * Checks the head of points as columns, whose metas have the limits of those of
 * `experiment.metric`. A verdict that is ok makes the value a ColumnsHead.
 */
export function checkColumnsHead(value: unknown): Verdict {
  return check(ColumnsHead, value, () => {
    for (const [at, { meta }] of (value as ColumnsHead).partitions.entries()) {
      const problem = checkMetricMeta(meta, `partitions[${at}].meta`);
      if (problem !== undefined) return problem;
    }
    return checkTexts((value as ColumnsHead).prefixes, "prefixes", 0);
  });
}

const valid: Verdict = { ok: true, problems: [] };
// Compiling a validator takes about a millisecond, so each is compiled at its first use.
const validators = new WeakMap<TSchema, (value: unknown) => boolean>();

function check(schema: TSchema, value: unknown, further: () => Problem | undefined): Verdict {
  let accepts = validators.get(schema);
  if (accepts === undefined) {
    const validator = Compile(schema);
    accepts = (each) => validator.Check(each);
    validators.set(schema, accepts);
  }
  if (!accepts(value)) return { ok: false, problems: explain(schema, value, "") };
  const problem = further();
  return problem === undefined ? valid : { ok: false, problems: [problem] };
}

function queryProblem(values: Record<string, string>): Problem | undefined {
  for (const [key, text] of Object.entries(values)) {
    if (text.includes("\0")) return { path: key, message: "must not contain the character U+0000" };
  }
  const { artifact } = values;
  const message = artifact === undefined ? undefined : pathProblem(artifact);
  return message === undefined ? undefined : { path: "artifact", message };
}

function bodyProblem(name: EndpointName, value: unknown): Problem | undefined {
  const { meta, files, ...others } = value as Record<string, unknown>;
  const problem =
    checkTexts(others, "", 0) ?? (meta === undefined ? undefined : checkTexts(meta, "meta", 1));
  if (problem !== undefined) return problem;
  if (name === "openArtifact") return sourceProblem(others);
  if (name === "beginVersion") return filesProblem(files as { name: string }[]);
  if (name === "commitUpload") return sentFilesProblem(files as SentFile[]);
  return checkTexts(files, "files", 0);
}

/** A source is required for a fork, and refused otherwise (A6). */
function sourceProblem({ mode, source }: Record<string, unknown>): Problem | undefined {
  if ((mode === "fork") !== (source !== undefined)) {
    const message = mode === "fork" ? "is missing: the artifact to fork" : "is for mode fork only";
    return { path: "source", message };
  }
  const message = typeof source === "string" ? pathProblem(source) : undefined;
  return message === undefined ? undefined : { path: "source", message };
}

/** Lists have thousands of files, so messages are built only for the first problem. */
function filesProblem(files: readonly { name: string }[]): Problem | undefined {
  const seen = new Set<string>();
  for (let index = 0; index < files.length; index++) {
    const { name } = files[index];
    const message = fileNameProblem(name) ?? (seen.has(name) ? "is repeated" : undefined);
    if (message !== undefined) return { path: member(`files[${index}]`, "name"), message };
    seen.add(name);
  }
  return undefined;
}

interface SentFile {
  name: string;
  etags: string[];
}

function sentFilesProblem(files: readonly SentFile[]): Problem | undefined {
  const isText = (text: string) => checkText(text, "", "value") === undefined;
  if (files.every(({ name, etags }) => isText(name) && etags.every(isText))) return undefined;
  return checkTexts(files, "files", 0);
}
