import * as Type from "./type.ts";
import { Match, Transfer } from "./artifact.ts";
import { limits } from "./limits.ts";
import {
  assignedId,
  closedObject,
  count,
  label,
  nullable,
  oneOfStrings,
  reference,
  timestamp,
  variants,
} from "./schema.ts";
import { wordNotDots } from "./names.ts";

export const Location = closedObject("Location", {
  id: assignedId("Assigned by the service."),
  name: Type.String(),
  kind: oneOfStrings(undefined, ["created", "s3"]),
  cloud: Type.String(),
  region: Type.String(),
  protocol: Type.String({ description: "How clients talk to it: s3, gcs or azure." }),
  endpoint: Type.String(),
  bucket: Type.String(),
  path: Type.String({ description: "Prefix of all keys in the bucket; may be empty." }),
  connection: nullable(
    Type.String({ description: "The connection that made a created location." }),
  ),
  fallback: Type.Boolean({
    description: "Used if no better location fits; at most one location is the fallback.",
  }),
  default: Type.Boolean({ description: "The default location of its cloud." }),
  state: oneOfStrings(undefined, ["active", "retired"]),
  created: timestamp("When it was added."),
});
export type Location = Type.Static<typeof Location>;

const pathWord = wordNotDots("[A-Za-z0-9._=+-]", "[A-Za-z0-9_=+-]");
const word = (description: string, least: number, most: number) =>
  Type.String({ description, minLength: least, maxLength: most });

export const CreatedLocationBody = closedObject("CreatedLocationBody", {
  kind: Type.Literal("created", { "x-name": "CreatedKind" }),
  name: Type.Optional(label("Default: cloud and region.")),
  connection: reference("An active connection."),
  region: Type.String({
    description:
      "Where the bucket is made, as its cloud calls it: eu-central-1, europe-west4, westeurope …",
    pattern: "^[a-z0-9-]{1,64}$",
    "x-rule": "must have 1 to 64 small letters, digits and hyphens",
  }),
});
export type CreatedLocationBody = Type.Static<typeof CreatedLocationBody>;

export const StoreLocationBody = closedObject("StoreLocationBody", {
  kind: Type.Literal("s3", { "x-name": "StoreKind" }),
  name: Type.Optional(label("Default: the bucket.")),
  endpoint: word("Address of an S3-compatible store, https://host[:port].", 1, 2_048),
  bucket: Type.String({
    pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{1,254}$",
    "x-rule": "must have 2 to 255 letters, digits, dots, underscores and hyphens",
  }),
  path: Type.String({
    description: "Prefix of all keys, without slashes at its ends; may be empty.",
    maxLength: 512,
    pattern: `^(?:${pathWord}(?:/${pathWord})*)?$`,
    "x-rule": "must be empty, or words of A-Z a-z 0-9 . _ = + - separated by single slashes",
  }),
  signingRegion: Type.String({
    description: "The region in signatures: us-east-1, auto, garage …",
    pattern: "^[A-Za-z0-9-]{1,64}$",
    "x-rule": "must have 1 to 64 letters, digits and hyphens",
  }),
  pathStyle: Type.Boolean({
    description: "true: the bucket is in the path, otherwise in the host.",
  }),
  accessKeyId: Type.String({
    pattern: "^[\\x21-\\x7e]{1,256}$",
    "x-rule": "must have 1 to 256 printable ASCII characters without spaces",
  }),
  secretAccessKey: Type.String({
    description: "Sealed at rest; never returned.",
    pattern: "^[\\x21-\\x7e]{1,1024}$",
    "x-rule": "must have 1 to 1,024 printable ASCII characters without spaces",
  }),
  cloud: word("The store's cloud, for placement.", 1, limits.placeCharactersMax),
  region: word("The region in that cloud.", 1, limits.placeCharactersMax),
  fallback: Type.Optional(Type.Boolean({ description: "Becomes the fallback." })),
});
export type StoreLocationBody = Type.Static<typeof StoreLocationBody>;

export const CreateLocationBody = variants("CreateLocationBody", "kind", {
  created: CreatedLocationBody,
  s3: StoreLocationBody,
});
export type CreateLocationBody = Type.Static<typeof CreateLocationBody>;

export const UpdateLocationBody = Type.Object(
  {
    name: Type.Optional(label("A new name.")),
    fallback: Type.Optional(Type.Literal(true)),
    default: Type.Optional(Type.Literal(true)),
    state: Type.Optional(Type.Literal("retired")),
  },
  {
    title: "UpdateLocationBody",
    additionalProperties: false,
    minProperties: 1,
    "x-rule": "must have at least one of name, fallback, default and state",
  },
);
export type UpdateLocationBody = Type.Static<typeof UpdateLocationBody>;

export const UsageRow = closedObject("UsageRow", {
  day: Type.String({ description: "UTC, YYYY-MM-DD." }),
  kind: oneOfStrings("UsageKind", ["write", "read"]),
  placeCloud: Type.String(),
  placeRegion: Type.String(),
  location: assignedId("The location."),
  match: nullable(Match),
  transfer: Transfer,
  bytes: count("Bytes committed, or signed for reading."),
  count: count("Versions committed, or signed reads."),
});
export type UsageRow = Type.Static<typeof UsageRow>;

export const UsageReply = closedObject("UsageReply", {
  rows: Type.Array(UsageRow, { description: "Newest day first." }),
});
export type UsageReply = Type.Static<typeof UsageReply>;
