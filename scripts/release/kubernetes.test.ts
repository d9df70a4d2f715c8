import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { CronJobSpec } from "kubernetes-types/batch/v1.js";
import type { PodSpec, ServiceSpec } from "kubernetes-types/core/v1.js";
import type { IngressSpec } from "kubernetes-types/networking/v1.js";
import { parse } from "yaml";
import { plantedTree, root } from "../planted.ts";

interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
  spec: { template?: { spec: PodSpec }; [field: string]: unknown };
}

interface Kustomization {
  resources: string[];
  configMapGenerator: { name: string; envs: string[] }[];
  images: { name: string; newTag: string }[];
}

const variants = ["embedded", "postgres"] as const;
const folder = join(root, "deploy/kubernetes");
const read = (path: string) => parse(readFileSync(join(folder, path), "utf8")) as unknown;
const kustomizationOf = (variant: string) => read(`${variant}/kustomization.yaml`) as Kustomization;

function manifestsOf(variant: string): Manifest[] {
  return kustomizationOf(variant).resources.map((name) => read(`${variant}/${name}`) as Manifest);
}

function podOf(variant: string): PodSpec {
  const pods = manifestsOf(variant).flatMap(({ spec }) => spec.template?.spec ?? []);
  assert.equal(pods.length, 1);
  return pods[0];
}

/** Checks against the types of Kubernetes' own schemas: unknown fields are compile errors. */
async function faultsOf(manifests: readonly Manifest[]): Promise<string[]> {
  const files = manifests.map((manifest, index) => {
    const { apiVersion, kind } = manifest;
    const path = apiVersion.includes("/") ? apiVersion : `core/${apiVersion}`;
    const from = `kubernetes-types/${path.replace(".k8s.io/", "/")}`;
    const text = `import type { ${kind} } from "${from}";
export const manifest: ${kind} = ${JSON.stringify(manifest, undefined, 1)};\n`;
    return [`${index}.ts`, text] as const;
  });
  const settings = {
    module: "nodenext",
    strict: true,
    noEmit: true,
    types: [],
    skipLibCheck: true,
  };
  await using tree = await plantedTree({
    ...Object.fromEntries(files),
    "package.json": '{ "type": "module" }',
    "tsconfig.json": JSON.stringify({
      compilerOptions: { ...settings, moduleResolution: "bundler", module: "esnext" },
    }),
  });
  await symlink(join(root, "node_modules"), join(tree.directory, "node_modules"));
  const { promise, resolve } = Promise.withResolvers<string[]>();
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  const words = [compiler, "-p", tree.directory, "--pretty", "false"];
  execFile(process.execPath, words, { cwd: tree.directory }, (error, stdout) => {
    const lines = stdout.split("\n").filter((line) => line !== "");
    resolve(error !== null && lines.length === 0 ? [error.message] : lines);
  });
  return await promise;
}

test("the manifests are what the schemas of Kubernetes allow", async () => {
  const all = [...variants, "ingress"].flatMap(manifestsOf);
  assert.deepEqual(await faultsOf(all), []);
});

test("a field that there is not, one of another type and one that is missing are seen", async () => {
  const [sound] = manifestsOf("embedded");
  const planted = (change: (container: object) => void) => {
    const manifest = structuredClone(sound);
    const [container] = manifest.spec.template?.spec.containers ?? [];
    change(container);
    return manifest;
  };
  const faults = await faultsOf([
    planted((container) => Object.assign(container, { livenessProbes: {} })),
    planted((container) => Object.assign(container, { args: "serve" })),
    planted((container) => Reflect.deleteProperty(container, "name")),
  ]);
  assert.deepEqual(
    [0, 1, 2].filter((index) => !faults.some((line) => line.startsWith(`${index}.ts`))),
    [],
    faults.join("\n"),
  );
});

