import { existsSync } from "node:fs";
import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import { Figures, addSweeperFigures } from "./ground/figures/figures.ts";
import { type AdminServer, startAdminServer } from "./operator/pages/admin-server.ts";
import { serveOperatorPages } from "./operator/pages/operator-pages.ts";
import { Runner } from "./storage/background/runner.ts";
import type { BuiltInBucket } from "./buckets/built-in/bucket.ts";
import { EgressPolicy, type OwnAddress } from "./buckets/egress.ts";
import { openClouds } from "./places/clouds/clouds.ts";
import { mergeEndpoints } from "./places/clouds/endpoints.ts";
import { IdentityProviders } from "./accounts/openid/identity-providers.ts";
import { IssuerRotation } from "./places/issuer/rotation.ts";
import { Issuer } from "./places/issuer/issuer.ts";
import { systemClock } from "./ground/clock.ts";
import { type Config, warningsOf } from "./settings/config.ts";
import { DatabaseError } from "./database/database.ts";
import { lockDirectory } from "./database/lock.ts";
import { ServiceError } from "./ground/errors.ts";
import { bodiesOf } from "./http/bodies/bodies.ts";
import { callersOf } from "./http/callers/callers.ts";
import { Credentials } from "./http/callers/credentials.ts";
import { clientLimitsOf } from "./http/limits/client-limits.ts";
import { repliesOf } from "./http/replies/made-replies.ts";
import { documentsOf } from "./http/documents.ts";
import type { HttpContext } from "./http/http-context.ts";
import { RateLimit } from "./http/callers/rate-limit.ts";
import { createHttpServer } from "./http/server.ts";
import { ServiceState } from "./http/service-state.ts";
import { listenUrl } from "./ground/listen-address.ts";
import type { Log } from "./ground/log.ts";
import { masterKeyInDirectory, readMasterKey, requireMasterKey } from "./settings/master-key.ts";
import { ConfigError } from "./settings/options.ts";
import { joinLink } from "./accounts/rows/people/join-link.ts";
import type { ProvisionFile } from "./settings/provision-file.ts";
import {
  checkStored,
  type ProvisionedParts,
  provisionAgain,
  provisionOrganizations,
  provisionSettings,
  readProvision,
} from "./operator/provisioning.ts";
import { storageProbe } from "./http/readiness.ts";
import { Sealing } from "./ground/sealing.ts";
import { workersOf } from "./settings/workers-file.ts";
import { segmentStoreOf } from "./settings/segment-store.ts";
import { openStorage, type OpenStorage } from "./storage/threaded-storage.ts";
import { StorageThreads } from "./storage/threads.ts";
import { openBuiltIn } from "./places/stores/built-in-location.ts";
import { openTracing } from "./storage/tracing/open-tracing.ts";
import { tracedStorage } from "./storage/tracing/traced-storage.ts";
import { tracedTask } from "./storage/tracing/traced-task.ts";
import type { Tracing } from "./storage/tracing/tracing.ts";
import { OpenArtifactServices } from "./artifacts/versions/artifact-services.ts";
import type { Watching } from "./http/watching/watching.ts";

export interface ServiceEvents {
  /**
   * Called when storage cannot go on: the process has to end with exitCodeOf(error), with no more
   * replies.
   */
  fatal(error: Error): void;
  /**
   * Receives the credentials of a first start, which are shown only then. The link lets a person
   * become the owner.
   */
  firstStart(made: { apiKey: string; setupLink: string }): void;
}

export interface RunningService {
  /** The listen address, `http://host:port`. */
  readonly url: string;
  /** Address of /metrics, with --admin-port. */
  readonly adminUrl: string | undefined;
  /** Applies the provision file again. Throws ConfigError before anything is changed by it. */
  reload(): Promise<void>;
  /** Drains and stops; resolves when everything is closed. */
  close(): Promise<void>;
}

/** Whether an error of the storage threads means damaged data: of a worker, or by its name. */
function isDamage(error: Error | undefined): boolean {
  if (error instanceof DatabaseError) return error.kind === "damaged";
  return error?.name === "CorruptData" || error?.name === "DamagedExperiment";
}

/**
 * Maximum of new locations and connections of one organization: each makes us call a store that it
 * names.
 */
const probesPerMinute = 60;

/** Time that requests in flight may take when the service stops. */
const finishDeadlineMs = 30_000;

/**
 * Builds the service: configuration -> HTTP -> storage. It listens before storage is open, so that
 * the health pages answer while a large log is read; everything else gets 503 until then.
 */
