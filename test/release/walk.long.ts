/**
 * `npm run test:long`, by hand `npx node --test test/release/walk.long.ts`: the first year of an
 * installation, as its engineer has it. A service of the commit before there were releases, with
 * data; its upgrade to the archive of this one, and the way back; TLS by nginx as the page of
 * operators has it; fifty people by single sign-on; the nightly backup, and a restore elsewhere; a
 * full disk. It takes Debian 12 with `nginx-light`, `openssl` and git's history, and root, which
 * mounts the small disk.
 */
import assert from "node:assert/strict";
import { cpSync, mkdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { after, before, suite, test } from "node:test";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import type { SignOnView } from "@lossless/protocol";
import { LosslessClient } from "@lossless/client";
import { ArtifactCaller, fetchBytes } from "../contract/artifact-caller.ts";
import { OrganizationCaller, type Target } from "../contract/callers.ts";
import { signIn } from "../contract/people.ts";
import { oneFile, Writer } from "../contract/writer.ts";
import { PatchedCheckout } from "../crash/patched-checkout.ts";
import { freePort } from "../free-port.ts";
import { call, ok, parseObject } from "../http.ts";
import { makeCertificate, type Proxy, startNginx, writeNginxConfig } from "../proxy/nginx.ts";
import { checkoutRoot, organizations, Service } from "../service.ts";
import { IdentityProvider } from "../sign-on/identity-provider.ts";
import { readSignOn, setSignOn, signInByProvider, signOnBody } from "../sign-on/sign-on-calls.ts";
import { Daemons } from "../stores/daemons.ts";
import { type InstalledService, serveInstalled } from "./installed-service.ts";
import { fileOf, run, Workshop } from "./made.ts";

const commitBefore = "35f5bc74";
const { key } = organizations.acme;
const mebibyte = 1024 * 1024;
const peopleCount = 50;

suite("the first year of an installation", () => {
  const resources = new AsyncDisposableStack();
  const workshop = new Workshop();
  resources.defer(() => workshop[Symbol.dispose]());
  let lossless: string;
  /** The version of before, and its data and provision file, which stay where they are. */
  let old: Service;
  let place: Service;
  let proxy: Proxy;
  let target: Target;
  let service: InstalledService;

  before(async () => {
    assert.equal(process.getuid?.(), 0, "the small disk is mounted by root");
    const made = await workshop.release("made", "--only", "archive");
    const archive = fileOf(made, new RegExp(`-linux-${process.arch}\\.tar\\.gz$`));
    await run("tar", ["-xzf", archive, "-C", workshop.directory]);
    lossless = `${archive.replace(made, workshop.directory).replace(".tar.gz", "")}/lossless`;
    const daemons = resources.use(await Daemons.in("walk"));
    const certificate = await makeCertificate(daemons);
    proxy = { daemons, port: await freePort(), certificate, nodes: [] };
    target = { baseUrl: `https://localhost:${proxy.port}`, observe: () => undefined };
    // As the system's store has that of an authority.
    const authorities = [...getCACertificates("default"), readFileSync(certificate, "utf8")];
    setDefaultCACertificates(authorities);
  });
  after(() => resources.disposeAsync());

  test("an old installation is upgraded in place by the archive, and there is a way back", async () => {
    const [source, directory] = [workshop.path("before"), workshop.path("srv")];
    for (const path of [source, directory]) mkdirSync(path);
    const tree = workshop.path("before.tar");
    await run("git", ["-C", checkoutRoot, "archive", "--output", tree, commitBefore]);
    await run("tar", ["-xf", tree, "-C", source]);
    const checkout = resources.use(new PatchedCheckout([], source)).directory;
    old = resources.use(new Service({ checkout, directory, people: true }));
    await old.start();
    await recordSome(targetOf(old.baseUrl));
    const before = await seen(targetOf(old.baseUrl));
    assert.equal(await old.stop(), 0, old.errors);
    // That version had no backup: a copy of the stopped service is one.
    cpSync(old.dataDirectory, workshop.path("copy"), { recursive: true });

    place = new Service({ directory, people: true, allowPrivate: ["127.0.0.0/8"] });
    service = await serve(place.dataDirectory, {
      LOSSLESS_BASE_URL: target.baseUrl,
      LOSSLESS_TRUSTED_PROXIES: "127.0.0.1",
      LOSSLESS_PROVISION: place.provisionFile,
    });
    resources.use(service);
    proxy = { ...proxy, nodes: [service] };
    writeNginxConfig(proxy);
    startNginx(proxy);
    await proxy.daemons.until("nginx answered", async () => {
      return call(target.baseUrl, { path: "/readyz" }).then(isWhole, () => false);
    });
    assert.deepEqual(await seen(target), before);
    for (const about of [`address ${target.baseUrl}`, "bodies through the proxy"])
      assert.equal((await doctor()).find((one) => one.about === about)?.state, "ok", about);

    const back = { checkout, directory: workshop.path("back"), people: true };
    mkdirSync(back.directory);
    cpSync(workshop.path("copy"), `${back.directory}/data`, { recursive: true });
    await using again = await Service.start(back);
    assert.deepEqual(await seen(targetOf(again.baseUrl)), before);
  });

  test("fifty people sign in by their provider, and record through the proxy", async () => {
    const ada = await signIn(target, "ada");
    const { redirectAddress } = await readSignOn(target, ada);
    await using provider = await IdentityProvider.start([redirectAddress]);
    const view = await setSignOn(target, ada, signOnBody(provider.issuer));
    const tokens: string[] = [];
    for (let number = 0; number < peopleCount; number++) {
      tokens.push(await tokenOf(provider, view, number));
    }
    await Promise.all(tokens.map((apiKey, number) => recordAs(apiKey, `by-${number}`)));
    const { text } = await call(target.baseUrl, { path: "/api/v1/people", credential: ada });
    const { people } = parseObject<{ people: { email: string }[] }>(text);
    assert.equal(people.filter(({ email }) => email.startsWith("person-")).length, peopleCount);
  });

  test("the nightly backup is made beside them, and restored in another place it is equal", async () => {
    const nights = workshop.path("backups");
    const kept = ["--data", place.dataDirectory, "--keep", "14"];
    const backUp = () => run(lossless, ["backup", nights, ...kept]);
    const night = Promise.all([0, 1, 2].map((at) => recordAs(key, `tonight-${at}`)));
    await backUp();
    await night;
    await backUp();
    const restored = workshop.path("restored");
    await run(lossless, ["verify", "--backup", nights]);
    await run(lossless, ["restore", nights, restored]);
    const masterKey = `${place.dataDirectory}/master.key`;
    await run("install", ["-m", "600", masterKey, `${restored}/master.key`]);
    await using elsewhere = await serve(restored);
    assert.deepEqual(await seen(targetOf(elsewhere.baseUrl)), await seen(target));
    assert.equal(await elsewhere.stop(), 0);
    await run(lossless, ["verify", "--data", restored]);
  });

  test("on a full disk nothing is written and nothing acknowledged is lost; with room it goes on", async () => {
    const disk = workshop.path("disk");
    mkdirSync(disk);
    await run("mount", ["-t", "tmpfs", "-o", "size=96m", "tmpfs", disk]);
    resources.defer(async () => void (await run("umount", ["--lazy", disk])));
    await using small = await serve(`${disk}/data`, {
      LOSSLESS_DISK_RESERVE_BYTES: String(16 * mebibyte),
      LOSSLESS_PROVISION: place.provisionFile,
    });
    const { baseUrl } = small;
    const ballast = `${disk}/ballast`;
    const { bavail, bsize } = statfsSync(disk);
    const acme = new OrganizationCaller(targetOf(baseUrl), key);
    const experiment = await acme.open("on a small disk");
    await experiment.send(experiment.metric({ step: 0 }));
    writeFileSync(ballast, Buffer.alloc(bavail * bsize - 12 * mebibyte));
    let acknowledged = 1;
    let point = experiment.metric({ step: acknowledged });
    // How much is free is looked at now and then.
    for (let status = 200; status !== 507;) {
      ({ status } = await experiment.post([point]));
      if (status === 200) point = experiment.metric({ step: ++acknowledged });
    }
    const ready = async (query: string) =>
      (await call(baseUrl, { path: `/readyz${query}` })).status;
    assert.deepEqual([await ready(""), await ready("?for=read")], [503, 200]);
    assert.equal((await acme.series(experiment.experimentId)).done.points, acknowledged);
    rmSync(ballast);
    while ((await experiment.post([point])).status !== 200);
    const { partitions } = await acme.series(experiment.experimentId);
    const steps = Array.from({ length: acknowledged + 1 }, (_, step) => step);
    assert.deepEqual(partitions[0].step, steps);
    assert.equal(await small.stop(), 0);
    await run(lossless, ["verify", "--data", `${disk}/data`]);
  });

  test("after all of it the installation is sound, and the old version leaves it alone", async () => {
    assert.equal(await service.stop(), 0);
    old.spawn();
    assert.equal(await old.exited, 4, old.errors);
    await run(lossless, ["verify", "--data", place.dataDirectory]);
  });

  function serve(data: string, env: Record<string, string> = {}): Promise<InstalledService> {
    return serveInstalled([lossless], { data, cwd: "/", env });
  }

  /** The findings of the doctor; fails if the machine itself is not as it should be. */
  async function doctor(): Promise<{ about: string; state: string }[]> {
    const where = ["--data", place.dataDirectory, "--base-url", target.baseUrl, "--json"];
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: proxy.certificate };
    const { stdout } = await run(lossless, ["doctor", ...where], { env }).catch(
      (error: Error & { stdout: string }) => error,
    );
    return parseObject<{ findings: { about: string; state: string }[] }>(stdout).findings;
  }

  /** Signs a new person in, and gives the token that their jobs record with. */
  async function tokenOf(provider: IdentityProvider, view: SignOnView, number: number) {
    const email = `person-${number}@acme.test`;
    provider.account = `subject-${number}`;
    provider.accounts.set(provider.account, { email, email_verified: true });
    const credential = await signInByProvider(target, view);
    const path = "/api/sign-on/v1/tokens";
    const body = { name: "jobs", scope: "write", days: 30 };
    const reply = await call(target.baseUrl, { method: "POST", path, credential, body });
    return ok<{ secret: string }>(reply, 201).secret;
  }

  async function recordAs(apiKey: string, slug: string): Promise<void> {
    const client = new LosslessClient({ baseUrl: target.baseUrl, apiKey });
    const recorder = await client.record({ slug });
    for (let step = 0; step < 200; step++) recorder.record("loss", Math.exp(-step / 7), step);
    await recorder.finish();
  }
});

