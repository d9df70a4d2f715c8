import { readFileSync } from "node:fs";
import {
  availableParallelism,
  hostname,
  machine,
  release,
  totalmem,
  type,
  userInfo,
} from "node:os";
import type { OriginKind } from "./kinds.ts";

const textCharactersMax = 256;
/** The same list of names as the Python client's. */
const slurmNames = {
  jobId: "SLURM_JOB_ID",
  jobName: "SLURM_JOB_NAME",
  arrayJobId: "SLURM_ARRAY_JOB_ID",
  arrayTaskId: "SLURM_ARRAY_TASK_ID",
  restartCount: "SLURM_RESTART_COUNT",
  cluster: "SLURM_CLUSTER_NAME",
  partition: "SLURM_JOB_PARTITION",
  account: "SLURM_JOB_ACCOUNT",
  qos: "SLURM_JOB_QOS",
  nodes: "SLURM_JOB_NUM_NODES",
  nodeList: "SLURM_JOB_NODELIST",
  tasks: "SLURM_NTASKS",
  cpusPerTask: "SLURM_CPUS_PER_TASK",
  gpusOnNode: "SLURM_GPUS_ON_NODE",
};
const kubernetesNames = {
  namespace: "POD_NAMESPACE",
  pod: "POD_NAME",
  node: "NODE_NAME",
  job: "JOB_NAME",
  completionIndex: "JOB_COMPLETION_INDEX",
};
const namespacePath = "/var/run/secrets/kubernetes.io/serviceaccount/namespace";
const memoryLimits = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"];

/** Returns the facts of these kinds that need no other program; unknown ones are missing. */
export function machineFacts(
  kinds: ReadonlySet<OriginKind>,
  variables: NodeJS.ProcessEnv,
): Record<string, unknown> {
  return known({
    host: kinds.has("host") && hostname().slice(0, textCharactersMax),
    user: kinds.has("user") && userName()?.slice(0, textCharactersMax),
    ...(kinds.has("system") && {
      os: system().slice(0, textCharactersMax),
      node: process.versions.node,
      executable: process.execPath,
      cpus: availableParallelism(),
      memoryBytes: memoryBytes(),
    }),
    ...(kinds.has("scheduler") && {
      slurm: named(slurmNames, variables),
      kubernetes: kubernetes(variables),
    }),
  });
}

/** Leaves out what says nothing. */
export function known(facts: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(facts).filter(([, value]) => {
      const isEmpty =
        typeof value === "object" && value !== null && Object.keys(value).length === 0;
      return value !== undefined && value !== false && value !== "" && !isEmpty;
    }),
  );
}

/** Returns the beginning of a small file as text; undefined where it cannot be read. */
export function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function userName(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    // Containers run under ids without an entry.
    return undefined;
  }
}

function system(): string {
  const words = `${type()} ${release()} ${machine()}`;
  const name = /^PRETTY_NAME="?([^"\n]+)/m.exec(textOf("/etc/os-release") ?? "")?.[1];
  return name === undefined ? words : `${words}, ${name}`;
}

/** Returns the memory of the machine, or of the container. */
function memoryBytes(): number {
  for (const path of memoryLimits) {
    const limit = Number.parseInt(textOf(path) ?? "", 10);
    if (Number.isSafeInteger(limit)) return Math.min(limit, totalmem());
  }
  return totalmem();
}

function kubernetes(variables: NodeJS.ProcessEnv): Record<string, string> {
  if (variables["KUBERNETES_SERVICE_HOST"] === undefined) return {};
  const found = named(kubernetesNames, variables);
  const namespace = found["namespace"] ?? textOf(namespacePath)?.trim();
  // The name of a pod is its host's, unless it says otherwise.
  const pod = found["pod"] ?? variables["HOSTNAME"];
  return known({ ...found, namespace, pod }) as Record<string, string>;
}

function named(
  names: Readonly<Record<string, string>>,
  variables: NodeJS.ProcessEnv,
): Record<string, string> {
  const found = Object.entries(names).map(([name, variable]) => {
    return [name, variables[variable]?.slice(0, textCharactersMax)];
  });
  return known(Object.fromEntries(found)) as Record<string, string>;
}
