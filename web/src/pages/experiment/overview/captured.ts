import type { AttributesResultData } from "@lossless/client";
import { bytesText, countText } from "../../../parts/words.ts";
import { shellWord } from "../../../parts/shell-word.ts";
import { tagOf } from "../written.ts";

/**
 * The source and the surroundings of a run, from reserved keys of the meta, which our client
 * captures, or from tags of MLflow's clients. Any program may have written these: nothing about
 * their form is certain, and members of unknown names are shown under them.
 */
export interface Captured {
  source: Source;
  user: string | undefined;
  host: string | undefined;
  command: string | undefined;
  directory: string | undefined;
  /** The system, Python, processors and the like. */
  machine: Fact[];
  /** Variables of launchers: SLURM, Kubernetes. */
  launchers: { name: string; variables: Fact[] }[];
  /** Installed packages with their versions, by name. */
  packages: Fact[];
  /** Packages that the meta had no room for. */
  packagesLeftOut: number;
}

export interface Source {
  remote: string | undefined;
  commit: string | undefined;
  branch: string | undefined;
  /** Whether files differed from the commit; undefined: not known. */
  isDirty: boolean | undefined;
  /** The file of a version with that difference. */
  diff: DiffFile | undefined;
  /** Other members. */
  others: Fact[];
}

export interface DiffFile {
  artifact: string;
  version: string;
  path: string;
  bytes: number | undefined;
  /** Whether the difference had more than was kept. */
  isCut: boolean;
}

export interface Fact {
  name: string;
  text: string;
}

type Written = Partial<Pick<AttributesResultData, "tags" | "run">>;

export function capturedOf(meta: object, { tags, run }: Written): Captured {
  const source = objectIn(meta, "_source");
  const environment = objectIn(meta, "_environment");
  const tag = (...keys: string[]) =>
    keys.map((key) => tagOf(tags, key)).find((value) => value !== undefined && value !== "");
  const { packages, packagesLeftOut, gpus, gpuCount, memoryBytes, ...rest } = environment;
  const isPlain = ([, value]: [string, unknown]) => !isObject(value);
  const named = ([name, value]: [string, unknown]) =>
    factOf(ownNames[name] ?? wordsOf(name), value);
  const facts = Object.entries(rest).filter(([name]) => !ownPlaces.has(name));
  return {
    source: {
      remote: textIn(source, "remote") ?? tag("mlflow.source.git.repoURL", "mlflow.gitRepoURL"),
      commit: textIn(source, "commit") ?? tag("mlflow.source.git.commit"),
      branch: textIn(source, "branch") ?? tag("mlflow.source.git.branch"),
      isDirty: typeof source.isDirty === "boolean" ? source.isDirty : undefined,
      diff: diffIn(source),
      others: Object.entries(source)
        .filter(([name]) => !ofSource.has(name))
        .flatMap(named),
    },
    user: textIn(environment, "user") ?? (run?.user || undefined) ?? tag("mlflow.user"),
    host: textIn(environment, "host"),
    command: commandIn(source) ?? tag("mlflow.source.name"),
    directory: textIn(source, "directory"),
    machine: inOrder([
      ...facts.filter(isPlain).flatMap(named),
      ...(typeof memoryBytes === "number"
        ? [{ name: "memory", text: bytesText(memoryBytes) }]
        : []),
      ...gpuTexts(gpus, gpuCount).map((text) => ({ name: "GPU", text })),
    ]),
    launchers: facts
      .filter((entry) => !isPlain(entry))
      .map(([name, variables]) => ({
        name: launcherNames[name] ?? name,
        variables: Object.entries(variables as object).flatMap(([key, value]) =>
          factOf(wordsOf(key), value),
        ),
      }))
      .filter(({ variables }) => variables.length > 0),
    packages: packagesIn(packages),
    packagesLeftOut: typeof packagesLeftOut === "number" ? packagesLeftOut : 0,
  };
}