function targetOf(baseUrl: string): Target {
  return { baseUrl, observe: () => undefined };
}

function isWhole({ status }: { status: number }): boolean {
  return status === 200;
}

/** Records the data before the upgrade: points, some of them not sealed, folders, and versions. */
async function recordSome(old: Target): Promise<void> {
  const acme = new OrganizationCaller(old, key);
  const folder = await acme.ask("folder.create", { name: "team", parentFolderId: null });
  await acme.ask("folder.create", { name: "sweeps", parentFolderId: folder.folderId });
  for (let number = 0; number < 20; number++) {
    const experiment = await acme.open(`old-${number}`, "of before", {
      lr: number / 3,
      tags: ["a"],
    });
    const points = Array.from({ length: 200 }, (_, step) => {
      const meta = step % 2 === 0 ? {} : { gpu: "1" };
      return experiment.metric({ step, metricValue: Math.sin(step * number), meta });
    });
    await experiment.send(...points);
    await experiment.send(experiment.event("annotate", { annotation: "größe", meta: {} }));
  }
  const writer = await Writer.open(new ArtifactCaller(old, key), "models/best");
  for (const version of ["1", "2"]) await writer.write(version, oneFile);
}

/** Reads everything; times and revisions of the last change are left out. */
async function seen(of: Target): Promise<unknown> {
  const acme = new OrganizationCaller(of, key);
  const { experiments, folders } = await acme.ask("foldertree.read", {});
  const whole: unknown[] = [];
  for (const { experimentId } of experiments as { experimentId: string }[]) {
    whole.push({
      record: await acme.record(experimentId),
      annotations: await acme.ask("query.annotations", { experimentId }),
      points: (await acme.series(experimentId)).partitions,
    });
  }
  const artifacts = new ArtifactCaller(of, key);
  const bytes: string[] = [];
  const { versions } = await artifacts.list("models/best");
  for (const { version } of versions) {
    const { files } = await artifacts.read("models/best", version, { urls: "1" });
    for (const { url } of files) bytes.push((await fetchBytes(url)).toString("base64"));
  }
  const all = JSON.stringify({ folders, whole, names: versions.map((one) => one.version), bytes });
  return JSON.parse(all, (name, value: unknown) =>
    /^(updatedAtMs|revision)$/.test(name) ? undefined : value,
  );
}
