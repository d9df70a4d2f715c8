import { closeSync, fsyncSync, openSync, rmSync, writeSync } from "node:fs";
import { readFile, realpath, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import { newId } from "../../ground/ids.ts";
import { advise, type Finding, ok, problem } from "./finding.ts";

/** A directory in which the service stores acknowledged data. */
export interface StoringDirectory {
  path: string;
  /** `data directory`, `artifacts`. */
  name: string;
  reserveBytes: number;
}

const syncs = 25;
/** A write of so little that is on stable storage sooner was not: no disk answers so fast. */
const fastestMs = 0.02;
const slowMs = 20;
const gibibyte = 1_073_741_824;
const inMemory = new Set(["tmpfs", "ramfs"]);
/** File systems over a network or a program: the effect of an fsync depends on their options. */
const remote = /^(nfs|nfs4|cifs|smb3|9p|ceph|glusterfs|fuse\.|fuseblk|lustre|beegfs)/;

/**
 * Examines the directory's file system, the time of a synced write, the free space and the
 * permissions.
 */
export async function examineDirectory(directory: StoringDirectory): Promise<Finding[]> {
  const about = (what: string): string => `${what} of the ${directory.name}`;
  const { path } = directory;
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) {
    return [ok(directory.name, `${path} is not there yet; the first start makes it`)];
  }
  return [
    await fileSystem(about("file system"), path),
    sync(about("disk"), path),
    await room(about("room"), directory),
    access(about("access"), path, found),
  ];
}

async function fileSystem(about: string, path: string): Promise<Finding> {
  const kind = await fileSystemOf(path);
  if (kind === undefined) return ok(about, "unknown");
  if (inMemory.has(kind)) {
    return problem(
      about,
      `${kind}: it is in memory, and gone when the machine restarts`,
      "Put the directory on a disk (--data, --artifacts).",
    );
  }
  if (kind === "overlay") {
    return problem(
      about,
      "overlay: it is part of a container, and gone with it",
      "Mount a volume there.",
    );
  }
  if (remote.test(kind)) {
    return advise(
      about,
      `${kind}: not a disk of this machine`,
      "SQLite's locks and every fsync must be honoured by it. Use a local disk for --data, or PostgreSQL.",
    );
  }
  return ok(about, kind);
}

/**
 * Returns the file system by the longest mount point above the path; undefined where the system
 * does not tell.
 */
async function fileSystemOf(path: string): Promise<string | undefined> {
  const real = await realpath(path);
  const mounts = await readFile("/proc/self/mountinfo", "utf8").catch(() => "");
  const above = mounts
    .split("\n")
    .map((line) => {
      const [left, right] = line.split(" - ");
      return { at: left.split(" ")[4] ?? "", kind: right?.split(" ")[0] ?? "" };
    })
    .filter(({ at }) => at !== "" && (at === "/" || real === at || real.startsWith(`${at}/`)))
    .sort((one, other) => other.at.length - one.at.length);
  return above[0]?.kind;
}

/** Measures the minimal time of an acknowledgement, with writes like those of the log. */
function sync(about: string, path: string): Finding {
  const file = join(path, `.doctor-${newId(Date.now())}`);
  let times: number[];
  try {
    const handle = openSync(file, "wx", 0o600);
    try {
      times = Array.from({ length: syncs }, () => {
        const startedMs = performance.now();
        writeSync(handle, Buffer.alloc(4_096, 1));
        fsyncSync(handle);
        return performance.now() - startedMs;
      }).sort((one, other) => one - other);
    } finally {
      closeSync(handle);
      rmSync(file, { force: true });
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return problem(
      about,
      `a file cannot be written there: ${code ?? "unknown error"}`,
      "Run this as the service's user, and give that user the directory.",
    );
  }
  const [median, longest] = [times[Math.floor(syncs / 2)], times.at(-1)!];
  const found = `${milliseconds(median)} to sync 4 KiB, at most ${milliseconds(longest)}`;
  if (median < fastestMs) {
    return problem(
      about,
      `${found}: no disk is so fast, so fsync does nothing here`,
      "Look at the file system's options and the virtual machine's cache mode: an acknowledgement relies on fsync.",
    );
  }
  if (median > slowMs) {
    return advise(
      about,
      `${found}: slow`,
      "Every acknowledgement waits for one of these. A disk with a protected write cache takes a millisecond or less.",
    );
  }
  return ok(about, found);
}

async function room(about: string, { path, reserveBytes }: StoringDirectory): Promise<Finding> {
  const { bavail, bsize, blocks, ffree, files } = await statfs(path);
  const free = bavail * bsize;
  const found = `${(free / gibibyte).toFixed(1)} GiB of ${((blocks * bsize) / gibibyte).toFixed(1)} GiB free`;
  if (free < reserveBytes) {
    return problem(
      about,
      `${found}, less than --disk-reserve-bytes: writes are refused`,
      "Free space, enlarge the disk, or lower the reserve.",
    );
  }
  if (files > 0 && ffree < files / 100) {
    return problem(
      about,
      `${found}, but only ${ffree} inodes`,
      "Remove small files, or make a file system with more inodes.",
    );
  }
  if (bavail < blocks / 20)
    return advise(about, found, "Less than a twentieth is free: enlarge it soon.");
  return ok(about, found);
}

function access(
  about: string,
  path: string,
  { mode, uid }: { mode: number; uid: number },
): Finding {
  const self = process.getuid?.();
  const shown = `mode ${(mode & 0o777).toString(8).padStart(3, "0")}`;
  if ((mode & 0o077) !== 0) {
    return problem(
      about,
      `${shown}: other users of this machine can look into it`,
      `Run chmod 700 ${path}; it contains the master key and recorded data.`,
    );
  }
  if (self !== undefined && self !== uid) {
    return advise(
      about,
      `${shown}, of user ${uid}; this is user ${self}`,
      "Run this as the service's user.",
    );
  }
  return ok(about, `${shown}, of this user alone`);
}

function milliseconds(value: number): string {
  return `${value < 10 ? value.toFixed(2) : Math.round(value)} ms`;
}