export async function startService(
  config: Config,
  log: Log,
  events: ServiceEvents,
  threads: StorageThreads = new StorageThreads(config.readerThreads),
): Promise<RunningService> {
  await using opened = new AsyncDisposableStack();
  opened.defer(() => threads.close());
  const provision = readProvision(config.provision, log);
  if (config.masterKeyFile !== undefined) readMasterKey(config.masterKeyFile);
  const figures = new Figures();
  const address = { host: config.host, port: config.port };
  const warn = (message: string, err?: unknown) => log.warn({ err }, message);
  const tracing = await openTracing(config, warn);
  opened.use(tracing);
  const { context, state } = buildContext(config, log, figures, address, tracing);
  const app = createHttpServer(context);
  opened.defer(() => closeHttp(app, context, 0));
  opened.use(context.bodies.reader);
  const url = await listen(app, config, address);
  const admin = opened.use(await listenForOperators(config));
  for (const warning of warningsOf(config, boundHost(app, config))) log.warn(warning);
  const threaded = opened.use(await open(config, context, events, threads));
  const storage = tracedStorage(threaded, tracing, config);
  const sealing = await openSealing(config, storage);
  const own: OwnAddress[] = [{ address: boundHost(app, config), port: address.port }];
  if (admin !== undefined) own.push(admin);
  const egress = new EgressPolicy({
    allowPrivate: provision?.egress?.allowPrivate ?? [],
    ownAddresses: () => own,
  });
  const builtIn = await openArtifacts(config, sealing, context, events, storage);
  const issuerUrl = context.issuerUrl();
  const issuer = new Issuer({ storage, sealing, issuerUrl, clock: systemClock });
  const sharesDatabase = config.databaseUrl !== undefined;
  const endpoints = mergeEndpoints(provision?.clouds);
  const clouds = openClouds({ tokens: issuer, endpoints, clock: systemClock });
  const { baseUrl } = context;
  const talk = { egress, sealing, clock: systemClock, baseUrl };
  const identityProviders = opened.use(new IdentityProviders(talk));
  const parts = { storage, sealing, egress, clouds, builtIn, log, sharesDatabase, baseUrl };
  const services = opened.use(openArtifactServices(parts));
  const rotation = openRotation(issuer, context, config, storage);
  const tasks = [
    tracedTask("sweep uploads", services.sweeper, tracing),
    tracedTask("rotate issuer keys", rotation, tracing),
  ].map((task) => opened.use(new Runner(task, warn)));
  const provisioned = { storage, services, identityProviders, log };
  await beginPeople(provisioned, provision, context, events);
  await provisionSettings(provisioned, provision);
  state.serve(storage, storage.hashSeed, services, issuer, identityProviders);
  // Storage that cannot go on ends the process there, too.
  for (const task of tasks) void task.run();
  addSweeperFigures(figures.registry, services.sweeper.figures);
  if (admin !== undefined) opened.use(serveOperatorPages(admin, config, context, storage));
  const resources = opened.move();
  const drainMs = config.drainMs ?? (config.databaseUrl === undefined ? 0 : 5_000);
  return {
    url,
    adminUrl: admin?.url,
    reload: () => provisionAgain(config.provision, context.callers.passwords, provisioned),
    async close() {
      state.drain();
      if (drainMs > 0) await new Promise((resolve) => setTimeout(resolve, drainMs));
      state.stop();
      await closeHttp(app, context, finishDeadlineMs);
      await resources.disposeAsync();
    },
  };
}

function buildContext(
  config: Config,
  log: Log,
  figures: Figures,
  address: { host: string; port: number },
  tracing: Tracing | undefined,
): { context: HttpContext; state: ServiceState } {
  const state = new ServiceState();
  const credentials = new Credentials(config.databaseUrl === undefined, systemClock, (error) =>
    log.warn({ err: error }, "the last use of API keys was not written down"),
  );
  const { basePath, ...documents } = documentsOf(config);
  const context: HttpContext = {
    basePath,
    settings: config,
    log,
    figures,
    tracing,
    state,
    probe: storageProbe(config, state),
    clock: systemClock,
    baseUrl: () => config.baseUrl ?? listenUrl(config.host, address.port),
    issuerUrl: () => config.issuerUrl ?? context.baseUrl(),
    limits: clientLimitsOf(config, figures, () => address.port),
    bodies: bodiesOf(config),
    callers: callersOf(config, credentials),
    replies: repliesOf(config, documents, state.streamsEnd),
  };
  return { context, state };
}

/** Listens, and writes the port that was taken into `address`, which the guards read. */
async function listen(
  app: FastifyInstance,
  config: Config,
  address: { host: string; port: number },
): Promise<string> {
  app.server.once("listening", () => {
    const bound = app.server.address();
    if (typeof bound === "object" && bound !== null) address.port = bound.port;
  });
  try {
    await app.listen({ host: config.host, port: config.port });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    // Two starts of the same service: that the data is in use says more than that the port is.
    if (config.databaseUrl === undefined && existsSync(config.data)) {
      lockDirectory(config.data)[Symbol.dispose]();
    }
    throw new ConfigError(`Cannot listen at ${config.host}:${config.port}: ${code}.`);
  }
  return listenUrl(config.host, address.port);
}

async function listenForOperators({
  adminHost: host,
  adminPort: port,
}: Config): Promise<AdminServer | undefined> {
  return port === undefined ? undefined : startAdminServer({ host, port });
}

