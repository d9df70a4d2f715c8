import { EgressPolicy } from "../buckets/egress.ts";
import { Sealing } from "../ground/sealing.ts";
import { IdentityProviders } from "../accounts/openid/identity-providers.ts";
import { configOf } from "../settings/config.ts";
import { Figures } from "../ground/figures/figures.ts";
import { ServiceError } from "../ground/errors.ts";
import { createLog } from "../ground/log.ts";
import type { ReplyBytes } from "../ground/reply-text.ts";
import { hashSecret } from "../ground/secrets.ts";
import {
  type Outcome,
  PointResult,
  type SeriesQuery,
  type Storage,
  type Write,
} from "../storage/storage.ts";
import type { ArtifactServices } from "../artifacts/versions/artifact-services.ts";
import { bodiesOf } from "./bodies/bodies.ts";
import { callersOf } from "./callers/callers.ts";
import { Credentials } from "./callers/credentials.ts";
import { clientLimitsOf } from "./limits/client-limits.ts";
import { repliesOf } from "./replies/made-replies.ts";
import type { HttpContext } from "./http-context.ts";
import { openApiText } from "./openapi.ts";
import { createHttpServer } from "./server.ts";
import { ServiceState } from "./service-state.ts";

/** Secrets of the form the service makes, so that their checksums are right. */
export const apiKey = `ak_${"k".repeat(44)}`;

export type Answer = (name: string, input: Record<string, unknown>) => unknown;

/** A storage for tests of HTTP: remembers what it was asked and answers as the test says. */
export class TestStorage implements Storage {
  readonly writes: Write[][] = [];
  readonly reads: { name: string; input: unknown }[] = [];
  readonly streams: SeriesQuery[] = [];
  /** By secret. */
  readonly credentials = new Map<string, object>();
  onCall: Answer = (name) => ({ did: name });
  onRead: Answer = (name) => ({ did: name });
  onWrite: (writes: Write[]) => void | Promise<void> = () => {};
  pointResults: number[] = [];
  lines: () => AsyncIterable<Uint8Array> = async function* () {
    yield Buffer.from('{"event":"done"}\n');
  };

  async write(writes: Write[]): Promise<Outcome[]> {
    this.writes.push(writes);
    await this.onWrite(writes);
    return writes.map((write): Outcome => {
      if (write.kind === "metrics") {
        const results = new Uint8Array(write.points.count).fill(PointResult.stored);
        results.set(this.pointResults.splice(0, write.points.count));
        return { kind: "metrics", results };
      }
      const value = this.onCall(write.name, { ...write.input });
      return isError(value) ? (value as Outcome) : { kind: "value", value };
    });
  }

  async read(name: string, input: unknown): Promise<never> {
    this.reads.push({ name, input });
    const given = input as Record<string, unknown>;
    return (
      name === "credentials.find" ? this.#credentials(given) : this.onRead(name, given)
    ) as never;
  }

  async readReply(name: string, input: unknown, { left }: ReplyBytes): Promise<Uint8Array[]> {
    this.reads.push({ name, input });
    const bytes = Buffer.from(
      JSON.stringify(await this.onRead(name, input as Record<string, unknown>)),
    );
    if (bytes.length > left) throw new ServiceError("result_too_large", "too large");
    return [bytes];
  }

