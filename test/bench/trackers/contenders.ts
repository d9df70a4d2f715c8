import { execFileSync, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../free-port.ts";
import { guard } from "../../guardian.ts";
import { MlflowServer } from "../../mlflow/server.ts";
import { checkoutRoot, organizations, Service } from "../../service.ts";
import { cpuSeconds, groupCpuSeconds } from "../measure.ts";
import { answered } from "../walk/peer-server.ts";

/**
 * A tracker as its documentation starts it for one person on one machine, and what is true when a
 * call of `log` has returned, and when its client or its service says "stored".
 */
export interface Contender {
  /** As record.py names it. */
  tracker: string;
  name: string;
  packages: string[];
  afterCall: string;
  afterAcknowledgement: string;
  start(python: string): Promise<Started>;
}

/** A tracker that takes recordings: a server that runs, or a directory. */
export interface Started extends AsyncDisposable {
  where: string;
  /** Its files are here. */
  directory: string;
  environment?: Record<string, string>;
  /** Seconds of a processor that its server has used. */
  serverSeconds(): number;
}

export const contenders: readonly Contender[] = [
  {
    tracker: "lossless",
    name: "Lossless",
    packages: [],
    afterCall: "the points are in a local file: the death of the training does not lose them",
    afterAcknowledgement: "the points are on the service's disk (fdatasync), once each",
    async start() {
      const service = await Service.start();
      return {
        where: service.baseUrl,
        directory: service.dataDirectory,
        environment: {
          LOSSLESS_API_KEY: organizations.acme.key,
          LOSSLESS_DIR: join(service.directory, "spool"),
          PYTHONPATH: join(checkoutRoot, "python/src"),
        },
        serverSeconds: () => cpuSeconds(service.processId),
        [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
      };
    },
  },
  {
    tracker: "mlflow",
    name: "MLflow",
    packages: ["mlflow==3.17.2"],
    afterCall: "the server has committed the points in its SQLite; the training waited for it",
    afterAcknowledgement: "the same; equal points sent again are stored once",
    async start(python) {
      const server = await MlflowServer.start(python, {});
      return {
        where: server.baseUrl,
        directory: server.directory,
        serverSeconds: () => groupCpuSeconds(server.group),
        [Symbol.asyncDispose]: async () => server[Symbol.asyncDispose](),
      };
    },
  },
  {
    tracker: "fasttrackml",
    name: "FastTrackML",
    packages: ["fasttrackml==0.6.0", "mlflow==2.22.0"],
    afterCall: "the server has committed the points in its SQLite; the training waited for it",
    afterAcknowledgement: "the same; equal points sent again are stored once",
    start: startFastTrackMl,
  },
  {
    tracker: "trackio",
    name: "Trackio",
    packages: ["trackio==0.43.0"],
    afterCall: "the points are in the memory of the training; a thread writes them to SQLite later",
    afterAcknowledgement: "`finish` returns when they are written; there is no other sign",
    start: () => inDirectory(),
  },
  {
    tracker: "aim",
    name: "Aim",
    packages: ["aim==3.29.1"],
    afterCall: "the points are in RocksDB, in part still in the memory of the training",
    afterAcknowledgement: "`close` returns when they are written; there is no other sign",
    start: () => inDirectory(),
  },
  {
    tracker: "tensorboard",
    name: "TensorBoard's writer",
    packages: ["tensorboardX==2.6.5", "tensorboard==2.21.0", "setuptools<81"],
    afterCall: "the points are in the memory of the training; a thread writes them to a file later",
    afterAcknowledgement: "`close` returns when they are written, as float32",
    start: () => inDirectory(),
  },
];

/** Installs what a contender needs in an environment of its own, which later runs find again. */
export function pythonOf(
  { tracker, packages }: Contender,
  progress: (line: string) => void,
): string {
  const environment = join(checkoutRoot, "node_modules/.cache/lossless-trackers", tracker);
  const python = join(environment, "bin/python");
  if (existsSync(join(environment, "installed"))) return python;
  progress(`installing ${packages.join(", ") || "nothing"} for ${tracker}`);
  execFileSync("python3", ["-m", "venv", environment], { stdio: "inherit" });
  const pip = ["-m", "pip", "install", "--quiet", "numpy", ...packages];
  execFileSync(python, pip, { stdio: "inherit" });
  execFileSync("touch", [join(environment, "installed")]);
  return python;
}

async function inDirectory(): Promise<Started> {
  const directory = await mkdtempDisposable(join(tmpdir(), "lossless-trackers-"));
  const { path } = directory;
  return {
    where: path,
    directory: path,
    serverSeconds: () => 0,
    [Symbol.asyncDispose]: () => directory.remove(),
  };
}

async function startFastTrackMl(python: string): Promise<Started> {
  const directory = await mkdtempDisposable(join(tmpdir(), "lossless-trackers-"));
  const { path } = directory;
  const address = `127.0.0.1:${await freePort()}`;
  const flags = ["server", "--listen-address", address, "--default-artifact-root", path];
  flags.push("--database-uri", `sqlite://${join(path, "fasttrackml.db")}`);
  const child = spawn(join(python, "../fml"), flags, { stdio: "ignore", detached: true });
  child.unref();
  const guardian = guard({ target: -child.pid!, signal: "TERM", directory: undefined });
  await answered(`http://${address}/health`, () => true);
  return {
    where: `http://${address}`,
    directory: path,
    serverSeconds: () => groupCpuSeconds(child.pid!),
    async [Symbol.asyncDispose]() {
      await guardian[Symbol.asyncDispose]();
      await directory.remove();
    },
  };
}
