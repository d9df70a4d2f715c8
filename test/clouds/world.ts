import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LosslessClient } from "@lossless/client";
import { pull, type PulledVersion, push, type PushedVersion } from "@lossless/client/files";
import type {
  CompleteConnectionBody,
  Connection,
  Location,
  OrganizationView,
  VersionRecord,
} from "@lossless/protocol";
import { run } from "../cli/command-line.ts";
import { address, type Query } from "../contract/artifact-caller.ts";
import { observed, type Target } from "../contract/callers.ts";
import { type PersonName, signIn } from "../contract/people.ts";
import { ReplyCheck } from "../contract/reply-check.ts";
import { freePort } from "../free-port.ts";
import { type HttpReply, type HttpRequest, ok } from "../http.ts";
import { organizations, Service, type ServiceOptions } from "../service.ts";

/** As the key `clouds` of the provision file takes them. */
export type CloudAddresses = NonNullable<ServiceOptions["clouds"]>;
export type CloudName = Connection["cloud"];

export interface WorldOptions extends ServiceOptions {
  /** Where the counterparts listen. */
  clouds: CloudAddresses;
}

/**
 * The real service beside counterparts of the clouds, and those who use it: ada sets up acme, rita
 * sets up rival, runs push and pull with the organization's API key. It keeps its port when it is
 * started again, since the port is part of the issuer that the clouds trust.
 */
export class World implements Target, AsyncDisposable {
  readonly service: Service;
  /** For what is pushed and pulled. */
  readonly directory: string;
  readonly #check: ReplyCheck;
  readonly #sessions = new Map<PersonName, string>();

  private constructor(service: Service, directory: string, check: ReplyCheck) {
    this.service = service;
    this.directory = directory;
    this.#check = check;
  }

  static async start({ flags = [], ...options }: WorldOptions): Promise<World> {
    const service = await Service.start({
      people: true,
      allowPrivate: ["127.0.0.0/8"],
      ...options,
      flags: ["--port", String(await freePort()), ...flags],
    });
    const directory = await mkdtemp(join(tmpdir(), "lossless-world-"));
    return new World(service, directory, await ReplyCheck.of(service.baseUrl));
  }

  get baseUrl(): string {
    return this.service.baseUrl;
  }

  observe(request: HttpRequest, reply: HttpReply): void {
    this.#check.check(request, reply);
  }

  /** A new process on the same data: nothing that was kept in memory is left. */
  async restart(): Promise<void> {
    await this.service.stop();
    await this.service.start();
  }

  /** As an operator does it beside the running service; at once, though the next key is young. */
  async rotateIssuerKeys(): Promise<void> {
    const data = ["--data", this.service.dataDirectory];
    const done = await run(this.baseUrl, "issuer", "rotate", "--force", ...data);
    if (done.code !== 0) throw new Error(`issuer rotate ended with ${done.code}: ${done.stderr}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service[Symbol.asyncDispose]();
    await rm(this.directory, { recursive: true, force: true });
  }

  // ---- setting up

  /** The session token of a person; it is made once. */
  async signIn(person: PersonName = "ada"): Promise<string> {
    const kept = this.#sessions.get(person);
    if (kept !== undefined) return kept;
    const token = await signIn(this, person);
    this.#sessions.set(person, token);
    return token;
  }

  /** Any request of `/api/v1/<path>` by a person. */
  async request(
    method: string,
    path: string,
    {
      query = {},
      body,
      person = "ada",
    }: { query?: Query; body?: unknown; person?: PersonName } = {},
  ): Promise<HttpReply> {
    const credential = await this.signIn(person);
    return observed(this, { method, path: address(path, query), credential, body });
  }

  async view(person: PersonName = "ada"): Promise<OrganizationView> {
    return ok(await this.request("GET", "org", { person }), 200);
  }

  async createConnection(
    cloud: CloudName,
    { name = `${cloud} account`, person = "ada" }: { name?: string; person?: PersonName } = {},
  ): Promise<Connection> {
    const body = { cloud, name };
    return ok(await this.request("POST", "connections", { body, person }), 201);
  }

  tryComplete(
    { id }: Pick<Connection, "id">,
    body: CompleteConnectionBody,
    person: PersonName = "ada",
  ): Promise<HttpReply> {
    return this.request("PUT", "connections", { query: { id }, body, person });
  }

  async completeConnection(
    connection: Pick<Connection, "id">,
    body: CompleteConnectionBody,
    person: PersonName = "ada",
  ): Promise<Connection> {
    return ok(await this.tryComplete(connection, body, person), 200);
  }

  tryRemove({ id }: Pick<Connection, "id">, person: PersonName = "ada"): Promise<HttpReply> {
    return this.request("DELETE", "connections", { query: { id }, person });
  }

  tryCreateLocation(
    connection: Pick<Connection, "id">,
    region: string,
    { name, person = "ada" }: { name?: string; person?: PersonName } = {},
  ): Promise<HttpReply> {
    const body = {
      kind: "created",
      connection: connection.id,
      region,
      ...(name === undefined ? {} : { name }),
    };
    return this.request("POST", "locations", { body, person });
  }

  async createLocation(
    connection: Pick<Connection, "id">,
    region: string,
    more: { name?: string; person?: PersonName } = {},
  ): Promise<Location> {
    return ok(await this.tryCreateLocation(connection, region, more), 201);
  }

  async retire({ id }: Pick<Location, "id">, person: PersonName = "ada"): Promise<Location> {
    const body = { state: "retired" };
    return ok(await this.request("PATCH", "locations", { query: { id }, body, person }), 200);
  }

  // ---- using it

  client(organization: keyof typeof organizations = "acme"): LosslessClient {
    const retry = { firstDelayMs: 10, longestDelayMs: 200, retryForMs: 60_000 };
    const apiKey = organizations[organization].key;
    return new LosslessClient({ baseUrl: this.baseUrl, apiKey, retry });
  }

  /** Pushes a directory, as a run does that stands beside the location. */
  push(
    artifact: string,
    path: string,
    { cloud, region }: Pick<Location, "cloud" | "region">,
  ): Promise<PushedVersion> {
    return push(this.client(), {
      artifact,
      path,
      place: { cloud, region, source: "world" },
      recordDirectory: join(this.directory, "records"),
    });
  }

  /** Pulls the latest version into a directory that does not exist yet. */
  pull(artifact: string, directory: string): Promise<PulledVersion> {
    return pull(this.client(), { artifact, directory });
  }

  /** With addresses, unless `urls` is false. */
  readVersion(artifact: string, urls = true): Promise<VersionRecord> {
    return this.client().artifacts.readVersion(artifact, "latest", { urls });
  }
}