for (const variant of variants) {
  test(`${variant}: every file is applied, with the version of this release`, () => {
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
      version: string;
    };
    const { resources, configMapGenerator, images } = kustomizationOf(variant);
    const named = [...resources, ...configMapGenerator.flatMap(({ envs }) => envs)];
    const files = readdirSync(join(folder, variant)).filter(
      (name) => name !== "kustomization.yaml",
    );
    assert.deepEqual(named.sort(), files.sort());
    assert.deepEqual(
      images.map(({ newTag }) => newTag),
      [version],
    );
    const { containers } = podOf(variant);
    assert.deepEqual(
      images.map(({ name }) => name),
      containers.map(({ image }) => image),
    );
    const maps = containers.flatMap(({ envFrom = [] }) =>
      envFrom.map((one) => one.configMapRef?.name),
    );
    assert.deepEqual(
      maps,
      configMapGenerator.map(({ name }) => name),
    );
  });

  test(`${variant}: nobody is root, nothing of the image is written, and both probes ask`, () => {
    const pod = podOf(variant);
    assert.equal(pod.securityContext?.runAsNonRoot, true);
    assert.equal(pod.automountServiceAccountToken, false);
    // A Service of that name would otherwise set LOSSLESS_PORT, which is an option of ours.
    assert.equal(pod.enableServiceLinks, false);
    const [{ securityContext, startupProbe, livenessProbe, readinessProbe, ports }] =
      pod.containers;
    assert.equal(securityContext?.readOnlyRootFilesystem, true);
    assert.equal(securityContext.allowPrivilegeEscalation, false);
    assert.deepEqual(securityContext.capabilities, { drop: ["ALL"] });
    assert.deepEqual(startupProbe?.httpGet, livenessProbe?.httpGet);
    assert.equal(livenessProbe?.httpGet?.path, "/healthz");
    assert.equal(readinessProbe?.httpGet?.path, "/readyz?for=read");
    assert.ok(ports?.some(({ name }) => name === livenessProbe.httpGet?.port));
  });
}

/** The environment of both processes and commands. */
function environmentOf(variant: string): Map<string, string> {
  const lines = readFileSync(join(folder, variant, "lossless.env"), "utf8")
    .trim()
    .split("\n");
  return new Map(lines.map((line) => line.split("=", 2) as [string, string]));
}

for (const variant of variants) {
  test(`${variant}: figures are on a port of their own, to which no Ingress leads`, () => {
    const serviceOf = (name: string) => {
      const found = manifestsOf(variant).find(
        ({ kind, metadata }) => kind === "Service" && metadata.name === name,
      );
      return found!.spec as unknown as ServiceSpec;
    };
    const targets = (name: string) => serviceOf(name).ports!.map(({ targetPort }) => targetPort);
    assert.deepEqual([targets("lossless"), targets("lossless-admin")], [["http"], ["admin"]]);
    assert.equal(serviceOf("lossless-admin").clusterIP, "None");
    const { ports } = podOf(variant).containers[0];
    const admin = ports!.find(({ name }) => name === "admin")!.containerPort;
    assert.equal(environmentOf(variant).get("LOSSLESS_ADMIN_PORT"), String(admin));
    const [ingress] = manifestsOf("ingress");
    const { rules = [], tls = [] } = ingress.spec as unknown as IngressSpec;
    const backends = rules.flatMap(({ http }) => http!.paths.map(({ backend }) => backend.service));
    assert.deepEqual(backends, [{ name: "lossless", port: { name: "http" } }]);
    const hosts = rules.map(({ host }) => host);
    assert.deepEqual(
      hosts,
      tls.flatMap((one) => one.hosts ?? []),
    );
    const { host } = new URL(environmentOf(variant).get("LOSSLESS_BASE_URL")!);
    assert.deepEqual(hosts, [host]);
  });
}

test("the data of one process belong to one process, and several are upgraded one after the other", () => {
  const specOf = (variant: string) => manifestsOf(variant).find(({ spec }) => spec.template)!.spec;
  assert.equal(specOf("embedded")["replicas"], 1);
  assert.deepEqual(specOf("postgres")["strategy"], {
    type: "RollingUpdate",
    rollingUpdate: { maxSurge: 1, maxUnavailable: 0 },
  });
});

for (const variant of variants) {
  test(`${variant}: backups are suspended until a bucket is named, one at a time, as closed as the service`, () => {
    const job = manifestsOf(variant).find(({ kind }) => kind === "CronJob")!;
    const { suspend, concurrencyPolicy, jobTemplate } = job.spec as unknown as CronJobSpec;
    assert.deepEqual([suspend, concurrencyPolicy], [true, "Forbid"]);
    const pod = jobTemplate.spec!.template.spec!;
    const service = podOf(variant);
    assert.deepEqual(pod.securityContext, service.securityContext);
    assert.equal(pod.automountServiceAccountToken, false);
    assert.equal(pod.enableServiceLinks, false);
    assert.equal(pod.containers[0].image, service.containers[0].image);
    assert.deepEqual(pod.containers[0].securityContext, service.containers[0].securityContext);
  });
}
