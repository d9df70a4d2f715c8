import { after, before, suite } from "node:test";
import type { HttpReply, HttpRequest } from "../http.ts";
import { sharedPostgres } from "../postgres.ts";
import { organizations, Service } from "../service.ts";
import type { ServiceOptions } from "../service.ts";
import { S3Double } from "../stores/s3-double.ts";
import { OrganizationCaller } from "./callers.ts";
import type { Target } from "./callers.ts";
import { ReplyCheck } from "./reply-check.ts";

/** `s3` is PostgreSQL with sealed segments in an S3 double. */
export type Backend = "sqlite" | "postgres" | "s3";

/** The service of one topic, and its two organizations. */
export interface System extends Target {
  readonly backend: Backend;
  readonly service: Service;
  readonly acme: OrganizationCaller;
  readonly rival: OrganizationCaller;
}

export interface TopicOptions extends Pick<
  ServiceOptions,
  "flags" | "nodeFlags" | "environment" | "people" | "quotas" | "allowPrivate" | "clouds"
> {
  backends?: Backend[];
}

/**
 * One topic of the contract: its tests run against a service of their own on SQLite and again on PostgreSQL.
 * LOSSLESS_TEST_BACKENDS=sqlite takes one of them alone, =s3 a third one. When the tests are over, every reply that the
 * service gave to them is held against the schemas of its own OpenAPI document.
 */
export function topic(
  name: string,
  define: (system: System) => void,
  options: TopicOptions = {},
): void {
  const wanted = process.env.LOSSLESS_TEST_BACKENDS?.split(",");
  const usual: Backend[] = wanted?.includes("s3")
    ? ["sqlite", "postgres", "s3"]
    : ["sqlite", "postgres"];
  for (const backend of options.backends ?? usual) {
    if (wanted?.includes(backend) === false) continue;
    suite(`${name}, ${backend}`, () => {
      const system = new RunningSystem(backend, options);
      before(() => system.start());
      after(() => system.stop());
      define(system);
    });
  }
}

class RunningSystem implements System {
  readonly backend: Backend;
  readonly acme: OrganizationCaller;
  readonly rival: OrganizationCaller;
  readonly #options: TopicOptions;
  readonly #seen: { request: HttpRequest; reply: HttpReply }[] = [];
  readonly #resources = new AsyncDisposableStack();
  #service: Service | undefined;

  constructor(backend: Backend, options: TopicOptions) {
    this.backend = backend;
    this.#options = options;
    this.acme = new OrganizationCaller(this, organizations.acme.key);
    this.rival = new OrganizationCaller(this, organizations.rival.key);
  }

  get service(): Service {
    if (this.#service === undefined) throw new Error("the service is used before it runs");
    return this.#service;
  }

  get baseUrl(): string {
    return this.service.baseUrl;
  }

  observe(request: HttpRequest, reply: HttpReply): void {
    this.#seen.push({ request, reply });
  }

  async start(): Promise<void> {
    const { backends: _, ...options } = this.#options;
    let databaseUrl: string | undefined;
    if (this.backend !== "sqlite") {
      databaseUrl = await (await sharedPostgres()).createDatabase();
    }
    const segments = this.backend === "s3" ? await this.#startStore() : {};
    const service = await Service.start({
      ...options,
      databaseUrl,
      flags: [...(segments.flags ?? []), ...(options.flags ?? [])],
      environment: { ...segments.environment, ...options.environment },
    });
    this.#service = this.#resources.use(service);
  }

  /** A store, and a service that seals often enough to use it. */
  async #startStore(): Promise<Pick<ServiceOptions, "flags" | "environment">> {
    const store = this.#resources.use(await S3Double.start());
    return {
      flags: ["--segments", `s3://b/segments?endpoint=${store.endpoint}`, "--seal-points", "20"],
      environment: {
        AWS_ACCESS_KEY_ID: store.accessKeyId,
        AWS_SECRET_ACCESS_KEY: store.secretAccessKey,
      },
    };
  }

  async stop(): Promise<void> {
    await using _ = this.#resources;
    if (this.#service === undefined) return;
    const replies = await ReplyCheck.of(this.baseUrl);
    for (const { request, reply } of this.#seen) replies.check(request, reply);
    const exit = await this.#service.stop();
    if (exit !== 0) throw new Error(`the service ended with ${exit}\n${this.#service.errors}`);
  }
}
