import type { Static, TObject } from "typebox";
import type { ReplyBody, RequestBody, RequestQuery } from "../check-request.ts";
import type { EditBody } from "../edits.ts";
import type { EndpointName } from "../endpoints.ts";

/** Makes one request of the interface. Throws the refusal of the service. */
export type Ask = <Name extends EndpointName>(
  name: Name,
  request: { query?: RequestQuery<Name>; body?: SentBody<Name> },
) => Promise<ReplyBody<Name>>;

/** An edit is read with the texts of its values, which are not sent. */
type SentBody<Name extends EndpointName> = Name extends "editExperiment"
  ? EditBody
  : RequestBody<Name>;

/** The service, as a tool sees it. */
export interface Asking {
  ask: Ask;
  /** Moves an experiment into a folder; null: to the top. */
  move: (experimentId: string, folderId: string | null) => Promise<unknown>;
  /** Address of the service, at which the pages are. */
  baseUrl: string;
}

/** A tool that an agent calls: the words that explain it, its arguments, and its code. */
export interface Tool {
  name: string;
  title: string;
  description: string;
  /** Whether it changes something. */
  writes?: true;
  /** A JSON schema. */
  input: TObject;
  /** Pages of its answer. */
  paged?: Paged;
  run: (asking: Asking, given: never) => Promise<object>;
}

/** An answer that says where the next one begins. */
export interface Paged {
  /** Its fields with the entries. */
  lists: readonly string[];
  /** The argument with the number of entries. */
  limit: string;
  /** The end that stays: the next page begins after it, or before. */
  keeps: "first" | "last";
}

/** A call cannot be answered; the message says what to do instead. */
export class ToolError extends Error {
  override name = "ToolError";
}

/** Checks that `run` takes what the schema describes. */
export function tool<const Input extends TObject>(
  row: Omit<Tool, "input" | "run"> & {
    input: Input;
    run: (asking: Asking, given: Given<Input>) => Promise<object>;
  },
): Tool {
  return row;
}

type Given<Input extends TObject> = Static<Input>;
