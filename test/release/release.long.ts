/**
 * `npm run test:long`: the whole release, made twice, at two places, and each form of it that this
 * machine can run. It takes Debian with apt, dpkg and systemd's own judge of units, Python with
 * `venv`, the registries of npm and Python, and root, to stand on the root of the image.
 */
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { after, before, suite, test } from "node:test";
import { LosslessClient } from "@lossless/client";
import { checkoutRoot, organizations, Service } from "../service.ts";
import { environmentOf, unpackedImage } from "./image-root.ts";
import { bareEnvironment, recordAndRead, recorded, serveInstalled } from "./installed-service.ts";
import { differences, fileOf, run, Workshop } from "./made.ts";

suite("a release", () => {
  const workshop = new Workshop();
  const hosts = process.arch === "arm64" ? "arm64" : "x64";
  let made: string;

  before(async () => {
    assert.equal(process.getuid?.(), 0, "the root of the image is entered by root");
    made = await workshop.release("made");
  });
  after(() => workshop[Symbol.dispose]());

  test("a second run, from another place, gives the same bytes, and what differs is seen", async () => {
    const again = await workshop.releaseElsewhere("again");
    assert.deepEqual(differences(made, again), []);
    const [first] = readdirSync(again);
    const bytes = readFileSync(`${again}/${first}`);
    bytes[bytes.length - 1] ^= 1;
    writeFileSync(`${again}/${first}`, bytes);
    assert.deepEqual(differences(made, again), [first]);
  });

  test("SHA256SUMS has the hash of each file", async () => {
    const { stdout } = await run("sha256sum", ["--check", "SHA256SUMS"], { cwd: made });
    assert.equal(stdout.trimEnd().split("\n").length, readdirSync(made).length - 1);
  });

  test("nothing in it names this machine", async () => {
    const unpacked = await unpackedArchive(hosts);
    const places = ["-e", `${workshop.directory}/`, "-e", `${checkoutRoot}/`];
    const { stdout } = await run("grep", ["-rlF", ...places, unpacked]).catch(
      (error: Error & { code: number; stdout: string }) => {
        assert.equal(error.code, 1);
        return error;
      },
    );
    assert.equal(stdout, "");
  });

  test("the archive serves through a link, from elsewhere, and changes nothing of itself", async () => {
    const unpacked = await unpackedArchive(hosts);
    const before = await listed(unpacked);
    const command = workshop.path("command");
    symlinkSync(`${unpacked}/lossless`, command);
    await using service = await serveInstalled([command], {
      data: workshop.path("archive-data"),
      cwd: "/",
    });
    assert.deepEqual(await recordAndRead(service), recorded);
    assert.equal(await service.stop(), 0);
    assert.equal(await listed(unpacked), before);
  });

  test("the archives have Node and libatomic of their own processors", async () => {
    for (const [architecture, machine] of [
      ["x64", 62],
      ["arm64", 183],
    ] as const) {
      const unpacked = await unpackedArchive(architecture);
      for (const path of ["bin/node", "lib/libatomic.so.1"]) {
        assert.equal(readFileSync(`${unpacked}/${path}`).readUInt16LE(18), machine, path);
      }
    }
  });

  test("dpkg-deb reads the Debian package, and what it unpacks serves", async () => {
    const debian = hosts === "x64" ? "amd64" : "arm64";
    const path = fileOf(made, new RegExp(`_${debian}\\.deb$`));
    const { stdout: fields } = await run("dpkg-deb", ["--field", path]);
    assert.match(fields, new RegExp(`^Package: lossless\n[^]*^Architecture: ${debian}$`, "m"));
    const { stdout: listing } = await run("dpkg-deb", ["--contents", path], {
      maxBuffer: 64 * 1024 * 1024,
    });
    assert.match(listing, /^drwxr-xr-x root\/root .* \.\/$/m);
    assert.match(listing, /\.\/usr\/bin\/lossless -> \.\.\/lib\/lossless\/lossless$/m);
    const root = workshop.path("debian");
    await run("dpkg-deb", ["--raw-extract", path, root]);
    await run("md5sum", ["--check", "--quiet", "DEBIAN/md5sums"], { cwd: root });
    for (const script of ["postinst", "prerm", "postrm"]) {
      await run("sh", ["-n", `${root}/DEBIAN/${script}`]);
    }
    await using service = await serveInstalled([`${root}/usr/bin/lossless`], {
      data: workshop.path("debian-data"),
      cwd: "/",
    });
    assert.deepEqual(await recordAndRead(service), recorded);
    assert.equal(await service.stop(), 0);
  });

  test("systemd judges the units to be exposed by 2.0 at most", async () => {
    const root = workshop.path("judged");
    mkdirSync(root);
    const unit = `${workshop.path("debian")}/usr/lib/systemd/system/lossless.service`;
    const exposureOf = async (path: string): Promise<number> => {
      const { stdout } = await run("systemd-analyze", [
        "security",
        "--offline=true",
        "--no-pager",
        path,
      ]);
      return Number(/Overall exposure level for \S+: ([\d.]+)/.exec(stdout)?.[1]);
    };
    const exposure = await exposureOf(unit);
    assert.ok(exposure <= 2, String(exposure));
    const backups = await exposureOf(unit.replace("lossless.service", "lossless-backup.service"));
    assert.ok(backups <= 2, String(backups));
    const open = `${root}/lossless.service`;
    writeFileSync(
      open,
      readFileSync(unit, "utf8").replaceAll(/^(Protect|Private|Restrict).*$/gm, ""),
    );
    assert.ok((await exposureOf(open)) > 2, "an open unit is told from a closed one");
  });

  test("the layers of the image are a root on which it serves, as nobody's user", async () => {
    const { root, config } = await unpackedImage(
      workshop,
      made,
      hosts === "x64" ? "amd64" : "arm64",
    );
    const [user] = config.User.split(":");
    const command = ["chroot", `--userspec=${config.User}`, root, ...config.Entrypoint];
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
    const { port } = new URL(service.baseUrl);
    const [, node, ...words] = config.Healthcheck.Test;
    const asked = [`--userspec=${config.User}`, root, node, ...words];
    await run("chroot", asked, { env: bareEnvironment({ LOSSLESS_PORT: port }) });
    await assert.rejects(run("chroot", asked, { env: bareEnvironment({ LOSSLESS_PORT: "1" }) }));
    assert.equal(await service.stop(), 0);
    const { stdout } = await run("find", [root, "-user", user, "-type", "f"]);
    const written = stdout.trimEnd().split("\n");
    assert.ok(written.length > 1);
    assert.deepEqual(
      written.filter((path) => !path.startsWith(`${root}/data/`)),
      [],
    );
  });

  test("the wheel, and what pip makes of the sources, record for the service", async () => {
    await using service = await Service.start();
    const wheel = fileOf(made, /^lossless-[\d.]+-.*\.whl$/);
    const asWandb = fileOf(made, /^lossless_as_wandb-[\d.]+-.*\.whl$/);
    const sources = fileOf(made, /^lossless-[\d.]+\.tar\.gz$/);
    for (const [name, file] of [
      ["wheel", wheel],
      ["sources", sources],
    ]) {
      const environment = workshop.path(name);
      await run("python3", ["-m", "venv", environment]);
      const python = `${environment}/bin/python`;
      const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"];
      await run(python, [...pip, file, asWandb]);
      const program = `
import importlib.metadata, wandb
assert importlib.metadata.version("wandb") == wandb.__version__
assert wandb.init(mode="disabled").disabled
import lossless
run = lossless.init(${JSON.stringify(name)}, slug=${JSON.stringify(name)})
for step in range(10):
    run.log({"loss": step / 3}, step=step)
run.finish()
`;
      await run(python, ["-c", program], {
        cwd: workshop.directory,
        env: bareEnvironment({
          HOME: workshop.path(`${name}-home`),
          LOSSLESS_URL: service.baseUrl,
          LOSSLESS_API_KEY: organizations.acme.key,
        }),
      });
      const client = new LosslessClient({
        baseUrl: service.baseUrl,
        apiKey: organizations.acme.key,
      });
      const { experimentId } = await client.experiment({ experimentSlug: name });
      const read: number[] = [];
      for await (const { value } of client.series({ experimentId, seriesNames: ["loss"] })) {
        read.push(...value);
      }
      assert.deepEqual(
        read,
        Array.from({ length: 10 }, (_, step) => step / 3),
      );
    }
  });

  async function unpackedArchive(architecture: string): Promise<string> {
    const path = fileOf(made, new RegExp(`-linux-${architecture}\\.tar\\.gz$`));
    const name = path.slice(path.lastIndexOf("/") + 1).replace(".tar.gz", "");
    if (!readdirSync(workshop.directory).includes(name)) {
      await run("tar", ["-xzf", path, "-C", workshop.directory]);
    }
    return workshop.path(name);
  }

  /** Modes, times and names of all files. */
  async function listed(directory: string): Promise<string> {
    const words = [directory, "-printf", "%m %s %T@ %p\n"];
    return (await run("find", words, { maxBuffer: 64 * 1024 * 1024 })).stdout;
  }
});
