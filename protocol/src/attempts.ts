import type { EndpointDefinition } from "./endpoint.ts";
import { limits } from "./limits.ts";
import { attemptState as state, standing } from "./liveness.ts";
import { closedObject, count, milliseconds, oneOfStrings, reference } from "./schema.ts";
import * as Type from "./type.ts";
import { extension, readErrors, writeErrors } from "./v1-endpoint.ts";

/**
 * Attempts of a run: each start of its processes, whether they live, and how they ended. Evidence
 * beside the experiment's status, which none of this changes.
 */

const shortText = (description: string) =>
  Type.String({ description, maxLength: limits.attemptTextCharactersMax });
const id = (description: string) =>
  Type.String({
    description,
    minLength: 1,
    maxLength: limits.attemptIdCharactersMax,
    pattern: "^[\\x21-\\x7e]+$",
  });

const Launch = closedObject("AttemptLaunch", {
  by: shortText("The launcher that starts it again under the same id: `slurm`, `torchrun`, …"),
  id: shortText("The launcher's id of the whole, which stays when it starts it again."),
  restart: count("How often the launcher has started it again."),
});
export type AttemptLaunch = Type.Static<typeof Launch>;

/** Facts of a process, said once, when it begins. */
const about = {
  rank: Type.Optional(count("Number of the process among those of a distributed training.")),
  ranks: Type.Optional(count("How many these are.")),
  host: Type.Optional(shortText("The machine.")),
  processId: Type.Optional(count("Number of the process on its machine.")),
  bootId: Type.Optional(shortText("Changes when the machine is started again.")),
  launches: Type.Optional(
    Type.Array(Launch, {
      description: "The launchers that started it, from the outermost.",
      maxItems: limits.attemptLaunchesMax,
    }),
  ),
  variables: Type.Optional(
    Type.Array(
      closedObject("AttemptVariable", {
        name: shortText("For instance `SLURM_JOB_ID` or `POD_NAME`."),
        value: shortText("Its value."),
      }),
      {
        description: "Variables of its environment by which launchers know it.",
        maxItems: limits.attemptVariablesMax,
      },
    ),
  ),
  fromStep: Type.Optional(count("Its first step.")),
};

const end = {
  how: oneOfStrings("AttemptEndKind", ["finished", "exited", "killed", "gone"]),
  exitCode: Type.Optional(Type.Integer({ minimum: -(2 ** 31), maximum: 2 ** 32 - 1 })),
  signal: Type.Optional(
    Type.Integer({ description: "Number of the signal.", minimum: 1, maximum: 128 }),
  ),
  error: Type.Optional(shortText("The exception that ended it: its kind and one line.")),
  evidence: Type.Array(shortText("A sentence."), {
    description: "From what this is known.",
    maxItems: limits.attemptEvidenceMax,
  }),
};

const ago = (description: string) =>
  milliseconds(`${description} Milliseconds before the request is sent: clocks are not compared.`);

export const ReportAttemptBody = closedObject("ReportAttemptBody", {
  attempt: id(
    "Common to the processes that were started together; made by the client, unique within the experiment.",
  ),
  process: closedObject("ReportedProcess", {
    id: id("Made by the client, unique within the experiment."),
    ...about,
  }),
  beganAgoMs: ago("When the process began."),
  beatAgoMs: ago("When the process was seen alive last; 0: it lives."),
  toStep: Type.Optional(count("Its last step until then.")),
  end: Type.Optional(closedObject("ReportedEnd", { agoMs: ago("When it ended."), ...end })),
});
export type ReportAttemptBody = Type.Static<typeof ReportAttemptBody>;

export const ReportAttemptReply = closedObject("ReportAttemptReply", {
  nextBeatMs: count("A process that lives reports again after so many milliseconds."),
});
export type ReportAttemptReply = Type.Static<typeof ReportAttemptReply>;

const AttemptProcess = closedObject("AttemptProcess", {
  id: Type.String(),
  ...about,
  toStep: Type.Optional(count("Its last step until now.")),
  state,
  beganAtMs: milliseconds("When it began."),
  beatAtMs: milliseconds("When it was seen alive last."),
  end: Type.Optional(closedObject("AttemptEnd", { atMs: milliseconds("When it ended."), ...end })),
});
export type AttemptProcess = Type.Static<typeof AttemptProcess>;

const Attempt = closedObject("Attempt", {
  attempt: count("Its number, from 1, in the order in which attempts began."),
  id: Type.String(),
  ...standing,
  error: Type.Optional(Type.String({ description: "Of the process that decides the state." })),
  beganAtMs: milliseconds("When its first process began."),
  beatAtMs: milliseconds(
    "When a process of it was seen alive last, of those that have not ended where there are any.",
  ),
  endedAtMs: Type.Optional(milliseconds("When its last process ended; left out: not all have.")),
  fromStep: Type.Optional(count("The least first step of its processes.")),
  toStep: Type.Optional(count("The largest last step of its processes.")),
  next: Type.Optional(
    closedObject(
      "NextAttempt",
      {
        attempt: count("Its number."),
        by: Type.Optional(
          Type.String({ description: "The launcher that started it again; left out: somebody." }),
        ),
      },
      { description: "The attempt that went on after it." },
    ),
  ),
  processes: Type.Array(AttemptProcess, { description: "In the order of the ranks." }),
});
export type Attempt = Type.Static<typeof Attempt>;

export const ReadAttemptsBody = closedObject("ReadAttemptsBody", {
  experimentId: reference("The experiment."),
  limit: Type.Optional(
    Type.Integer({
      description: `The newest attempts, so many at most; ${limits.attemptsReadMax} without it.`,
      minimum: 1,
      maximum: limits.attemptsReadMax,
    }),
  ),
});
export type ReadAttemptsBody = Type.Static<typeof ReadAttemptsBody>;

export const ReadAttemptsReply = closedObject("ReadAttemptsReply", {
  attempts: Type.Array(Attempt, { description: "In the order in which they began." }),
  total: count("Attempts of the experiment."),
  nowMs: milliseconds("The service's clock, by which all times of this reply are meant."),
  silentAfterMs: count("A process that has not ended is silent when not heard of for so long."),
});
export type ReadAttemptsReply = Type.Static<typeof ReadAttemptsReply>;

export const attemptEndpoints = {
  reportAttempt: {
    ...extension,
    method: "POST",
    path: "/api/attempts/v1/experiments/{experimentId}/report",
    summary: "Says that a process of the run has begun, lives, or has ended.",
    about:
      "Each report is the whole of what is known, so that one that was lost, or is sent again, does no harm: the " +
      "first one makes the process, what it says of the process stays, a beat never goes back, and an end stays as " +
      "first reported. The experiment's status does not change.",
    credentials: ["experiment_token"],
    request: { kind: "json", schema: ReportAttemptBody, bytesMax: limits.setupBodyBytesMax },
    reply: { kind: "json", status: 200, schema: ReportAttemptReply },
    errors: [...writeErrors, "conflict"],
  },
  readAttempts: {
    ...extension,
    method: "POST",
    path: "/api/attempts/v1/read",
    summary: "The attempts of a run: their processes, whether these live, and how they ended.",
    about:
      "`POST /api/views/v1/changes` waits for attempts that begin, end, or are heard of again; a process that falls " +
      "silent changes nothing: it is so `silentAfterMs` after its beat.",
    request: { kind: "json", schema: ReadAttemptsBody, bytesMax: limits.setupBodyBytesMax },
    reply: { kind: "json", status: 200, schema: ReadAttemptsReply },
    errors: [...readErrors, "not_found"],
  },
} as const satisfies Record<string, EndpointDefinition>;
