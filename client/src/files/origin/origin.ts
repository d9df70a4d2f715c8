import { dirname, resolve } from "node:path";
import type { LosslessClient } from "../../client.ts";
import { openArtifact } from "../artifact-writer.ts";
import { preparedBytes } from "../content.ts";
import { nextVersion } from "../version-name.ts";
import { isEqual } from "../../json-equality.ts";
import type { RecordedExperiment, RecordedOrigin } from "../../recorder.ts";
import { limits } from "../../wire.ts";
import { commandFacts, scriptPath } from "./command.ts";
import { type GitFacts, gitFacts } from "./git-files.ts";
import { gpuFacts } from "./gpus.ts";
import { type OriginChoice, type OriginKind, wantedKinds } from "./kinds.ts";
import { known, machineFacts } from "./machine.ts";
import { packageFacts } from "./packages.ts";
import { Programs } from "./programs.ts";
import { type Diff, diffOf, isDirty, withoutCredentials } from "./repository.ts";

type Facts = Record<string, unknown>;

/** The beginning of a recording waits this long; later facts follow while it goes on. */
const waitMs = 20;
const diffName = "changes.diff";

/**
 * Keeps what this process was started from in the reserved keys `_source` and `_environment` of a
 * recording's meta, as the Python client does. Nothing of it makes the recording fail. Throws for a
 * word that is no kind.
 */
export function startedHere(client: LosslessClient, choice: OriginChoice = {}): RecordedOrigin {
  return new Origin(client, wantedKinds(choice, process.env));
}

class Origin implements RecordedOrigin {
  readonly #client: LosslessClient;
  readonly #kinds: ReadonlySet<OriginKind>;
  readonly #stop = new AbortController();
  readonly #programs = new Programs(this.#stop.signal);
  readonly #git: GitFacts | undefined;
  readonly #source: Facts;
  readonly #environment: Facts;
  readonly #asked: Promise<unknown>;

  constructor(client: LosslessClient, kinds: ReadonlySet<OriginKind>) {
    this.#client = client;
    this.#kinds = kinds;
    const script = scriptPath();
    const places = [script === undefined ? process.cwd() : dirname(script), process.cwd()];
    this.#git = kinds.has("git")
      ? (gitFacts(places[0] ?? ".") ?? gitFacts(process.cwd()))
      : undefined;
    this.#source = this.#ofFiles(script);
    this.#environment = machineFacts(kinds, process.env);
    this.#asked = Promise.allSettled([
      this.#askGit(),
      kinds.has("packages") && this.#ask(packageFacts(resolve(places[0] ?? "."))),
    ]);
  }

  async begin(meta: Facts): Promise<Facts> {
    const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
    const timer = setTimeout(end, waitMs);
    await Promise.race([this.#asked, isOver]);
    clearTimeout(timer);
    return this.#within(meta);
  }

  async complete(
    { experimentId, slug, meta }: RecordedExperiment,
    signal: AbortSignal,
  ): Promise<void> {
    signal.addEventListener("abort", () => this.#stop.abort());
    await this.#asked;
    // Starting a program costs milliseconds: the beginning pays for one, git.
    if (this.#kinds.has("gpus")) await this.#ask(gpuFacts(this.#programs));
    const root = this.#source["isDirty"] === true ? this.#git?.root : undefined;
    const diff =
      root !== undefined && this.#kinds.has("diff")
        ? await diffOf(this.#programs, root)
        : undefined;
    if (diff !== undefined) await this.#store(slug, diff, signal);
    const whole = this.#within(meta);
    const edits = ["_source", "_environment"]
      .filter((key) => !isEqual(meta[key], whole[key]))
      .map((key) => ({ path: [key], before: meta[key], after: whole[key] }));
    if (edits.length === 0 || signal.aborted) return;
    await this.#client.editExperiment({ experimentId, meta: edits }, signal);
    // An opening after the token has expired has them too.
    Object.assign(meta, whole);
  }

  #ofFiles(script: string | undefined): Facts {
    const { root, remote, ...facts } = this.#git ?? { root: undefined };
    return known({
      ...(remote !== undefined && { remote: withoutCredentials(remote) }),
      ...facts,
      ...(this.#kinds.has("command") && commandFacts(script, root)),
    });
  }

  async #askGit(): Promise<void> {
    const { root, commit } = this.#git ?? {};
    if (root === undefined || commit === undefined) return;
    const answer = await isDirty(this.#programs, root);
    if (answer !== undefined) this.#source["isDirty"] = answer;
  }

  async #ask(facts: Promise<Facts>): Promise<void> {
    Object.assign(this.#environment, await facts);
  }

  /** Stores the difference as a version of the run's artifact for it. */
  async #store(slug: string, { content, isCut }: Diff, signal: AbortSignal): Promise<void> {
    const artifact = `${slug}/source`;
    const file = preparedBytes(diffName, content);
    const writer = await openArtifact(this.#client, artifact, { signal });
    const version = nextVersion(writer.latest?.version);
    const meta = { experiment: slug, kind: "source" };
    await writer.write(version, [file], { meta, signal });
    this.#source["diff"] = {
      artifact,
      version,
      path: diffName,
      bytes: content.length,
      sha256: file.sha256,
      ...(isCut && { isCut }),
    };
  }

  /** A config that leaves the facts no room costs them, the packages first. */
  #within(meta: Facts): Facts {
    const { packages, packagesLeftOut = 0, ...rest } = this.#environment;
    const leftOut = Number(packagesLeftOut) + Object.keys(packages ?? {}).length;
    const without = packages === undefined ? rest : { ...rest, packagesLeftOut: leftOut };
    const own: Facts = { ...meta };
    delete own["_source"];
    delete own["_environment"];
    for (const environment of [{ ...this.#environment }, without, {}]) {
      const facts = known({ _source: { ...this.#source }, _environment: environment });
      const whole = { ...own, ...facts };
      if (Buffer.byteLength(JSON.stringify(whole)) <= limits.jsonMetaBytesMax) return whole;
    }
    return own;
  }
}
