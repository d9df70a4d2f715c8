import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import type { Service } from "../service.ts";

const sizeBytes = 1_073_741_824;

/** It requests FS_IOC_SHUTDOWN of ext4 and XFS; flag 2 (NOLOGFLUSH) drops all not fsynced. */
const shutDown = `sysopen(my $handle, $ARGV[0], 0) or die "open: $!"; my $flag = pack("I", 2);
defined ioctl($handle, 0x8004587d, $flag) or die "ioctl: $!";`;

/** Says what is missing for a LoopDisk, or nothing when one can be made. */
export function whyNoLoopDisk(): string | undefined {
  if (process.platform !== "linux") return "It needs Linux.";
  if (process.getuid?.() !== 0) return "It needs root, to mount a file system.";
  for (const program of ["mkfs.ext4", "mount", "umount", "perl", "losetup"]) {
    try {
      execFileSync("sh", ["-c", `command -v ${program}`], { stdio: "ignore" });
    } catch {
      return `It needs the program ${program}.`;
    }
  }
  try {
    execFileSync("losetup", ["--find"], { stdio: "ignore" });
  } catch {
    return "There is no free loop device.";
  }
  return undefined;
}

/** A mounted ext4 file system in a file can lose all that the disk had not been told to keep. */
export class LoopDisk implements Disposable {
  readonly #image: string;
  readonly #mountPoint: string;

  constructor(image: string, mountPoint: string) {
    this.#image = image;
    this.#mountPoint = mountPoint;
    execFileSync("truncate", ["--size", String(sizeBytes), image]);
    execFileSync("mkfs.ext4", ["-q", image]);
    this.#mount();
  }

  /** It stops the service amid whatever it does, cuts its disk's power, and mounts that again. */
  async losePower(service: Service): Promise<void> {
    process.kill(service.processId, "SIGSTOP");
    execFileSync("perl", ["-e", shutDown, this.#mountPoint]);
    await service.kill();
    execFileSync("umount", [this.#mountPoint]);
    this.#mount();
  }

  #mount(): void {
    execFileSync("mount", ["-o", "loop", this.#image, this.#mountPoint]);
  }

  [Symbol.dispose](): void {
    execFileSync("umount", [this.#mountPoint]);
    rmSync(this.#image);
  }
}