  #credentials({ questions }: { questions?: unknown }): (object | null)[] {
    return (questions as { hash: Uint8Array }[]).map(({ hash }) => {
      for (const [secret, credential] of this.credentials) {
        if (Buffer.compare(hashSecret(secret), hash) === 0) return credential;
      }
      return null;
    });
  }

  async stream(query: SeriesQuery): Promise<AsyncIterable<Uint8Array>> {
    this.streams.push(query);
    return this.lines();
  }

  async pointsCsv(): Promise<AsyncIterable<Uint8Array>> {
    return this.lines();
  }

  async tableCsv(): Promise<AsyncIterable<Uint8Array>> {
    return this.lines();
  }

  async exportFile(): Promise<AsyncIterable<Uint8Array>> {
    return this.lines();
  }

  expectReads(): void {}

  async statistics(): Promise<Record<string, number>> {
    return {};
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

function isError(value: unknown): boolean {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "error";
}

/** Tests of the HTTP side alone reach no bucket. */
const noBucket = () => Promise.reject(new Error("BUG: a bucket was reached"));
const services: ArtifactServices = {
  versions: {
    open: noBucket,
    begin: noBucket,
    resign: noBucket,
    commit: noBucket,
    read: noBucket,
    list: noBucket,
    fileAddress: noBucket,
    filePart: noBucket,
    sentBytes: noBucket,
  },
  connections: {
    complete: () => Promise.reject(new Error("BUG: a cloud was asked")),
  },
  locations: {
    add: () => Promise.reject(new Error("BUG: a location was added")),
  },
  objects: {
    part: () => {
      throw new ServiceError("forbidden", "No address is signed here.");
    },
    writePart: () => Promise.reject(new Error("BUG: a part was written")),
    open: () => Promise.reject(new ServiceError("forbidden", "No address is signed here.")),
  },
  files: {
    put: noBucket,
    open: noBucket,
    address: noBucket,
    part: noBucket,
    delete: noBucket,
    parts: {
      isOffered: async () => false,
      start: noBucket,
      complete: noBucket,
      abort: noBucket,
    },
  },
};

const issuer = { documents: () => Promise.reject(new Error("BUG: the issuer was asked")) };

const identityProviders = new IdentityProviders({
  egress: new EgressPolicy({ allowPrivate: [], ownAddresses: () => [] }),
  sealing: new Sealing(new Uint8Array(32)),
  clock: Date.now,
  baseUrl: () => "http://lossless.test",
});

export interface TestService {
  app: ReturnType<typeof createHttpServer>;
  context: HttpContext;
  state: ServiceState;
  storage: TestStorage;
  logged: string[];
}

/** The HTTP server on a TestStorage that knows one key; not listening, its port counts as 80. */
export function testService(options: Parameters<typeof configOf>[0] = {}): TestService {
  const config = configOf(options);
  const logged: string[] = [];
  const log = createLog("debug", (line) => logged.push(line));
  const state = new ServiceState();
  const storage = new TestStorage();
  storage.credentials.set(apiKey, {
    kind: "api_key",
    keyId: "key",
    organization: { id: "organization", name: "acme" },
    lastUsedAtMs: Date.now(),
  });
  state.serve(storage, new Uint32Array([1, 2, 3, 4]), services, issuer, identityProviders);
  const figures = new Figures();
  const documents = { openApi: openApiText(""), web: { shell: undefined, asset: () => undefined } };
  const context: HttpContext = {
    settings: config,
    log,
    figures,
    tracing: undefined,
    state,
    probe: async () => ({ reads: true, writes: true }),
    clock: Date.now,
    baseUrl: () => "http://lossless.test",
    issuerUrl: () => "https://issuer.test",
    basePath: "",
    limits: clientLimitsOf(config, figures, () => boundPort(app) ?? 80),
    bodies: bodiesOf(config),
    callers: callersOf(config, new Credentials(true, Date.now, () => {})),
    replies: repliesOf(config, documents, state.streamsEnd),
  };
  const app = createHttpServer(context);
  return { app, context, state, storage, logged };
}

/** Runs `work` on one that listens. */
export async function listeningService(
  options: Parameters<typeof testService>[0],
  work: (service: TestService) => Promise<void>,
): Promise<void> {
  const service = testService(options);
  await service.app.listen({ host: "127.0.0.1", port: 0 });
  try {
    await work(service);
  } finally {
    service.app.server.closeAllConnections();
    await service.app.close();
  }
}

function boundPort(app: TestService["app"]): number | undefined {
  const address = app.server.address();
  return typeof address === "object" ? address?.port : undefined;
}
