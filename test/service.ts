import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
// Given these, the service does not begin anew to set them.
import { makeProgram } from "../server/build.ts";
import { settings as allocator, youngHeap } from "../server/src/settings/allocator.ts";
import { type PathOnHost, PathProxy } from "./path-proxy.ts";
import { workersOfAll } from "./workers.ts";

/** The two organizations every test service knows, and their keys. */
export const organizations = {
  acme: { name: "acme", key: `ak_${"a".repeat(20)}${"1".repeat(24)}` },
  rival: { name: "rival", key: `ak_${"r".repeat(20)}${"2".repeat(24)}` },
} as const;

/** The people that `people: true` provisions. */
export const people = {
  ada: { email: "ada@acme.test", password: "ada's long password" },
  max: { email: "max@acme.test", password: "max's long password" },
  rita: { email: "rita@rival.test", password: "rita's long password" },
  bo: { email: "bo@both.test", password: "bo's long password" },
} as const;

const members: Record<keyof typeof organizations, { person: keyof typeof people; role: string }[]> =
  {
    acme: [
      { person: "ada", role: "owner" },
      { person: "max", role: "member" },
      { person: "bo", role: "admin" },
    ],
    rival: [
      { person: "rita", role: "owner" },
      { person: "bo", role: "member" },
    ],
  };

/** The two organizations and their people, or others like them that know nothing of these. */
export interface Neighbours {
  organizations: Record<keyof typeof organizations, { name: string; key: string }>;
  people: Record<keyof typeof people, { email: string; password: string }>;
}

/** Number 0 are those above. */
export function neighbours(number: number): Neighbours {
  if (number === 0) return { organizations, people };
  const { acme, rival } = organizations;
  const named = ({ name, key }: { name: string; key: string }) => ({
    name: `${name} ${number}`,
    key: key.slice(0, -4) + String(number).padStart(4, "0"),
  });
  const others = Object.entries(people).map(([name, { email, password }]) => [
    name,
    { email: email.replace(".test", `-${number}.test`), password },
  ]);
  return {
    organizations: { acme: named(acme), rival: named(rival) },
    people: Object.fromEntries(others) as Neighbours["people"],
  };
}

export interface ServiceOptions {
  /** Kept when given; else a fresh one, removed by `dispose`. */
  directory?: string;
  databaseUrl?: string | undefined;
  /** Further flags of `serve`. */
  flags?: string[];
  /** Options of node before the program, for instance `--import FILE`. */
  nodeFlags?: string[];
  environment?: Record<string, string>;
  /** It starts this checkout: ours, that of LOSSLESS_TEST_CHECKOUT, or one with a planted fault. */
  checkout?: string;
  /** Its threads load each source by itself, rather than the program made of them. */
  fromSources?: boolean;
  /** These organizations are provisioned, by name, with their keys; by default acme and rival. */
  keys?: ReadonlyMap<string, string>;
  /** Quotas of the organization acme, as the provision file takes them. */
  quotas?: Record<string, number | null>;
  /** Further settings of acme in the provision file. */
  acme?: Record<string, unknown>;
  /** Provision `people`: ada owns acme, max is a member of it, rita owns rival, bo is in both. */
  people?: boolean;
  /** Number of organizations `neighbours`, with their people. */
  neighbours?: number;
  /** Locations of acme, as `POST /api/v1/locations` takes them; by default the built-in one. */
  locations?: unknown[];
  /** Private address ranges in which locations may be. */
  allowPrivate?: string[];
  /** Addresses of the clouds' interfaces, as the key `clouds` of the provision file takes them. */
  clouds?: Record<string, Record<string, string>>;
  /** It stands below a path of a host; by default where LOSSLESS_TEST_BASE_PATH says. */
  place?: PathOnHost;
  /** This program gets node's path and its arguments, such as a shell that sets a limit first. */
  wrapper?: string[];
}

/** How a process of ours keeps as tight with memory as the service. */
export const tight = { env: { ...process.env, ...allocator }, execArgv: [youngHeap] };

export const checkoutRoot = join(import.meta.dirname, "..");

/**
 * Half of a start is compiling; all later starts can use what one orderly stop wrote down. A copy
 * of the checkout shares it, as the places of its files are told from that of the cache.
 */
export function compileCache(checkout = checkoutRoot): Record<string, string> {
  return {
    NODE_COMPILE_CACHE: join(checkout, "node_modules/.cache/lossless-test"),
    NODE_COMPILE_CACHE_PORTABLE: "1",
  };
}

const sourceOfMain = "server/src/main.ts";
/** As `lossless serve` starts it; from the sources where their coverage is counted. */
export const serviceProgram =
  process.env["NODE_V8_COVERAGE"] === undefined
    ? await makeProgram()
    : join(checkoutRoot, sourceOfMain);

const readyLine = /^Lossless is ready at (http:\/\/\S+)$/m;

/**
 * The real service as a child process, on a free port. One Service may be started, stopped, killed
 * and started again on the same data as often as a test wants.
 */
export class Service implements AsyncDisposable {
  readonly directory: string;
  options: ServiceOptions;
  /** Where clients find it: the proxy, where there is one. */
  baseUrl = "";
  /** The address at which it listens. */
  listenUrl = "";
  #proxy: PathProxy | undefined;
  output = "";
  errors = "";
  #child: ChildProcess | undefined;
  #exit: Promise<number | string> = Promise.resolve(0);

