import { VersionAlias } from "./aliases.ts";
import { Match, Place, Transfer } from "./artifact.ts";
import type { EndpointDefinition } from "./endpoint.ts";
import { limits } from "./limits.ts";
import { artifactPath, fileName, versionName } from "./names.ts";
import {
  assignedId,
  closedObject,
  count,
  milliseconds,
  nullable,
  oneOfStrings,
  reference,
} from "./schema.ts";
import * as Type from "./type.ts";
import { extensionRead, readErrors } from "./v1-endpoint.ts";

/** Content of the artifact pages: names by folder, and one artifact with its versions. */

const pathText = (description: string) =>
  Type.Optional(
    Type.String({ description, maxLength: limits.pathBytesMax, pattern: "^[\\s\\S]*$" }),
  );
/** A page size, as a parameter of an address. */
export const limitText = (most: number, otherwise: number) =>
  Type.Optional(
    Type.String({
      description: `Maximum number of entries; default ${otherwise}, at most ${most}.`,
      pattern: "^[1-9][0-9]{0,3}$",
      "x-rule": "must be a number of at most four digits",
    }),
  );
const flag = (description: string) =>
  Type.Optional(Type.String({ description, pattern: "^[01]$", "x-rule": "must be 0 or 1" }));

export const artifactListQuery = Type.Object({
  under: pathText("Prefix of the path, compared literally; `muon/` is the content of that folder."),
  search: Type.Optional(
    Type.String({
      description:
        "Only paths that contain this, A to Z without regard to case; `*` stands for anything, and the pattern then " +
        "has to match the whole path. Without folders.",
      maxLength: limits.pathBytesMax,
      pattern: "^[\\s\\S]*$",
    }),
  ),
  sort: Type.Optional(oneOfStrings("ArtifactSort", ["name", "newest"])),
  after: Type.Optional(
    Type.String({
      description: "`next` of the page before.",
      maxLength: limits.pathBytesMax + 32,
      pattern: "^[\\s\\S]*$",
    }),
  ),
  limit: limitText(limits.listedArtifactsMax, limits.listedArtifactsUsual),
});

export const ViewedLocation = closedObject("ViewedLocation", {
  id: assignedId("The location."),
  name: Type.String({ description: "Its name, for people." }),
  cloud: Type.String(),
  region: Type.String(),
});
export type ViewedLocation = Type.Static<typeof ViewedLocation>;

const ArtifactFolder = closedObject("ArtifactFolder", {
  path: Type.String({ description: "The path with a slash at its end, for `under`." }),
  artifacts: count("Artifacts below it."),
  versions: count("Their committed versions."),
  bytes: count("Bytes of these versions."),
  lastCommitAtMs: nullable(milliseconds("When the last of them was committed; null: none was.")),
});

const ListedArtifact = closedObject("ListedArtifact", {
  artifact: Type.String({ description: "Its path." }),
  versions: count("Committed versions."),
  bytes: count("Bytes of all versions."),
  latest: nullable(Type.String({ description: "The highest version; null: there is none yet." })),
  lastCommitAtMs: nullable(milliseconds("When the latest version was committed.")),
  source: nullable(Type.String({ description: "Label of the latest version's writer." })),
  location: nullable(ViewedLocation),
  epoch: count("Epoch of the newest writer; 0: never opened."),
});
export type ListedArtifact = Type.Static<typeof ListedArtifact>;

export const ArtifactListReply = closedObject("ArtifactListReply", {
  folders: Type.Array(ArtifactFolder, {
    description: "Folders directly below `under`, by name. None with `search` or by `newest`.",
  }),
  artifacts: Type.Array(ListedArtifact, {
    description:
      "Artifacts directly below `under`, or with `search` or by `newest` all below it. Artifacts without a version yet are included; artifacts whose versions were all deleted are not.",
  }),
  next: nullable(Type.String({ description: "Pass it as `after`; null: this was the last page." })),
});
export type ArtifactListReply = Type.Static<typeof ArtifactListReply>;

export const artifactQuery = Type.Object({
  artifact: artifactPath("Path of the artifact."),
  version: Type.Optional(versionName),
  after: Type.Optional(
    Type.String({
      description: "`next` of the page before: only versions below this name.",
      maxLength: limits.versionNameCharactersMax,
      pattern: "^[A-Za-z0-9._-]*$",
      "x-rule": "must be the name of a version",
    }),
  ),
  limit: limitText(limits.versionsPerPageMax, limits.listedArtifactsUsual),
  metas: flag("1: include the metas of versions."),
});

const ViewedVersion = closedObject("ViewedVersion", {
  version: Type.String(),
  committedAtMs: milliseconds("When it was committed."),
  files: count("How many files it has."),
  bytes: count("Their sizes together."),
  epoch: count("Epoch of its writer."),
  location: ViewedLocation,
  writer: Place,
  match: nullable(Match),
  transfer: Transfer,
  experiment: nullable(
    closedObject(
      "WritingExperiment",
      {
        experimentId: Type.String(),
        slug: Type.String(),
        name: nullable(
          Type.String({
            description: "The experiment's name in lists, if it is not the slug; otherwise null.",
          }),
        ),
        step: nullable(count("The step in the version's meta; null: there is none.")),
      },
      { description: "The experiment that the version's meta names." },
    ),
  ),
  meta: Type.Optional(
    Type.Unsafe<Record<string, unknown>>({ type: "object", description: "The writer's." }),
  ),
});
export type ViewedVersion = Type.Static<typeof ViewedVersion>;

