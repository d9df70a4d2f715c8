import * as Type from "./type.ts";
import {
  ArtifactsPage,
  BeginVersionBody,
  CommitUploadBody,
  CommitUploadReply,
  OpenArtifactBody,
  OpenArtifactReply,
  ResignUploadBody,
  UploadReply,
  VersionRecord,
  VersionsPage,
} from "./artifact.ts";
import type { EndpointDefinition } from "./endpoint.ts";
import { limits } from "./limits.ts";
import { artifactPath, newVersionName, noteName, versionName, versionPattern } from "./names.ts";
import { reference } from "./schema.ts";
import { extension, readErrors as allReadErrors, specified, specifiedRead } from "./v1-endpoint.ts";

const readErrors = [...allReadErrors, "data_corrupted"] as const;
const writeErrors = [...readErrors, "storage_full"] as const;
const read = { ...specifiedRead, errors: readErrors } as const;

const artifact = artifactPath("Path of the artifact.");
const upload = reference("The pending upload.");
const urls = Type.Optional(
  Type.String({ description: "1 signs files.", pattern: "^[01]$", "x-rule": "must be 0 or 1" }),
);
const placeWord = Type.Optional(
  Type.String({
    description: "The reader's place; it decides transfer and is counted in the usage.",
    maxLength: limits.placeCharactersMax,
  }),
);
/** An empty value means none. */
const after = (description: string) =>
  Type.Optional(
    Type.String({ description, maxLength: limits.pathBytesMax, pattern: "^[\\s\\S]*$" }),
  );
const afterVersion = Type.Optional(
  Type.String({
    description: "Versions above this name.",
    maxLength: limits.pathBytesMax,
    pattern: `^(${versionPattern.slice(1, -1)})?$`,
    "x-rule": "must be the name of a version",
  }),
);
/**
 * A parameter of a signed address. It has no pattern: whether altered, added or missing, the answer
 * is `forbidden`.
 */
const signed = (description: string) => Type.Optional(Type.String({ description }));
const signature = {
  expires: signed("Unix milliseconds."),
  signature: signed("HMAC-SHA256 of the whole address."),
};

/** Bytes of a file at the built-in location, at a signed address. */
const object = {
  ...extension,
  credentials: ["signature"],
  path: "/objects/{organization}/{upload}/{file}",
} as const;

/** v1: versioned artifacts. */
export const artifactEndpoints = {
  openArtifact: {
    ...specified,
    method: "POST",
    path: "/api/v1/artifacts/open",
    summary: "Takes the artifact over for one writer: a new epoch, earlier writers are superseded.",
    query: Type.Object({ artifact }),
    request: { kind: "json", schema: OpenArtifactBody, bytesMax: limits.setupBodyBytesMax },
    reply: { kind: "json", status: 200, schema: OpenArtifactReply },
    errors: [...writeErrors, "not_found", "not_empty", "upstream"],
  },
  beginVersion: {
    ...specified,
    method: "POST",
    path: "/api/v1/versions/begin",
    summary: "Places a version, starts its uploads and signs one URL per part.",
    query: Type.Object({ artifact, version: newVersionName }),
    request: {
      kind: "json",
      schema: BeginVersionBody,
      bytesMax: limits.filesBodyBytesMax,
      metaAsSent: true,
    },
    reply: { kind: "json", status: 201, schema: UploadReply },
    errors: [...writeErrors, "superseded", "not_after_latest", "not_ready", "upstream"],
  },
  resignUpload: {
    ...specified,
    method: "POST",
    path: "/api/v1/versions/resign",
    summary: "Signs fresh URLs for a pending upload.",
    query: Type.Object({ artifact, upload }),
    request: { kind: "json", schema: ResignUploadBody, bytesMax: limits.setupBodyBytesMax },
    reply: { kind: "json", status: 200, schema: UploadReply },
    errors: [...readErrors, "not_found", "superseded", "conflict", "upstream"],
  },
  commitUpload: {
    ...specified,
    method: "POST",
    path: "/api/v1/versions/commit",
    summary: "Completes the upload and commits the version. Safe to repeat.",
    query: Type.Object({ artifact, upload }),
    request: { kind: "json", schema: CommitUploadBody, bytesMax: limits.filesBodyBytesMax },
    reply: { kind: "json", status: 200, schema: CommitUploadReply },
    errors: [...writeErrors, "not_found", "superseded", "not_after_latest", "conflict", "upstream"],
  },
  readVersion: {
    ...read,
    path: "/api/v1/versions/read",
    summary: "One committed version; with urls=1 its files are signed.",
    query: Type.Object({
      artifact,
      version: versionName,
      urls,
      cloud: placeWord,
      region: placeWord,
      source: placeWord,
    }),
    reply: { kind: "json", status: 200, schema: VersionRecord },
    errors: [...readErrors, "not_found", "upstream"],
  },
  listVersions: {
    ...read,
    path: "/api/v1/versions/list",
    summary: "Committed versions in name order, by pages.",
    query: Type.Object({
      artifact,
      after: afterVersion,
      urls,
      cloud: placeWord,
      region: placeWord,
      source: placeWord,
    }),
    reply: { kind: "json", status: 200, schema: VersionsPage },
    errors: [...readErrors, "upstream"],
  },
  listArtifacts: {
    ...read,
    path: "/api/v1/artifacts/list",
    summary: "Artifacts with versions whose path starts with `under`, in name order, by pages.",
    query: Type.Object({
      under: after("Prefix of the path, compared as it is."),
      after: after("Artifacts above this path."),
    }),
    reply: { kind: "json", status: 200, schema: ArtifactsPage },
  },
  readNote: {
    ...read,
    path: "/api/v1/artifacts/note",
    summary: "The bytes of a note.",
    query: Type.Object({ artifact, note: noteName }),
    reply: { kind: "bytes", status: 200 },
    errors: [...readErrors, "not_found"],
  },
  writeNote: {
    ...specified,
    method: "PUT",
    path: "/api/v1/artifacts/note",
    summary: "Stores or replaces a note.",
    query: Type.Object({ artifact, note: noteName }),
    request: { kind: "bytes", bytesMax: limits.noteBytesMax },
    reply: { kind: "empty", status: 204 },
    errors: [...writeErrors, "conflict"],
  },
  writePart: {
    ...object,
    method: "PUT",
    summary:
      "One part of a file, at the built-in location; the address comes from begin or resign.",
    query: Type.Object({
      id: signed("The multipart upload of the file."),
      part: signed("Number of the part, from 1."),
      length: signed("Bytes of the part: the body has to have exactly as many."),
      ...signature,
    }),
    request: { kind: "bytes" },
    reply: { kind: "empty", status: 200 },
    errors: ["bad_request", "forbidden", "unavailable", "storage_full"],
  },
  readObject: {
    ...object,
    method: "GET",
    summary: "A file at the built-in location, whole or a range; the address comes from read.",
    query: Type.Object({
      ...signature,
      name: signed(
        "The name under which browsers save the file, by content-disposition in the reply.",
      ),
    }),
    request: { kind: "none" },
    reply: { kind: "bytes", status: 200, otherStatuses: [206, 304, 412, 416] },
    errors: ["bad_request", "forbidden", "not_found", "data_corrupted", "unavailable"],
  },
} as const satisfies Record<string, EndpointDefinition>;
