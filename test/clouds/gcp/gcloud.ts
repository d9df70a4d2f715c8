import { readFile } from "node:fs/promises";
import type { JSONWebKeySet } from "jose";
import type { Binding, GoogleProject } from "./project.ts";

interface Answer {
  code: number;
  stdout?: string;
  stderr?: string;
}

type Flags = ReadonlyMap<string, string>;
type Command = (project: GoogleProject, name: string, flags: Flags) => Answer | Promise<Answer>;

/**
 * As much of the command line `gcloud` as the setup script uses: what it is told to make, it makes
 * in a project of the double. A command or an option that it does not know is refused, so is one
 * that is left out.
 */
export class Gcloud {
  /** Every call, its words as they came. */
  readonly calls: string[][] = [];
  readonly #project: GoogleProject;

  constructor(project: GoogleProject) {
    this.#project = project;
  }

  async answer(words: string[]): Promise<Answer> {
    this.calls.push(words);
    const plain = words.filter((word) => !word.startsWith("--"));
    const found = Object.entries(commands).find(([text]) => isPrefix(text.split(" "), plain));
    if (found === undefined) return unknown(words);
    const [text, [options, command]] = found;
    const flags = new Map(
      words.filter((word) => word.startsWith("--")).map((word) => splitAtEquals(word.slice(2))),
    );
    const expected = options.split(" ").filter((option) => option !== "");
    const isOptional = (option: string) => option.endsWith("?");
    const names = expected.map((option) => option.replace("?", ""));
    const isComplete = expected.every((option) => isOptional(option) || flags.has(option));
    const isKnown = [...flags.keys()].every((name) => name === "quiet" || names.includes(name));
    if (!isKnown || !isComplete) return unknown(words);
    if (flags.has("project") && flags.get("project") !== this.#project.projectId)
      return { code: 1, stderr: "ERROR: PERMISSION_DENIED: no such project" };
    const rest = plain.slice(text.split(" ").length);
    if (rest.length > 1 && text !== "services enable") return unknown(words);
    return command(this.#project, rest.join(" "), flags);
  }
}

const providerOptions =
  "workload-identity-pool location project issuer-uri allowed-audiences attribute-mapping attribute-condition jwk-json-path?";

/** Each command's words, options (`?`: optional) and effect. */
const commands: Readonly<Record<string, [options: string, command: Command]>> = {
  "config get-value project": ["", ({ projectId }) => ok(projectId)],
  "projects describe": [
    "format",
    (project, name) =>
      name === project.projectId ? ok(project.projectNumber) : missing("project"),
  ],
  "services enable": [
    "project",
    (project, names) => {
      for (const name of names.split(" ")) project.services.add(name);
      return ok();
    },
  ],
  "iam workload-identity-pools providers describe": [
    "workload-identity-pool location project",
    (project, name, flags) =>
      project.providers.has(providerName(name, flags)) ? ok() : missing("provider"),
  ],
  "iam workload-identity-pools providers create-oidc": [providerOptions, putProvider(false)],
  "iam workload-identity-pools providers update-oidc": [providerOptions, putProvider(true)],
  "iam workload-identity-pools describe": [
    "location project",
    (project, name) => (project.pools.has(name) ? ok() : missing("pool")),
  ],
  "iam workload-identity-pools create": [
    "location project display-name",
    (project, name) => {
      if (project.pools.has(name)) return exists("pool");
      project.pools.add(name);
      return ok();
    },
  ],
  "iam service-accounts describe": [
    "project",
    (project, email) => (project.accounts.has(email) ? ok() : missing("account")),
  ],
  "iam service-accounts create": [
    "project display-name",
    (project, name) => {
      const email = `${name}@${project.projectId}.iam.gserviceaccount.com`;
      if (!/^[a-z][a-z0-9-]{4,28}[a-z0-9]$/.test(name)) return { code: 1, stderr: "bad name" };
      if (project.accounts.has(email)) return exists("account");
      project.accounts.set(email, []);
      return ok();
    },
  ],
  "iam service-accounts add-iam-policy-binding": [
    "project member role condition",
    (project, email, flags) => {
      const bindings = project.accounts.get(email);
      return bindings === undefined ? missing("account") : bind(bindings, flags);
    },
  ],
  "iam roles describe": [
    "project",
    (project, id) => (project.roles.has(roleName(project, id)) ? ok() : missing("role")),
  ],
  "iam roles create": ["project title permissions stage", putRole(false)],
  "iam roles update": ["project title permissions stage", putRole(true)],
  "projects add-iam-policy-binding": [
    "member role condition",
    (project, _name, flags) => bind(project.bindings, flags),
  ],
};

function putProvider(isThere: boolean): Command {
  return async (project, name, flags) => {
    const pool = flags.get("workload-identity-pool") ?? "";
    if (!project.pools.has(pool)) return missing("pool");
    const full = providerName(name, flags);
    if (project.providers.has(full) !== isThere) return isThere ? missing(full) : exists(full);
    const file = flags.get("jwk-json-path");
    const keys = file && (JSON.parse(await readFile(file, "utf8")) as JSONWebKeySet);
    project.providers.set(full, {
      issuer: flags.get("issuer-uri") ?? "",
      allowedAudiences: (flags.get("allowed-audiences") ?? "").split(","),
      attributeMapping: Object.fromEntries([splitAtEquals(flags.get("attribute-mapping") ?? "")]),
      attributeCondition: flags.get("attribute-condition") ?? "",
      ...(keys && { keys }),
    });
    return ok();
  };
}

function putRole(isThere: boolean): Command {
  return (project, id, flags) => {
    const name = roleName(project, id);
    if (!/^[a-zA-Z0-9_.]{3,64}$/.test(id)) return { code: 1, stderr: "INVALID_ARGUMENT: role id" };
    if (project.roles.has(name) !== isThere) return isThere ? missing("role") : exists("role");
    project.roles.set(name, (flags.get("permissions") ?? "").split(","));
    return ok();
  };
}

/** The same binding twice is one. */
function bind(bindings: Binding[], flags: Flags): Answer {
  const [role = "", member = "", text = ""] = ["role", "member", "condition"].map((name) =>
    flags.get(name),
  );
  const [, expression] = /^title=\w+,expression=(.+)$/.exec(text) ?? [];
  if (text !== "None" && expression === undefined) return { code: 1, stderr: "bad condition" };
  const binding = { role, member, ...(expression !== undefined && { condition: expression }) };
  const isThere = bindings.some((one) => JSON.stringify(one) === JSON.stringify(binding));
  if (!isThere) bindings.push(binding);
  return ok();
}

function providerName(name: string, flags: Flags): string {
  return `${flags.get("workload-identity-pool")}/${name}`;
}

function roleName({ projectId }: GoogleProject, id: string): string {
  return `projects/${projectId}/roles/${id}`;
}

function isPrefix(words: readonly string[], of: readonly string[]): boolean {
  return words.every((word, index) => of[index] === word);
}

function splitAtEquals(text: string): [string, string] {
  const at = text.indexOf("=");
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

function ok(stdout = ""): Answer {
  return { code: 0, stdout };
}

function missing(what: string): Answer {
  return { code: 1, stderr: `ERROR: (gcloud) NOT_FOUND: ${what} does not exist.` };
}

function exists(what: string): Answer {
  return { code: 1, stderr: `ERROR: (gcloud) ALREADY_EXISTS: ${what} exists already.` };
}

function unknown(words: readonly string[]): Answer {
  return { code: 2, stderr: `ERROR: (gcloud) unrecognized arguments: ${words.join(" ")}` };
}
