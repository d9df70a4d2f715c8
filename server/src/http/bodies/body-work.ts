import type { EndpointName, ErrorCode, EventEndpoint } from "@lossless/protocol";
import { ServiceError } from "../../ground/errors.ts";
import { readEvents } from "../v2/received-events.ts";
import { readJsonBody } from "./json-body.ts";

/** The form in which a body is to be read. */
export type BodyWork =
  | { kind: "events"; endpoint: EventEndpoint; depthMax: number }
  | { kind: "json"; name: EndpointName; depthMax: number };

/** The result as sent between threads: an error would lose its class on the way. */
export type BodyAnswer =
  | { kind: "value"; value: unknown }
  | { kind: "refusal"; code: ErrorCode; message: string; details: Record<string, unknown> }
  | { kind: "defect"; message: string; stack: string | undefined };

/** Reads a body, in the same way in any thread. Throws ServiceError. */
export function readBody(work: BodyWork, body: Uint8Array): unknown {
  return work.kind === "events"
    ? readEvents(work.endpoint, body, work.depthMax)
    : readJsonBody(work.name, body, work.depthMax);
}

export function answerTo(work: BodyWork, body: Uint8Array): BodyAnswer {
  try {
    return { kind: "value", value: readBody(work, body) };
  } catch (error) {
    if (error instanceof ServiceError) {
      const { code, message, details } = error;
      return { kind: "refusal", code, message, details };
    }
    const { message, stack } = error as Error;
    return { kind: "defect", message, stack };
  }
}

/** Returns the value of an answer, or throws its error. */
export function valueOf(answer: BodyAnswer): unknown {
  switch (answer.kind) {
    case "value":
      return answer.value;
    case "refusal":
      throw new ServiceError(answer.code, answer.message, answer.details);
    case "defect": {
      const error = new Error(answer.message);
      if (answer.stack !== undefined) error.stack = answer.stack;
      throw error;
    }
  }
}
