import { after, before, suite } from "node:test";
import { call, type HttpReply, type HttpRequest } from "../http.ts";
import { sharedPostgres } from "../postgres.ts";
import { organizations, Service, type ServiceOptions } from "../service.ts";
import { S3Double } from "../stores/s3-double.ts";
import { makeWorkers } from "../workers.ts";
import { OrganizationCaller, type Target } from "./callers.ts";
import { ReplyCheck } from "./reply-check.ts";

/**
 * `s3` is PostgreSQL with sealed segments in an S3 double, `workers` the same with points on two
 * further databases.
 */
export type Backend = "sqlite" | "postgres" | "s3" | "workers";

/** The service of one topic, and its two organizations. */
export interface System extends Target {
  readonly backend: Backend;
  readonly service: Service;
  readonly acme: OrganizationCaller;
  readonly rival: OrganizationCaller;
  /** Waits until views know all acknowledged points, which takes a second with workers. */
  told(): Promise<void>;
}

export interface TopicOptions extends Pick<
  ServiceOptions,
  "flags" | "nodeFlags" | "environment" | "quotas" | "allowPrivate" | "clouds"
> {
  backends?: Backend[];
  /** A backend where quotas are not that exact, or logs are sealed meanwhile. */
  without?: Backend;
  /**
   * For a topic that kills its service, or uses up what all share, as guessed passwords do; it is
   * so without a word where there are options.
   */
  alone?: boolean;
}

/**
 * One topic of the contract: its tests run on SQLite and again on PostgreSQL.
 * LOSSLESS_TEST_BACKENDS=sqlite takes one of them alone, =s3 and =workers further ones. A topic
 * with options has a service of its own, all others of a process share one, and so do those with
 * the same options that are not `alone`. When the tests are over, every reply that they got is held
 * against the schemas of the service's own OpenAPI document.
 */
export function topic(
  name: string,
  define: (system: System) => void,
  options: TopicOptions = {},
): void {
  const wanted = wantedBackends();
  const further = (["s3", "workers"] as const).filter((backend) => wanted?.includes(backend));
  const usual: Backend[] = ["sqlite", "postgres", ...further];
  const { without, ...others } = options;
  const { backends = usual, alone = Object.keys(others).length > 0, ...serviceOptions } = others;
  for (const backend of backends) {
    if (wanted?.includes(backend) === false || backend === without) continue;
    suite(`${name}, ${backend}`, () => {
      const system = new ObservedSystem(backend);
      before(async () => {
        system.running = await (alone
          ? RunningService.start(backend, serviceOptions)
          : sharedService(backend, serviceOptions));
      });
      after(async () => {
        await using _ = alone ? system.running : undefined;
        system.check();
      });
      define(system);
    });
  }
}

/**
 * Tests that start services of their own, and end them: once and not for each backend, where
 * several services run anyway, which is beside PostgreSQL.
 */
export function ownServices(name: string, define: () => void): void {
  if (wantedBackends()?.includes("postgres") !== false) suite(name, define);
}

const wantedBackends = () => process.env.LOSSLESS_TEST_BACKENDS?.split(",");

/** By their backends and options. */
const shared = new Map<string, Promise<RunningService>>();

function sharedService(backend: Backend, options: ServiceOptions): Promise<RunningService> {
  const name = JSON.stringify([backend, options]);
  const found = shared.get(name);
  if (found !== undefined) return found;
  const running = RunningService.start(backend, options);
  shared.set(name, running);
  // One start that failed is the failure of one topic.
  running.catch(() => shared.delete(name));
  return running;
}

after(async () => {
  for (const running of shared.values()) await (await running)[Symbol.asyncDispose]();
});

/** The system for the tests of one topic. */
class ObservedSystem implements System {
  readonly backend: Backend;
  readonly acme: OrganizationCaller;
  readonly rival: OrganizationCaller;
  running: RunningService | undefined;
  readonly #seen: { request: HttpRequest; reply: HttpReply }[] = [];

  constructor(backend: Backend) {
    this.backend = backend;
    this.acme = new OrganizationCaller(this, organizations.acme.key);
    this.rival = new OrganizationCaller(this, organizations.rival.key);
  }

  get service(): Service {
    if (this.running === undefined) throw new Error("the service is used before it runs");
    return this.running.service;
  }

  get baseUrl(): string {
    return this.service.baseUrl;
  }

  async told(): Promise<void> {
    const sinceMs = this.backend === "workers" ? Date.now() : -Infinity;
    for (let asOfMs = sinceMs - 1; asOfMs < sinceMs;) {
      const path = "/api/views/v1/experiments";
      const { credential } = this.acme;
      const reply = await call(this.baseUrl, { path, credential, body: { limit: 0 } });
      ({ asOfMs } = JSON.parse(reply.text) as { asOfMs: number });
    }
  }

  observe(request: HttpRequest, reply: HttpReply): void {
    this.#seen.push({ request, reply });
  }

  check(): void {
    for (const { request, reply } of this.#seen) this.running?.replies.check(request, reply);
  }
}

/** A service, with its store if it has one; ends in good order or fails. */
class RunningService implements AsyncDisposable {
  readonly service: Service;
  readonly replies: ReplyCheck;
  readonly #resources: AsyncDisposableStack;

  private constructor(service: Service, replies: ReplyCheck, resources: AsyncDisposableStack) {
    this.service = service;
    this.replies = replies;
    this.#resources = resources;
  }

  static async start(backend: Backend, options: ServiceOptions): Promise<RunningService> {
    await using resources = new AsyncDisposableStack();
    const databaseUrl =
      backend === "sqlite" ? undefined : await (await sharedPostgres()).createDatabase();
    const segments = backend === "s3" ? storeOptions(resources.use(await S3Double.start())) : {};
    const workers = backend === "workers" ? resources.use(await makeWorkers()) : undefined;
    const isInStore = backend === "s3" || backend === "workers";
    const service = resources.use(
      await Service.start({
        people: true,
        ...options,
        databaseUrl,
        flags: [
          ...(segments.flags ?? []),
          // Often enough to use the store.
          ...(isInStore ? ["--seal-points", "20"] : []),
          ...(options.flags ?? []),
        ],
        environment: { ...segments.environment, ...workers?.environment, ...options.environment },
      }),
    );
    await workers?.hideOthers();
    const replies = await ReplyCheck.of(service.baseUrl);
    return new RunningService(service, replies, resources.move());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await using _ = this.#resources;
    const exit = await this.service.stop();
    if (exit !== 0) throw new Error(`the service ended with ${exit}\n${this.service.errors}`);
  }
}

function storeOptions(store: S3Double): Pick<ServiceOptions, "flags" | "environment"> {
  return {
    flags: ["--segments", `s3://b/segments?endpoint=${store.endpoint}`],
    environment: {
      AWS_ACCESS_KEY_ID: store.accessKeyId,
      AWS_SECRET_ACCESS_KEY: store.secretAccessKey,
    },
  };
}
