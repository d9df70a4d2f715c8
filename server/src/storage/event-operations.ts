import {
  type EventName,
  type EventNameOfKind,
  eventNames,
  events,
  type RequestData,
} from "@lossless/protocol";
import type { WithMetaText } from "../ground/meta-text.ts";
import type { ReplyOperations, WriteOperations } from "./operations.ts";

/** The scope of an event: that of its credential, by the endpoint that took it. */
interface Scopes {
  organization: { organizationId: string };
  experiment: { organizationId: string; experimentId: string; tokenHash: Uint8Array };
  series: never;
}

export type EventScope<Name extends EventName> = Scopes[(typeof events)[Name]["endpoint"]];

/** Input of an event's operation. */
export type EventInput<Name extends EventName> = EventScope<Name> & {
  data: WithMetaText<RequestData<Name>>;
};

type WriteName = EventNameOfKind<"write">;
type ReadName = EventNameOfKind<"read">;

/** The operation of an event has its name without the prefix. */
type OperationOf<Name extends EventName> = Name extends `svc.v2.${infer Operation}`
  ? Operation
  : never;

export type EventWrite = OperationOf<WriteName>;
export type EventRead = OperationOf<ReadName>;

export function operationOf<Name extends EventName>(name: Name): OperationOf<Name> {
  return name.slice("svc.v2.".length) as OperationOf<Name>;
}

const eventWrites: ReadonlySet<string> = new Set(
  eventNames.filter((name) => events[name].kind === "write").map(operationOf),
);
const stateReads: ReadonlySet<string> = new Set(
  eventNames.filter((name) => events[name].showsState).map(operationOf),
);

/** Whether an operation is an event's write. */
export function isEventWrite(operation: string): operation is EventWrite {
  return eventWrites.has(operation);
}

/** Whether an operation reads state that events change. */
export function readsState(operation: string): boolean {
  return stateReads.has(operation);
}

/**
 * Checks the types of events' operations: an event without an operation of its name, or with one
 * that does not take the event's input, is an error here. The functions run on other threads, where
 * it would show only when a request came.
 */
type Takes<Operation, Input> = Operation extends (
  reader: never,
  input: infer Taken,
  ...rest: never[]
) => unknown
  ? Input extends Taken
    ? true
    : false
  : false;
type Tied = {
  writes: { [Name in WriteName]: Takes<WriteOperations[OperationOf<Name>], EventInput<Name>> };
  reads: { [Name in ReadName]: Takes<ReplyOperations[OperationOf<Name>], EventInput<Name>> };
};
type All<Ties extends Record<string, true>> = keyof Ties;
export type TiedEvents = All<Tied["writes"]> | All<Tied["reads"]>;
