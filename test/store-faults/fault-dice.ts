import { Random } from "../random.ts";
import type { Fault, FaultSubject, Operation } from "../stores/s3-double.ts";

/** Faults of any request. */
const everywhere: Fault[] = [
  { kind: "slowDown" },
  { kind: "internalError" },
  { kind: "requestTimeTooSkewed" },
  { kind: "doneButInternalError" },
  { kind: "lostReply" },
  { kind: "lostRequest" },
  { kind: "latency", latencyMs: 50 },
];
/** Faults in an answer with a body: a HEAD, and an accepted part, have none. */
const inDocuments: Fault[] = [
  { kind: "truncatedXml" },
  { kind: "cutReply" },
  { kind: "trickle", pieceBytes: 64, pauseMs: 10 },
];
const documents: Operation[] = [
  "CreateMultipartUpload",
  "CompleteMultipartUpload",
  "ListParts",
  "ListMultipartUploads",
  "ListObjectsV2",
  "DeleteObjects",
];
/** S3 begins these answers before it is done; who asks twice may be told the upload is gone. */
const inCompletion: Fault[] = [
  { kind: "errorInBody" },
  { kind: "doneButErrorInBody" },
  { kind: "doneButNoSuchUpload" },
];
const slow: Fault[] = [{ kind: "hang" }, { kind: "doneButHang" }];

export interface FaultShares {
  /** The share among all requests to the store, those of the clients too. */
  faultShare: number;
  /** The share among the faults of those that keep a caller waiting, 10 s as a rule. */
  hangShare: number;
  /** Completing may take a store minutes, so that its silence is borne for five of them. */
  hangsInCompletion: boolean;
}

/** Which request fails, and how. Silent until `isThrown`. */
export class FaultDice {
  isThrown = false;
  readonly #random: Random;
  readonly #faultShare: number;
  readonly #hangShare: number;
  readonly #hangsInCompletion: boolean;

  constructor(options: FaultShares & { seed: number }) {
    this.#random = new Random(options.seed);
    this.#faultShare = options.faultShare;
    this.#hangShare = options.hangShare;
    this.#hangsInCompletion = options.hangsInCompletion;
  }

  throw({ operation }: FaultSubject): Fault | undefined {
    if (!this.isThrown || !this.#random.chance(this.#faultShare)) return undefined;
    const mayHang = this.#hangsInCompletion || operation !== "CompleteMultipartUpload";
    if (mayHang && this.#random.chance(this.#hangShare)) return this.#random.pick(slow);
    // There are few completions: half of their faults are of the kinds that nothing else meets.
    const isCompletion = operation === "CompleteMultipartUpload";
    if (isCompletion && this.#random.chance(0.5)) return this.#random.pick(inCompletion);
    const isDocument = documents.includes(operation);
    return this.#random.pick([...everywhere, ...(isDocument ? inDocuments : [])]);
  }
}
