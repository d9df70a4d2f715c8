/**
 * Named points between the steps of the walks, where a test kills the service or lets a step fail.
 * They have no effect unless LOSSLESS_TEST_FAILPOINT is set, for instance to
 * `commit.afterComplete:2=kill`: the process ends by SIGKILL when it passes that point for the
 * second time. Several are separated by commas.
 */
export const failpointNames = [
  "open.beforeOpen",
  "open.afterOpen",
  "begin.beforeBegin",
  "begin.afterBegin",
  "begin.afterStartUpload",
  "begin.beforeStarted",
  "begin.afterStarted",
  "commit.beforeAccept",
  "commit.afterAccept",
  "commit.afterList",
  "commit.afterComplete",
  "commit.beforeManifest",
  "commit.afterManifest",
  "commit.afterCommit",
] as const;
/** Failpoints of single files. */
const fileFailpointNames = ["file.beforeCommit", "file.afterCommit"] as const;
export type FailpointName = (typeof failpointNames | typeof fileFailpointNames)[number];

const actions = {
  kill: () => {
    process.kill(process.pid, "SIGKILL");
    return forEver();
  },
  error: () => Promise.reject(new Error("A failpoint was reached.")),
  hang: forEver,
};

export class Failpoints {
  readonly #armed = new Map<string, { passesLeft: number; action: keyof typeof actions }>();

  /** Throws on a text that is not `name:count=action,…`. */
  constructor(text = "") {
    for (const entry of text.split(",").filter((word) => word !== "")) {
      const [, name, count, action] = /^([\w.]+)(?::(\d+))?=(\w+)$/.exec(entry) ?? [];
      const isKnown = [...failpointNames, ...fileFailpointNames].some((known) => known === name);
      if (name === undefined || !isKnown || action === undefined || !(action in actions)) {
        throw new Error(`${JSON.stringify(entry)} is no failpoint: name:count=kill|error|hang.`);
      }
      const passesLeft = Number(count ?? 1);
      this.#armed.set(name, { passesLeft, action: action as keyof typeof actions });
    }
  }

  async pass(name: FailpointName): Promise<void> {
    const armed = this.#armed.get(name);
    if (armed === undefined) return;
    armed.passesLeft -= 1;
    if (armed.passesLeft === 0) await actions[armed.action]();
  }
}

function forEver(): Promise<never> {
  return new Promise(() => {});
}
