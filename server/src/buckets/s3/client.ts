import type * as Sdk from "@aws-sdk/client-s3";
import type {
  $Command,
  S3Client,
  S3ClientResolvedConfig,
  ServiceInputTypes,
  ServiceOutputTypes,
} from "@aws-sdk/client-s3";
import { withDeadline } from "../../ground/deadline.ts";
import { StoreError } from "../bucket.ts";
import type { EgressPolicy } from "../egress.ts";
import { invalidReply, storeErrorOf } from "./failure.ts";
import { plainReply, replyBytesMax, UnreadableReply, type WantedList } from "./replies.ts";
import { requestHandler, StoreTransport, type OutgoingRequest } from "./transport.ts";
import type { XmlElement } from "../store-xml.ts";

export interface S3Settings {
  /** An origin, as EgressPolicy.checkEndpoint returns it. */
  endpoint: string;
  bucket: string;
  signingRegion: string;
  pathStyle: boolean;
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string | undefined;
  /** The end of that session, unix milliseconds: no address lives longer. */
  sessionExpiresAtMs?: number | undefined;
  /** Account that must own the bucket: the store refuses control calls when another one does. */
  expectedOwner?: string | undefined;
  /** Clock by which addresses are signed; the system's unless a test has its own. */
  clock?: (() => number) | undefined;
  /** Egress policy; null for the operator's own store, which needs no permission. */
  egress: EgressPolicy | null;
  /** Bounds every call with all its attempts. To complete may take longer, unless this is given. */
  deadlineMs?: number | undefined;
  /** Maximum of attempts; 1: no call is repeated. */
  attemptsMax?: number | undefined;
  /** Parts of one upload, where the probe found fewer than 10,000. */
  partsMax?: number | undefined;
  /** Transforms every attempt on its way, where the store takes no S3 signature. */
  through?: ((request: OutgoingRequest, send: SendRequest) => SentReply) | undefined;
  /** Advice for the person who must act, by the store's code. */
  advice?: Readonly<Record<string, string>> | undefined;
}

type SentReply = ReturnType<StoreTransport["handle"]>;
export type SendRequest = (request: OutgoingRequest) => SentReply;

/** Loaded with the first call to a store: main thread and storage threads start without it. */
export type S3Sdk = typeof Sdk;

/** Makes the command of a call. */
type CommandOf<Input extends ServiceInputTypes, Output extends ServiceOutputTypes> = (
  sdk: S3Sdk,
) => $Command<Input, Output, S3ClientResolvedConfig, ServiceInputTypes, ServiceOutputTypes>;

/** The SDK's client: every call has an end, every failure is a StoreError. */
export class S3ControlClient {
  readonly #settings: S3Settings;
  readonly #transport: StoreTransport;
  readonly #deadlineMs: number;
  readonly #attemptsMax: number;
  readonly #advice: S3Settings["advice"];
  readonly #ended = new AbortController();
  #client: S3Client | undefined;

  constructor(settings: S3Settings, deadlineMs: number) {
    this.#settings = settings;
    this.#deadlineMs = deadlineMs;
    this.#attemptsMax = settings.attemptsMax ?? usualAttemptsMax;
    this.#advice = settings.advice;
    this.#transport = new StoreTransport(settings.egress, Math.min(silenceMs, deadlineMs));
  }

  get clockDifferenceMs(): number | undefined {
    const clock = this.#transport.storeClock;
    return clock && clock.storeMs - clock.receivedAtMs;
  }

  /** `operation` is for people. The deadline is of all attempts together. */
  async send<Input extends ServiceInputTypes, Output extends ServiceOutputTypes>(
    operation: string,
    commandOf: CommandOf<Input, Output>,
    deadlineMs = this.#deadlineMs,
    list?: WantedList,
  ): Promise<Output> {
    const sdk = await import("@aws-sdk/client-s3");
    this.#client ??= clientOf(sdk, this.#settings, this.#transport);
    const command = commandOf(sdk);
    const deadline = AbortSignal.timeout(deadlineMs);
    const abortSignal = AbortSignal.any([deadline, this.#ended.signal]);
    for (let attempt = 1; ; attempt++) {
      try {
        const options: CallOptions = { abortSignal, list };
        return await this.#client.send(command, options);
      } catch (error) {
        const failure = advised(storeErrorOf(error, operation, deadline.aborted), this.#advice);
        // The SDK tries again after every other failure that may pass.
        if (failure.code !== invalidReply || attempt >= this.#attemptsMax) throw failure;
      }
    }
  }

  /** The document that a call for a list is answered with; its root has this name. */
  async list<Input extends ServiceInputTypes, Output extends ServiceOutputTypes>(
    operation: string,
    commandOf: CommandOf<Input, Output>,
    rootName: string,
  ): Promise<XmlElement> {
    const list: WantedList = {};
    await this.send(operation, commandOf, this.#deadlineMs, list);
    if (list.root?.name === rootName) return list.root;
    throw storeErrorOf(new UnreadableReply(`The root is no ${rootName}.`), operation, false);
  }

  /** Calls under way fail. */
  destroy(): void {
    this.#ended.abort();
    this.#transport.destroy();
    this.#client?.destroy();
  }
}

/** Options of one call, which the SDK hands on to its request handler. */
interface CallOptions {
  abortSignal: AbortSignal;
  list: WantedList | undefined;
}

const silenceMs = 10_000;
const usualAttemptsMax = 3;

function deadlinePassed(): never {
  throw new DOMException("The deadline has passed.", "AbortError");
}

function advised(error: StoreError, known: S3Settings["advice"]): StoreError {
  const advice = known?.[error.code];
  if (advice === undefined || error.advice !== undefined) return error;
  return new StoreError(error.code, error.transient, error.message, error, advice);
}

/**
 * Opens a client independent of the environment: the SDK would look for settings left out here in
 * variables and files of the user that runs the service.
 */
function clientOf({ S3Client }: S3Sdk, settings: S3Settings, transport: StoreTransport): S3Client {
  const { accessKeyId, secretAccessKey, sessionToken } = settings;
  return new S3Client({
    endpoint: settings.endpoint,
    region: settings.signingRegion,
    forcePathStyle: settings.pathStyle,
    credentials: {
      accessKeyId,
      secretAccessKey,
      ...(sessionToken !== undefined && { sessionToken }),
    },
    requestHandler: requestHandler<Partial<CallOptions>>(
      transport,
      async (request, { abortSignal, list }) => {
        const bytesMax = replyBytesMax(request, list);
        const send: SendRequest = (changed) => transport.handle(changed, bytesMax, abortSignal);
        const { through } = settings;
        const { response } = await (through === undefined
          ? send(request)
          : // It may wait for a token first, of which the SDK's deadline knows nothing.
            withDeadline(abortSignal, () => through(request, send), deadlinePassed));
        return { response: await plainReply(response, request, list) };
      },
    ),
    maxAttempts: settings.attemptsMax ?? usualAttemptsMax,
    retryMode: "standard",
    defaultsMode: "standard",
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    followRegionRedirects: false,
    expectContinueHeader: false,
    useDualstackEndpoint: false,
    useFipsEndpoint: false,
    useArnRegion: false,
    disableMultiregionAccessPoints: true,
    disableS3ExpressSessionAuth: true,
    authSchemePreference: [],
    disableClockSkewCorrection: false,
    userAgentAppId: "lossless",
  });
}