/** The address that a name like `localhost` was bound to. */
function boundHost(app: FastifyInstance, { host }: Config): string {
  const bound = app.server.address();
  return typeof bound === "object" && bound !== null ? bound.address : host;
}

/** Opens the master key, checked against the stored secrets. */
async function openSealing(config: Config, storage: OpenStorage): Promise<Sealing> {
  const sealedUnder = await storage.read("masterKey.inUse", {});
  const masterKey =
    config.masterKeyFile === undefined
      ? masterKeyInDirectory(config.data, sealedUnder)
      : readMasterKey(config.masterKeyFile);
  requireMasterKey(masterKey, sealedUnder);
  return new Sealing(masterKey);
}

function openArtifacts(
  config: Config,
  sealing: Sealing,
  context: HttpContext,
  events: ServiceEvents,
  storage: OpenStorage,
): Promise<BuiltInBucket> {
  const settings = {
    directory: config.artifacts ?? join(config.data, "artifacts"),
    signingKey: sealing.deriveKey("addresses of the built-in location"),
    baseUrl: context.baseUrl,
    diskReserveBytes: config.diskReserveBytes,
    onFailure: (error: Error) => events.fatal(error),
  };
  return openBuiltIn(settings, storage, (sentence) => context.log.warn(sentence));
}

function openRotation(
  issuer: Issuer,
  { log, baseUrl }: HttpContext,
  { databaseUrl }: Config,
  storage: OpenStorage,
): IssuerRotation {
  return new IssuerRotation({
    issuer,
    storage,
    isPublishedElsewhere: issuer.issuerUrl !== baseUrl(),
    sharesDatabase: databaseUrl !== undefined,
    clock: systemClock,
    warn: (message, error) => log.warn({ err: error }, message),
  });
}

function openArtifactServices(
  parts: Omit<ConstructorParameters<typeof OpenArtifactServices>[0], "takeProbe" | "clock">,
): OpenArtifactServices {
  const probes = new RateLimit(probesPerMinute, 60_000);
  const takeProbe = (organizationId: string): void => {
    if (probes.hasTaken(organizationId)) return;
    throw new ServiceError(
      "rate_limited",
      `Locations and connections are tried ${probesPerMinute} times a minute for one organization; nothing was executed.`,
      { retryAfterSeconds: 1 },
    );
  };
  return new OpenArtifactServices({ ...parts, clock: systemClock, takeProbe });
}

async function open(
  config: Config,
  { log, figures, replies: { watching }, tracing }: HttpContext,
  events: ServiceEvents,
  threads: StorageThreads,
): Promise<OpenStorage> {
  const segments =
    config.segments === undefined
      ? undefined
      : segmentStoreOf(config.segments, config.databaseUrl, process.env);
  const workerUrls = workersOf(config);
  const settings = {
    dataDirectory: config.databaseUrl === undefined ? config.data : undefined,
    databaseUrl: config.databaseUrl,
    databasePasswordFile: config.databasePasswordFile,
    workerUrls,
    cacheDirectory: join(config.data, "cache"),
    segments,
    seriesPerExperiment: config.seriesLimit,
    maxQueueBytes: config.maxQueueBytes,
    diskReserveBytes: config.diskReserveBytes,
    sealPoints: config.sealPoints,
    sealIdleMs: config.sealIdleMs,
    trashDays: config.trashDays,
    traces: tracing !== undefined,
  };
  const told = {
    fatal(error: Error) {
      figures.storageFailures.add(1);
      events.fatal(error);
    },
    warning(message: string, error?: Error) {
      figures.storageFailures.add(1);
      if (isDamage(error)) figures.corruptions.add(1);
      log.warn({ err: error }, message);
    },
    acknowledged: (...acknowledged: Parameters<Watching["noteAcknowledged"]>) =>
      watching.noteAcknowledged(...acknowledged),
    ...tracing?.storageEvents,
  };
  return openStorage(settings, told, threads);
}

async function beginPeople(
  parts: ProvisionedParts,
  provision: ProvisionFile | undefined,
  { callers: { passwords }, log, baseUrl }: HttpContext,
  events: ServiceEvents,
): Promise<void> {
  await checkStored(parts, provision);
  const first = await provisionOrganizations(parts.storage, provision, passwords, log);
  if (first === null) return;
  const setupLink = joinLink(baseUrl(), first.setupSecret);
  events.firstStart({ apiKey: first.key.secret, setupLink });
}

/** Stops accepting, lets requests in flight end within `deadlineMs`, then cuts the rest. */
async function closeHttp(
  app: FastifyInstance,
  context: HttpContext,
  deadlineMs: number,
): Promise<void> {
  const cut = (): void => app.server.closeAllConnections();
  // Connections that never sent a whole request would keep the server open for their time-out.
  const watch = setInterval(() => {
    if (context.limits.activeRequests === 0) cut();
  }, 50);
  const deadline = setTimeout(cut, deadlineMs);
  await app.close();
  clearInterval(watch);
  clearTimeout(deadline);
}
