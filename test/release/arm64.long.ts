/**
 * `npm run test:long`, by hand `npx node --test test/release/arm64.long.ts`: the archive and the
 * Debian package for arm64 serve in a root of Debian for that processor, of which an emulator runs
 * every program. It takes Debian with `debootstrap` and `qemu-user-static`, Linux 6.7, and root.
 * The kernel learns of the emulator in a namespace of the test's own: nothing here changes.
 */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { after, before, suite, test } from "node:test";
import {
  bareEnvironment,
  readBack,
  recordAndRead,
  recorded,
  serveInstalled,
} from "./installed-service.ts";
import { fileOf, run, Workshop } from "./made.ts";

const emulator = "/usr/bin/qemu-aarch64-static";
const data = "/var/lib/lossless";

/** The kernel's mark of programs for arm64: the first bytes of the file, and their mask. */
const magic = String.raw`\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00`;
const mask = String.raw`\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff`;

/** It waits for its ids, tells the kernel, and becomes the command. */
const inside = `
until grep -q 65536 /proc/self/uid_map && grep -q 65536 /proc/self/gid_map; do sleep 0.05; done
set -e
mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc
printf %s ':arm64:M::${magic}:${mask}:${emulator}:F' > /proc/sys/fs/binfmt_misc/register
exec chroot "$@"
`;

/** ROOT COMMAND...: a process has to be given the ids of its namespace by one outside. */
const enter = `#!/bin/sh
( for map in uid_map gid_map; do
    until echo 0 0 65536 > /proc/$$/$map; do sleep 0.05; done
  done ) 2> /dev/null &
exec unshare --user --mount sh "$(dirname "$0")/inside" "$@"
`;

suite("the archive and the Debian package for arm64, in an emulator", () => {
  const workshop = new Workshop();
  const root = workshop.path("root");
  const program = workshop.path("enter");
  let made: string;
  let apiKey = "";

  before(async () => {
    assert.equal(process.getuid?.(), 0, "the root is made and entered by root");
    assert.ok(existsSync(emulator), "apt install qemu-user-static: it runs programs for arm64");
    assert.ok(existsSync("/usr/sbin/debootstrap"), "apt install debootstrap: it makes the root");
    made = await workshop.release("made", "--only", "archive,deb");
    const { stdout } = await run("apt-get", ["indextargets", "--format", "$(SITE)"]);
    const [mirror] = stdout.split("\n").filter((site) => !site.includes("security"));
    // Its packages are unpacked and no more: no script of one runs.
    const kind = ["--arch=arm64", "--foreign", "--variant=minbase", "--include=libatomic1"];
    await run("debootstrap", [...kind, "bookworm", root, mirror]);
    const packages = `${root}/var/cache/apt/archives`;
    for (const name of readdirSync(packages).filter((each) => each.endsWith(".deb")))
      await run("dpkg-deb", ["--extract", `${packages}/${name}`, root]);
    writeFileSync(workshop.path("inside"), inside);
    writeFileSync(program, enter, { mode: 0o755 });
    const { stdout: machine } = await entered("uname", "-m");
    assert.equal(machine.trim(), "aarch64");
  });
  after(() => workshop[Symbol.dispose]());

  test("the archive serves, records and gives back", async () => {
    mkdirSync(`${root}/srv`);
    await run("tar", ["-xzf", fileOf(made, /-linux-arm64\.tar\.gz$/), "-C", `${root}/srv`]);
    const [directory] = (await entered("ls", "/srv")).stdout.split("\n");
    await using service = await serve(`/srv/${directory}/lossless`);
    ({ apiKey } = service);
    assert.deepEqual(await recordAndRead(service), recorded);
    assert.equal(await service.stop(), 0);
  });

  test("the files of the Debian package serve the same data", async () => {
    await run("dpkg-deb", ["--extract", fileOf(made, /_arm64\.deb$/), root]);
    await using service = await serve("/usr/bin/lossless");
    assert.deepEqual(await readBack({ baseUrl: service.baseUrl, apiKey }), recorded);
    assert.equal(await service.stop(), 0);
  });

  function entered(...command: string[]): Promise<{ stdout: string }> {
    return run(program, [root, ...command], { env: bareEnvironment() });
  }

  function serve(command: string) {
    return serveInstalled([program, root, command], { data, cwd: "/" });
  }
});
