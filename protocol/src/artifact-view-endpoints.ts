import {
  artifactListQuery,
  ArtifactListReply,
  artifactQuery,
  ArtifactReply,
  fileAddressQuery,
  FileAddressReply,
  filePartQuery,
  sentBytesQuery,
  SentBytesReply,
} from "./artifact-views.ts";
import type { EndpointDefinition } from "./endpoint.ts";
import { limits } from "./limits.ts";
import { extensionRead, readErrors } from "./v1-endpoint.ts";

const errors = [...readErrors, "not_found"] as const;
/** Errors of endpoints that talk to a store. */
const stored = [...errors, "upstream", "data_corrupted"] as const;

/** Endpoints for the pages of artifacts. All are reads, so each is safe to repeat. */
export const artifactViewEndpoints = {
  viewArtifacts: {
    ...extensionRead,
    path: "/api/views/v1/artifacts",
    summary: "Artifacts by folders of their paths, by a search, or by their last commit.",
    query: artifactListQuery,
    reply: { kind: "json", status: 200, schema: ArtifactListReply },
  },
  viewArtifact: {
    ...extensionRead,
    path: "/api/views/v1/artifact",
    summary: "One artifact: its epoch, versions newest first, pending uploads and notes.",
    query: artifactQuery,
    reply: { kind: "json", status: 200, schema: ArtifactReply },
    errors,
  },
  readSentBytes: {
    ...extensionRead,
    path: "/api/views/v1/sent-bytes",
    summary: "How much of a pending upload is in its store.",
    about:
      "The store is asked for the parts that it has of each file. All who ask within three seconds get one answer; " +
      "what is committed or abandoned is 404.",
    query: sentBytesQuery,
    reply: { kind: "json", status: 200, schema: SentBytesReply },
    errors: [...errors, "upstream"],
  },
  readFileAddress: {
    ...extensionRead,
    path: "/api/views/v1/file-address",
    summary: "Signs one file of a version: an address to fetch it from.",
    about: "It counts as a read of that file in the usage.",
    query: fileAddressQuery,
    reply: { kind: "json", status: 200, schema: FileAddressReply },
    errors: stored,
  },
  readFilePart: {
    ...extensionRead,
    path: "/api/views/v1/file",
    summary: "Some bytes of a file of a version, for a look at it; x-svc-file-bytes is its size.",
    about:
      `At most ${limits.filePartBytesMax} bytes, through the service, which whole files never pass: for these there ` +
      "are signed addresses. It counts as a read of the bytes that are sent. With a session cookie only a page of " +
      "the service may ask for it.",
    query: filePartQuery,
    reply: { kind: "bytes", status: 200 },
    errors: stored,
  },
} as const satisfies Record<string, EndpointDefinition>;
