/**
 * `npm run test:long`: the Debian package installed, upgraded with its data, removed and purged by
 * dpkg itself, and the image for arm64 run by an emulator. It takes Debian 12 with systemd's judge
 * of units and `qemu-user-static`, and root: dpkg works on this machine's root as it is seen
 * through an overlay, which takes all that is written, so that nothing here changes.
 */
import assert from "node:assert/strict";
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { after, before, suite, test } from "node:test";
import { environmentOf, unpackedImage } from "./image-root.ts";
import {
  bareEnvironment,
  readBack,
  recordAndRead,
  recorded,
  serveInstalled,
} from "./installed-service.ts";
import { fileOf, run, Workshop } from "./made.ts";

const emulator = "/usr/bin/qemu-aarch64-static";
const debian = process.arch === "arm64" ? "arm64" : "amd64";

suite("a package on Debian, and another processor", () => {
  const workshop = new Workshop();
  let made: string;
  let machine: Machine;

  before(async () => {
    assert.equal(process.getuid?.(), 0, "mounts and chroots are made by root");
    made = await workshop.release("made", "--only", "deb,image");
    machine = await Machine.make(workshop.path("machine"));
  });
  after(async () => {
    await machine?.[Symbol.asyncDispose]();
    workshop[Symbol.dispose]();
  });

  const data = "/var/lib/lossless";
  let apiKey = "";

  test("installed, it has a user and options of its own, and is on; backups are off", async () => {
    copyFileSync(fileOf(made, new RegExp(`_${debian}\\.deb$`)), machine.path("/srv/first.deb"));
    await machine.run("dpkg", "--install", "/srv/first.deb");
    assert.match(
      (await machine.run("getent", "passwd", "lossless")).stdout,
      /:\/var\/lib\/lossless:/,
    );
    const ownerOf = async (path: string) =>
      (await machine.run("stat", "--format", "%U:%G %a", path)).stdout.trim();
    assert.equal(await ownerOf("/etc/lossless"), "root:lossless 750");
    assert.equal(await ownerOf("/etc/default/lossless-backup"), "root:root 600");
    const wanted = machine.path("/etc/systemd/system/multi-user.target.wants/lossless.service");
    assert.ok(isLink(wanted));
    const timer = "/etc/systemd/system/timers.target.wants/lossless-backup.timer";
    assert.equal(isLink(machine.path(timer)), false);
    const { stdout } = await machine.run("dpkg", "--verify", "lossless");
    assert.equal(stdout, "");
  });

  test("systemd finds nothing wrong with the units", async () => {
    const units = ["lossless.service", "lossless-backup.service", "lossless-backup.timer"];
    const paths = units.map((name) => `/usr/lib/systemd/system/${name}`);
    const { stdout, stderr } = await machine.run("systemd-analyze", "verify", "--man=no", ...paths);
    assert.deepEqual([stdout, stderr], ["", ""]);
    const wrong = machine.path("/srv/lossless.service");
    const text = readFileSync(machine.path(paths[0]), "utf8");
    writeFileSync(wrong, text.replace("NoNewPrivileges=yes", "NoNewPrivilege=yes"));
    const planted = await machine
      .run("systemd-analyze", "verify", "/srv/lossless.service")
      .catch((error: Error & { stderr: string }) => error);
    assert.match(planted.stderr, /NoNewPrivilege/, "a field that there is not is seen");
  });

  test("it serves as its own user, and what is recorded is below /var/lib", async () => {
    // The unit's StateDirectory= makes it.
    await machine.run("install", "-d", "-o", "lossless", "-g", "lossless", "-m", "0700", data);
    await using service = await serve();
    ({ apiKey } = service);
    assert.deepEqual(await recordAndRead(service), recorded);
    assert.equal(await service.stop(), 0);
    assert.ok(existsSync(machine.path(`${data}/lossless.db`)));
  });

  test("the next version keeps the options that were changed, and serves the same data", async () => {
    const options = machine.path("/etc/lossless/lossless.json");
    const changed = readFileSync(options, "utf8").replace(
      '"port"',
      '"log-level": "debug",\n  "port"',
    );
    writeFileSync(options, changed);
    await machine.run("dpkg", "--install", await nextVersion());
    const { stdout } = await machine.run(
      "dpkg-query",
      "--show",
      "--showformat=${Version}",
      "lossless",
    );
    assert.match(stdout, /\+next$/);
    assert.equal(readFileSync(options, "utf8"), changed);
    await using service = await serve();
    assert.deepEqual(await readBack({ baseUrl: service.baseUrl, apiKey }), recorded);
    assert.equal(await service.stop(), 0);
    const words = ["verify", "--config", "/etc/lossless/lossless.json"];
    await machine.run(
      "setpriv",
      "--reuid=lossless",
      "--regid=lossless",
      "--clear-groups",
      "lossless",
      ...words,
    );
  });

  test("removed, the program is gone; purged, the options too; the data stay", async () => {
    await machine.run("dpkg", "--remove", "lossless");
    assert.equal(existsSync(machine.path("/usr/lib/lossless")), false);
    assert.equal(existsSync(machine.path("/usr/bin/lossless")), false);
    assert.ok(existsSync(machine.path("/etc/lossless/lossless.json")));
    const { stderr } = await machine.run("dpkg", "--purge", "lossless");
    assert.match(stderr, /the data in \/var\/lib\/lossless and the user lossless are left/);
    assert.equal(existsSync(machine.path("/etc/lossless")), false);
    assert.equal(existsSync(machine.path("/etc/default/lossless-backup")), false);
    const links = await machine.run(
      "find",
      "/etc/systemd",
      "/var/lib/systemd",
      "-name",
      "*lossless*",
    );
    assert.equal(links.stdout, "");
    assert.ok(existsSync(machine.path(`${data}/lossless.db`)));
    await machine.run("getent", "passwd", "lossless");
  });

  test("the image for arm64 serves, records and gives back, in an emulator", async () => {
    assert.ok(existsSync(emulator), "apt install qemu-user-static: it runs programs for arm64");
    const { root, config } = await unpackedImage(workshop, made, "arm64");
    copyFileSync(emulator, `${root}/qemu`);
    const [, node] = config.Healthcheck.Test;
    const command = [
      "chroot",
      `--userspec=${config.User}`,
      root,
      "/qemu",
      node,
      ...config.Entrypoint,
    ];
    await using service = await serveInstalled(command, {
      data: "/data/lossless",
      cwd: "/",
      env: {
        ...environmentOf(config),
        PATH: bareEnvironment()["PATH"],
        LOSSLESS_HOST: "127.0.0.1",
      },
    });
    assert.deepEqual(await recordAndRead(service), recorded);
    assert.equal(await service.stop(), 0);
  });

  /** As the unit starts it, on a free port. */
  function serve() {
    const command = ["chroot", "--userspec=lossless:lossless", machine.root, "/usr/bin/lossless"];
    const env = { LOSSLESS_CONFIG: "/etc/lossless/lossless.json" };
    return serveInstalled(command, { data, cwd: "/", env });
  }

  /** The same package under a higher version. */
  async function nextVersion(): Promise<string> {
    const files = machine.path("/srv/next");
    await machine.run("dpkg-deb", "--raw-extract", "/srv/first.deb", "/srv/next");
    const control = `${files}/DEBIAN/control`;
    const text = readFileSync(control, "utf8");
    writeFileSync(
      control,
      text.replace(/^Version: .*$/m, (line) => `${line}+next`),
    );
    const words = ["--build", "--root-owner-group", "-Znone", "/srv/next", "/srv/next.deb"];
    await machine.run("dpkg-deb", ...words);
    return "/srv/next.deb";
  }
});

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

