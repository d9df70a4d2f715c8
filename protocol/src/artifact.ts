import * as Type from "./type.ts";
import { limits } from "./limits.ts";
import { artifactPath, fileName } from "./names.ts";
import {
  assignedId,
  closedObject,
  count,
  jsonMeta,
  nullable,
  oneOfStrings,
  reference,
  stringMap,
  timestamp,
} from "./schema.ts";

const placeWord = (description: string) =>
  Type.String({ description, maxLength: limits.placeCharactersMax });

export const Place = closedObject(
  "Place",
  {
    cloud: placeWord("Where the writer or reader runs: aws, gcp, azure, or a word of your own."),
    region: placeWord("The region in that cloud."),
    source: placeWord("A label of the writer or reader, for instance its host or job."),
  },
  { description: "Used to choose a location and to count usage." },
);
export type Place = Type.Static<typeof Place>;

export const PlacedLocation = closedObject("PlacedLocation", {
  id: assignedId("The location."),
  cloud: Type.String(),
  region: Type.String(),
});
export type PlacedLocation = Type.Static<typeof PlacedLocation>;

/** Match of a writer's place and the chosen location (A16). */
export const Match = oneOfStrings("Match", ["region", "cloud"]);
export type Match = Type.Static<typeof Match>;
/** Relation of a reader's place to the location (A18). */
export const Transfer = oneOfStrings("Transfer", [
  "local",
  "cross-region",
  "cross-cloud",
  "unknown",
]);
export type Transfer = Type.Static<typeof Transfer>;

const VersionFile = closedObject("VersionFile", {
  name: Type.String(),
  size: count("Bytes."),
  url: nullable(Type.String({ description: "GET it, with ranges if you like; null: not signed." })),
});

export const VersionRecord = closedObject("VersionRecord", {
  artifact: Type.String(),
  version: Type.String(),
  committed: timestamp("When it was committed."),
  location: PlacedLocation,
  transfer: Transfer,
  bytes: count("Sum of the sizes of all files."),
  meta: Type.Unsafe<Record<string, unknown>>({ type: "object", description: "The writer's." }),
  source: nullable(Type.String({ description: "The writer's place.source." })),
  expires: nullable(timestamp("When the signed URLs end; null: none is signed.")),
  files: Type.Array(VersionFile),
});
export type VersionRecord = Type.Static<typeof VersionRecord>;

const epoch = Type.Integer({
  description: "The writer's, from artifacts/open.",
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
});

export const OpenArtifactBody = closedObject("OpenArtifactBody", {
  mode: oneOfStrings("OpenMode", ["latest", "new", "fork"]),
  place: Place,
  source: Type.Optional(artifactPath("With the mode fork: the artifact to fork from.")),
});
export type OpenArtifactBody = Type.Static<typeof OpenArtifactBody>;

export const OpenArtifactReply = closedObject("OpenArtifactReply", {
  epoch: Type.Integer({ description: "Earlier writers are superseded by it." }),
  version: nullable(VersionRecord),
  source: nullable(Type.String({ description: "The artifact that was forked from." })),
});
export type OpenArtifactReply = Type.Static<typeof OpenArtifactReply>;

export const BeginVersionBody = closedObject("BeginVersionBody", {
  epoch,
  place: Place,
  files: Type.Array(
    closedObject("NewFile", {
      name: fileName,
      size: Type.Integer({ description: "Bytes.", minimum: 0, maximum: limits.fileBytesMax }),
    }),
    { minItems: 1, maxItems: limits.filesPerVersionMax },
  ),
  meta: jsonMeta("Free, returned with the version."),
  exclude: Type.Optional(
    Type.Array(reference("A location to skip, after uploads to it failed."), {
      maxItems: limits.excludedLocationsMax,
    }),
  ),
});
export type BeginVersionBody = Type.Static<typeof BeginVersionBody>;

export const Placement = closedObject("Placement", {
  location: PlacedLocation,
  match: nullable(Match),
});
export type Placement = Type.Static<typeof Placement>;

const SignedPart = closedObject("SignedPart", {
  url: Type.String({ description: "PUT the part's bytes here." }),
  headers: stringMap("Headers to send with it."),
});
export type SignedPart = Type.Static<typeof SignedPart>;

export const UploadReply = closedObject("UploadReply", {
  upload: assignedId("The pending upload."),
  placement: Placement,
  warning: nullable(Type.String({ description: "Why a better location was not taken." })),
  expires: timestamp("When the signed URLs end; resign gives new ones."),
  files: Type.Array(
    closedObject("UploadFile", {
      name: Type.String(),
      size: count("Bytes."),
      partSize: count("Bytes of every part but the last."),
      parts: Type.Array(SignedPart),
    }),
  ),
});
export type UploadReply = Type.Static<typeof UploadReply>;

export const ResignUploadBody = closedObject("ResignUploadBody", { epoch });
export type ResignUploadBody = Type.Static<typeof ResignUploadBody>;

export const CommitUploadBody = closedObject("CommitUploadBody", {
  epoch,
  files: Type.Array(
    closedObject("SentFile", {
      name: Type.String({ maxLength: limits.pathBytesMax }),
      etags: Type.Array(Type.String({ maxLength: 1_024 }), {
        description: "As each PUT answered it, in the order of the parts.",
        maxItems: limits.partsPerUploadMax,
      }),
    }),
    { maxItems: limits.filesPerVersionMax },
  ),
});
export type CommitUploadBody = Type.Static<typeof CommitUploadBody>;

export const CommitUploadReply = closedObject("CommitUploadReply", {
  version: Type.String(),
  committed: timestamp("When it was committed."),
});
export type CommitUploadReply = Type.Static<typeof CommitUploadReply>;

export const VersionsPage = closedObject("VersionsPage", {
  versions: Type.Array(VersionRecord),
  next: nullable(Type.String({ description: "Pass it as `after`; null: this was the last page." })),
});
export type VersionsPage = Type.Static<typeof VersionsPage>;

export const ArtifactEntry = closedObject("ArtifactEntry", {
  artifact: Type.String(),
  versions: count("Committed versions."),
  bytes: count("Sum over all of them."),
  latest: Type.String(),
  lastCommit: timestamp("When the latest version was committed."),
  source: nullable(Type.String({ description: "Label of the latest version's writer." })),
});
export type ArtifactEntry = Type.Static<typeof ArtifactEntry>;

export const ArtifactsPage = closedObject("ArtifactsPage", {
  artifacts: Type.Array(ArtifactEntry),
  next: nullable(Type.String({ description: "Pass it as `after`; null: this was the last page." })),
});
export type ArtifactsPage = Type.Static<typeof ArtifactsPage>;