/** Keys of the source and the environment that have a place of their own. */
const ofSource = new Set(["remote", "commit", "branch", "isDirty", "diff", "directory", "command"]);
const ownPlaces = new Set(["user", "host"]);

const ownNames: Readonly<Record<string, string>> = {
  os: "system",
  cpus: "processors",
  memoryBytes: "memory",
  gpus: "GPU",
  cuda: "CUDA",
  rocm: "ROCm",
  driver: "GPU driver",
  python: "Python",
  node: "Node",
  executable: "interpreter",
  manager: "packages by",
  lockFile: "lock file",
};
const launcherNames: Readonly<Record<string, string>> = {
  slurm: "SLURM",
  kubernetes: "Kubernetes",
};

/** The words of a name in camel case: `jobId` is a job id. Other names stay. */
function wordsOf(name: string): string {
  if (!/^[a-z]+(?:[A-Z][a-z]+)+$/.test(name)) return name;
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

/** Facts of known names first, in their order. */
function inOrder(facts: readonly Fact[]): Fact[] {
  const names = Object.values(ownNames);
  const place = ({ name }: Fact) => (names.includes(name) ? names.indexOf(name) : names.length);
  return facts.toSorted((one, other) => place(one) - place(other));
}

/** No fact for a value that says nothing. */
function factOf(name: string, value: unknown): Fact[] {
  const text = textOf(value);
  return text === "" ? [] : [{ name, text }];
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "string") return value;
  if (typeof value === "number")
    return Number.isSafeInteger(value) ? countText(value) : String(value);
  if (Array.isArray(value)) return value.map(textOf).join(", ");
  return JSON.stringify(value);
}

function textIn(object: Record<string, unknown>, name: string): string | undefined {
  const value = object[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

function objectIn(object: object, name: string): Record<string, unknown> {
  const value = (object as Record<string, unknown>)[name];
  return isObject(value) ? value : {};
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The command line, from a text or from its words. */
function commandIn({ command }: Record<string, unknown>): string | undefined {
  if (typeof command === "string") return command === "" ? undefined : command;
  if (!Array.isArray(command) || command.length === 0) return undefined;
  // An option is quoted only where a shell would need it.
  const quoted = (word: string) => (/^-[\w-]+$/.test(word) ? word : shellWord(word));
  return command.map((word) => quoted(textOf(word))).join(" ");
}

/** `8 × NVIDIA H100`: the different models, and the number of devices where it is known. */
function gpuTexts(gpus: unknown, count: unknown): string[] {
  const models = (Array.isArray(gpus) ? gpus : [gpus]).map(textOf).filter((text) => text !== "");
  if (typeof count !== "number" || count <= models.length) return models;
  if (models.length === 1) return [`${countText(count)} × ${models[0]}`];
  return [countText(count), ...models];
}

function diffIn({ diff }: Record<string, unknown>): DiffFile | undefined {
  if (!isObject(diff)) return undefined;
  const [artifact, version, path] = [diff.artifact, diff.version, diff.path];
  const isNamed = [artifact, version, path].every((one) => typeof one === "string");
  if (!isNamed) return undefined;
  return {
    artifact: String(artifact),
    version: String(version),
    path: String(path),
    bytes: typeof diff.bytes === "number" ? diff.bytes : undefined,
    isCut: diff.isCut === true,
  };
}

/** From an object of versions by name, or a list as `pip freeze` prints it. */
function packagesIn(packages: unknown): Fact[] {
  const found = Array.isArray(packages)
    ? packages.map((one) => {
        const [name, ...version] = textOf(one).split("==");
        return { name, text: version.join("==") };
      })
    : isObject(packages)
      ? Object.entries(packages).map(([name, version]) => ({ name, text: textOf(version) }))
      : [];
  return found.sort((one, other) => (one.name.toLowerCase() < other.name.toLowerCase() ? -1 : 1));
}
