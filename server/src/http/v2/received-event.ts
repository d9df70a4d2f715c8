import type { EventEndpoint, EventNameOf, RequestData, RequestEnvelope } from "@lossless/protocol";
import type { WithMetaText } from "../../ground/meta-text.ts";

/** A request event that has been checked, with its meta as text. */
export type ReceivedEvent<Endpoint extends EventEndpoint = EventEndpoint> = {
  [Name in EventNameOf<Endpoint>]: RequestEnvelope<Name, WithMetaText<RequestData<Name>>>;
}[EventNameOf<Endpoint>];

export interface ReceivedEvents<Endpoint extends EventEndpoint> {
  events: ReceivedEvent<Endpoint>[];
  /**
   * Whether the body was an array, which gets an array of replies; one envelope gets one reply
   * (batching rule 1).
   */
  isArray: boolean;
}