/** This machine's root as it is, on which what is written goes to memory. */
class Machine implements AsyncDisposable {
  readonly #place: string;

  private constructor(place: string) {
    this.#place = place;
  }

  static async make(place: string): Promise<Machine> {
    const machine = new Machine(place);
    mkdirSync(place);
    await run("mount", ["-t", "tmpfs", "-o", "mode=755", "tmpfs", place]);
    const [lower, upper, work] = ["/", `${place}/changes`, `${place}/work`];
    for (const path of [upper, work, machine.root]) mkdirSync(path);
    const layers = `lowerdir=${lower},upperdir=${upper},workdir=${work}`;
    await run("mount", ["-t", "overlay", "overlay", "-o", layers, machine.root]);
    // No device but these, and no systemd that would be asked to start something.
    for (const name of ["dev", "run"]) {
      await run("mount", ["-t", "tmpfs", "-o", "mode=755", "tmpfs", machine.path(`/${name}`)]);
    }
    for (const [name, minor] of [
      ["null", "3"],
      ["zero", "5"],
      ["urandom", "9"],
    ]) {
      await run("mknod", ["-m", "666", machine.path(`/dev/${name}`), "c", "1", minor]);
    }
    return machine;
  }

  get root(): string {
    return `${this.#place}/root`;
  }

  path(path: string): string {
    return this.root + path;
  }

  run(...command: string[]): Promise<{ stdout: string; stderr: string }> {
    const environment = { DEBIAN_FRONTEND: "noninteractive", LC_ALL: "C.UTF-8" };
    return run("chroot", [this.root, ...command], { env: bareEnvironment(environment) });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const path of [this.path("/run"), this.path("/dev"), this.root, this.#place]) {
      await run("umount", [path]).catch(() => run("umount", ["--lazy", path]));
    }
  }
}