const PendingUpload = closedObject("PendingUpload", {
  upload: assignedId("The upload."),
  version: Type.String({ description: "The name that it gets at its commit." }),
  epoch: count(
    "Epoch of its writer; if it is below the artifact's, the upload can never be committed.",
  ),
  state: oneOfStrings("PendingUploadState", ["starting", "pending", "completing"]),
  createdAtMs: milliseconds("When it was begun."),
  expiresAtMs: milliseconds("When it expires, unless it is committed before."),
  files: count("How many files it will have."),
  bytes: count("Their sizes together, as its writer announced them."),
  location: ViewedLocation,
  writer: Place,
  warning: nullable(Type.String({ description: "Why a better location was not taken." })),
});
export type PendingUpload = Type.Static<typeof PendingUpload>;

export const ArtifactReply = closedObject("ArtifactReply", {
  artifact: Type.String({ description: "Its path." }),
  epoch: count("Epoch of the newest writer; 0: never opened."),
  openedAtMs: nullable(
    milliseconds("When that writer opened it; null: never, or before the service recorded this."),
  ),
  openedBy: nullable(
    Type.String({ description: "The label of that writer; null in the same cases." }),
  ),
  versions: Type.Array(ViewedVersion, { description: "Newest first; with `version` only that." }),
  versionsTotal: count("Committed versions."),
  bytes: count("Bytes of all versions."),
  latest: nullable(Type.String({ description: "The highest version; null: there is none yet." })),
  aliases: Type.Array(VersionAlias, { description: "All aliases of its versions, by name." }),
  uploads: Type.Array(PendingUpload, { description: "Uploads under way, newest first." }),
  notes: Type.Array(
    closedObject("ListedNote", {
      note: Type.String({ description: "Its name." }),
      bytes: count("Its size."),
      changedAtMs: milliseconds("When it was written last."),
    }),
    { description: "By name." },
  ),
  next: nullable(
    Type.String({ description: "Pass it as `after`; null: there are no older versions." }),
  ),
});
export type ArtifactReply = Type.Static<typeof ArtifactReply>;

export const sentBytesQuery = Type.Object({
  artifact: artifactPath("Path of the artifact."),
  upload: reference("The pending upload."),
});

export const SentBytesReply = closedObject("SentBytesReply", {
  files: count(
    `Files that were checked: the largest of the upload, ${limits.lookedAtFilesMax} at most.`,
  ),
  filesSent: count("Files that are completely in the store."),
  bytes: count("Sum of the sizes of these files."),
  sentBytes: count("Bytes of these files in the store."),
});
export type SentBytesReply = Type.Static<typeof SentBytesReply>;

const placedFile = {
  artifact: artifactPath("Path of the artifact."),
  version: versionName,
  file: fileName,
};

const bytesText = (description: string) =>
  Type.Optional(
    Type.String({
      description,
      pattern: "^[0-9]{1,16}$",
      "x-rule": "must be a number of bytes",
    }),
  );

export const fileAddressQuery = Type.Object(placedFile);

export const FileAddressReply = closedObject("FileAddressReply", {
  url: Type.String({ description: "GET it, with ranges if you like." }),
  expiresAtMs: milliseconds("When it ends."),
  bytes: count("The size of the file."),
});
export type FileAddressReply = Type.Static<typeof FileAddressReply>;

/** The range of bytes requested of a file. */
export const partOfFile = {
  offset: bytesText("Offset of the part; default 0."),
  length: bytesText(
    `How many bytes: ${limits.filePartBytesMax} at most, and as many when left out; the file may end before.`,
  ),
};

export const filePartQuery = Type.Object({ ...placedFile, ...partOfFile });

export const fileFrameQuery = Type.Object({
  ...placedFile,
  scripts: flag("1: scripts written in the page run, in the frame alone."),
});

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
      "The service asks the store for the stored parts of each file. Requests within three seconds share one answer; " +
      "a committed or abandoned upload is 404.",
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
  readFileFrame: {
    ...extensionRead,
    path: "/api/views/v1/file-frame",
    summary: "A file of a version as HTML, for a frame of the pages.",
    about:
      `At most ${limits.filePartBytesMax} bytes; a larger file is refused. Its policy gives it an origin of its own ` +
      "and lets it load nothing from anywhere: it has no cookies and no storage, and reaches neither the page around " +
      "it nor the service. It counts as a read of the file. With a session cookie only a page of the service may ask for it.",
    query: fileFrameQuery,
    reply: { kind: "bytes", status: 200, isTyped: true },
    errors: stored,
  },
} as const satisfies Record<string, EndpointDefinition>;
