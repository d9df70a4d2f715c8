/**
 * Debian packages with the libraries that Node is linked against. Versions and hashes are in
 * debian-packages.json; apt fetches them from this machine's own sources.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Entry } from "./entries.ts";
import { type Architecture, architectures, cacheDirectory } from "./node-runtime.ts";
import { run } from "./run.ts";
import { readTar } from "./tar.ts";

/** Debian's names of the processors. */
export const debianNames = { x64: "amd64", arm64: "arm64" } as const satisfies Record<
  Architecture,
  string
>;

interface Pin {
  version: string;
  sha256: Record<string, string>;
}

export type DebianPins = Record<string, Pin>;

const pinsFile = join(import.meta.dirname, "debian-packages.json");

export function readPins(): DebianPins {
  return JSON.parse(readFileSync(pinsFile, "utf8")) as DebianPins;
}

export interface DebianSource {
  /** Files and links of the package, and the text of its `control`. */
  read(name: string, architecture: Architecture): Promise<{ files: Entry[]; control: string }>;
}

export class DebianPackages implements DebianSource {
  readonly #pins: DebianPins;
  readonly #kept: string;
  #apt: Promise<Apt> | undefined;

  constructor(root: string, pins: DebianPins) {
    this.#pins = pins;
    this.#kept = cacheDirectory(root);
  }

  async read(
    name: string,
    architecture: Architecture,
  ): Promise<{ files: Entry[]; control: string }> {
    const path = await this.#fetched(name, debianNames[architecture]);
    const [archive, control] = await Promise.all([
      run("dpkg-deb", ["--fsys-tarfile", path]),
      run("dpkg-deb", ["--field", path]),
    ]);
    return { files: [...readTar(archive)], control: control.toString() };
  }

  async #fetched(name: string, architecture: string): Promise<string> {
    const pin = this.#pins[name];
    if (pin === undefined) throw new Error(`debian-packages.json has no ${name}`);
    const path = join(this.#kept, `${pin.sha256[architecture]}.deb`);
    if (!existsSync(path)) {
      const apt = await (this.#apt ??= Apt.prepared(this.#kept));
      renameSync(
        await apt.download(`${name}:${architecture}=${pin.version}`).catch(outdated),
        path,
      );
    }
    const found = sha256(readFileSync(path));
    if (found === pin.sha256[architecture]) return path;
    rmSync(path);
    throw new Error(
      `apt gave a ${name} ${pin.version} that is not the one of debian-packages.json`,
    );
  }
}

/** Pins the versions that Debian has now. */
export async function updatePins(root: string): Promise<DebianPins> {
  const apt = await Apt.prepared(cacheDirectory(root));
  const updated: DebianPins = {};
  for (const name of Object.keys(readPins())) {
    const pin: Pin = { version: "", sha256: {} };
    for (const architecture of architectures.map((each) => debianNames[each])) {
      const path = await apt.download(`${name}:${architecture}`);
      const version = (await run("dpkg-deb", ["--field", path, "Version"])).toString().trim();
      if (pin.version !== "" && pin.version !== version) {
        throw new Error(
          `${name} is ${pin.version} and, for ${architecture}, ${version}: try later`,
        );
      }
      pin.version = version;
      pin.sha256[architecture] = sha256(readFileSync(path));
      rmSync(path);
    }
    updated[name] = pin;
  }
  writeFileSync(pinsFile, `${JSON.stringify(updated, undefined, 2)}\n`);
  return updated;
}

/** apt with this machine's sources, and with lists and archives of its own for both processors. */
class Apt {
  readonly #options: readonly string[];
  readonly #directory: string;

  private constructor(directory: string, options: readonly string[]) {
    this.#directory = directory;
    this.#options = options;
  }

  static async prepared(kept: string): Promise<Apt> {
    const directory = join(kept, "apt");
    for (const folder of ["lists/partial", "archives/partial"]) {
      mkdirSync(join(directory, folder), { recursive: true });
    }
    const status = join(directory, "status");
    writeFileSync(status, "");
    const settings = {
      "Dir::State::Lists": join(directory, "lists"),
      "Dir::State::Status": status,
      "Dir::Cache": directory,
      "APT::Architectures": Object.values(debianNames).join(","),
      "APT::Sandbox::User": "root",
    };
    const options = Object.entries(settings).flatMap(([name, value]) => ["-o", `${name}=${value}`]);
    await run("apt-get", [...options, "--quiet", "update"]);
    return new Apt(directory, options);
  }

  /** Downloads a package; returns the path of its only file. */
  async download(wanted: string): Promise<string> {
    const into = await mkdtemp(join(this.#directory, "download-"));
    await run("apt-get", [...this.#options, "--quiet", "download", wanted], { cwd: into });
    const [name = ""] = await readdir(into);
    return join(into, name);
  }
}

/** Debian keeps only the newest version, so an older pin may be gone. */
function outdated(error: Error): never {
  throw new Error(
    `${error.message}\nWhere Debian has a newer version: npm run release -- --update-debian`,
  );
}

function sha256(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