  constructor(options: ServiceOptions = {}) {
    this.options = options;
    this.directory = options.directory ?? mkdtempSync(join(tmpdir(), "lossless-test-"));
    writeFileSync(this.provisionFile, JSON.stringify(provision(options)));
  }

  static async start(options: ServiceOptions = {}): Promise<Service> {
    const service = new Service(options);
    try {
      await service.start();
    } catch (error) {
      await service[Symbol.asyncDispose]();
      throw error;
    }
    return service;
  }

  /** None for those who say themselves where clients find the service. */
  get #place(): PathOnHost | undefined {
    return this.options.flags?.includes("--base-url") === true
      ? undefined
      : (this.options.place ?? placeOfAll());
  }

  get dataDirectory(): string {
    return join(this.directory, "data");
  }

  get checkout(): string {
    return this.options.checkout ?? process.env.LOSSLESS_TEST_CHECKOUT ?? checkoutRoot;
  }

  get provisionFile(): string {
    return join(this.directory, "provision.json");
  }

  get processId(): number {
    if (this.#child?.pid === undefined) throw new Error("the service is not running");
    return this.#child.pid;
  }

  /** It resolves at the ready line, and rejects with the service's errors when it ends before. */
  async start(): Promise<void> {
    if (this.#place !== undefined) this.#proxy ??= await PathProxy.start(this.#place);
    const environment = await workersOfAll(this.options.databaseUrl);
    this.options = {
      ...this.options,
      environment: { ...environment, ...this.options.environment },
    };
    const child = this.spawn();
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        child.kill("SIGKILL");
        reject(new Error(`the service was not ready after five minutes\n${this.errors}`));
      }, 300_000);
      const settle = (): void => {
        const [, listening] = readyLine.exec(this.output) ?? [];
        if (listening === undefined) return;
        this.listenUrl = listening;
        this.baseUrl = this.#proxy?.baseUrl ?? listening;
        if (this.#proxy !== undefined) this.#proxy.target = listening;
        clearTimeout(timer);
        resolve();
      };
      child.stdout!.on("data", settle);
      void this.#exit.then((code) => {
        clearTimeout(timer);
        reject(new Error(`the service ended with ${code} before it was ready\n${this.errors}`));
      });
    });
  }

  /** Starts the process without waiting for the ready line. */
  spawn(): ChildProcess {
    const { options } = this;
    const isOurs = this.checkout === checkoutRoot && options.fromSources !== true;
    const main = isOurs ? serviceProgram : join(this.checkout, sourceOfMain);
    const flags = ["--data", this.dataDirectory, "--port", "0"];
    // Load balancers get no time to notice the end: there are none.
    flags.push("--provision", this.provisionFile, "--drain-ms", "0");
    if (options.databaseUrl !== undefined) flags.push("--database-url", options.databaseUrl);
    if (this.#proxy !== undefined) flags.push("--base-url", this.#proxy.baseUrl);
    flags.push(...(options.flags ?? []));
    const node = [process.execPath, youngHeap, ...(options.nodeFlags ?? []), main, ...flags];
    const [program, ...rest] = [...(options.wrapper ?? []), ...node];
    this.output = "";
    this.errors = "";
    const child = spawn(program, rest, {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...compileCache(this.checkout), ...allocator, ...options.environment },
    });
    child.stdout.setEncoding("utf8").on("data", (text: string) => (this.output += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (this.errors += text));
    this.#exit = new Promise((resolve) => {
      child.once("error", (error) => resolve(error.message));
      child.once("close", (code, signal) => {
        if (this.#child === child) this.#child = undefined;
        resolve(code ?? signal ?? -1);
      });
    });
    this.#child = child;
    return child;
  }

  /** Exit code, or the name of the signal that ended it. */
  get exited(): Promise<number | string> {
    return this.#exit;
  }

  async stop(): Promise<number | string> {
    this.#child?.kill("SIGTERM");
    return this.#exit;
  }

  async kill(): Promise<void> {
    this.#child?.kill("SIGKILL");
    await this.#exit;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await using _ = this.#proxy;
    await this.kill();
    if (this.options.directory === undefined) {
      rmSync(this.directory, { recursive: true, force: true });
    }
  }
}

/** `/lossless`, or `/lossless strips`. */
function placeOfAll(): PathOnHost | undefined {
  const [path = "", word] = (process.env.LOSSLESS_TEST_BASE_PATH ?? "").split(" ");
  return path === "" ? undefined : { path, strips: word === "strips" };
}

function provision(options: ServiceOptions): unknown {
  const { quotas, locations, acme, allowPrivate, clouds } = options;
  return {
    organizations: provisioned(options).map((organization) =>
      organization.name === organizations.acme.name
        ? { ...organization, locations, quotas, ...acme }
        : organization,
    ),
    ...(allowPrivate === undefined ? {} : { egress: { allowPrivate } }),
    ...(clouds === undefined ? {} : { clouds }),
  };
}

function provisioned({ keys, people: hasPeople = false, neighbours: count = 1 }: ServiceOptions) {
  const withKey = (name: string, secret: string) => ({ name, apiKeys: [{ name: "test", secret }] });
  if (keys !== undefined) return [...keys].map(([name, secret]) => withKey(name, secret));
  return Array.from({ length: count }, (_, number) => neighbours(number)).flatMap((known) =>
    (["acme", "rival"] as const).map((side) => {
      const { name, key } = known.organizations[side];
      const own = members[side].map(({ person, role }) => ({ ...known.people[person], role }));
      return { ...withKey(name, key), ...(hasPeople ? { people: own } : {}) };
    }),
  );
}
