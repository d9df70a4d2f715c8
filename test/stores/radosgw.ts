import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { freePorts } from "../free-port.ts";
import { answers, Daemons } from "./daemons.ts";
import { createBucket } from "./sdk.ts";
import type { S3Store } from "./store.ts";

/**
 * A Ceph of one monitor and one in-memory disk with its S3 gateway, on loopback, from Debian's
 * packages (install.ts). No manager daemon: nothing that the gateway needs waits for one.
 */
export async function startRadosgw(): Promise<S3Store & AsyncDisposable> {
  for (let attempt = 1; ; attempt++) {
    const daemons = await Daemons.in("radosgw");
    try {
      const store = await start(daemons);
      return {
        ...store,
        createBucket: (name) => createBucket(store, name),
        [Symbol.asyncDispose]: () => daemons[Symbol.asyncDispose](),
      };
    } catch (error) {
      await daemons[Symbol.asyncDispose]();
      // A disk that asks before it knows its cluster is told "wrong fsid", and ends.
      if (attempt === attemptsMax || !String(error).includes("wrong fsid")) throw error;
    }
  }
}

const attemptsMax = 4;

/**
 * A second user, of a tenant that is named as AWS numbers its accounts: with Ceph, the account in
 * the ARN of a role or of an identity provider is the tenant.
 */
export const radosgwAccount = {
  account: "111122223333",
  accessKeyId: "AKRADOSGWOWNER",
  secretAccessKey: "the-secret-of-the-owner",
} as const;

async function start(daemons: Daemons) {
  const [gatewayPort, monitorPort] = (await freePorts(2)) as [number, number];
  const { directory } = daemons;
  const monitor = `v1:127.0.0.1:${monitorPort}`;
  const cluster = crypto.randomUUID();
  const settings = join(directory, "ceph.conf");
  for (const name of ["mon", "osd", "rgw", "log", "run"]) await mkdir(join(directory, name));
  await writeFile(settings, configuration(directory, cluster, monitor));
  const withSettings = ["-c", settings];

  const map = join(directory, "monmap");
  await daemons.run("monmaptool", ["--create", "--addv", "a", monitor, "--fsid", cluster, map]);
  await daemons.run("ceph-mon", ["--mkfs", "-i", "a", "--monmap", map, ...withSettings]);
  daemons.start("monitor", "ceph-mon", ["-f", "-i", "a", ...withSettings]);
  const disk = crypto.randomUUID();
  // A monitor that has just begun answers with all sorts of errors. Asking again is harmless.
  const ask = (...words: string[]) =>
    daemons.run("ceph", [...withSettings, "--connect-timeout", "20", ...words]).catch(() => "");
  await daemons.until("the monitor knew the disk", async () =>
    /^0\s*$/.test(await ask("osd", "new", disk)),
  );
  await daemons.run("ceph-osd", ["-i", "0", "--mkfs", "--osd-uuid", disk, ...withSettings]);
  daemons.start("disk", "ceph-osd", ["-f", "-i", "0", ...withSettings]);
  await daemons.until("the disk was up", async () => (await ask("osd", "stat")).includes("1 up"));

  // Makes the gateway's pools too, which the gateway then finds.
  const accessKeyId = "AKRADOSGW";
  const secretAccessKey = "the-secret-of-radosgw";
  const keys = [`--access-key=${accessKeyId}`, `--secret-key=${secretAccessKey}`];
  const user = ["user", "create", "--uid=t", "--display-name=t", "--caps=roles=*;oidc-provider=*"];
  await daemons.run("radosgw-admin", [...withSettings, ...user, ...keys]);
  const { account, ...own } = radosgwAccount;
  const ownKeys = [`--access-key=${own.accessKeyId}`, `--secret-key=${own.secretAccessKey}`];
  const owner = ["user", "create", `--tenant=${account}`, "--uid=owner", ...user.slice(3)];
  await daemons.run("radosgw-admin", [...withSettings, ...owner, ...ownKeys]);
  const frontend = `beast endpoint=127.0.0.1:${gatewayPort}`;
  const gateway = ["-f", "-n", "client.rgw.a", ...withSettings, "--rgw-frontends", frontend];
  daemons.start("gateway", "radosgw", gateway);
  const endpoint = `http://127.0.0.1:${gatewayPort}`;
  await daemons.until("the gateway answered", () => answers(endpoint));
  const region = "us-east-1";
  return { name: "radosgw", endpoint, region, pathStyle: true, accessKeyId, secretAccessKey };
}

function configuration(directory: string, cluster: string, monitor: string): string {
  return `[global]
fsid = ${cluster}
mon host = ${monitor}
mon data = ${directory}/mon
osd data = ${directory}/osd
rgw data = ${directory}/rgw
log file = ${directory}/log/$name.log
run dir = ${directory}/run
admin socket = ${directory}/run/$name.asok
pid file = ${directory}/run/$name.pid
auth cluster required = none
auth service required = none
auth client required = none
public addr = 127.0.0.1
cluster addr = 127.0.0.1
ms bind ipv6 = false
ms bind msgr2 = false
# One disk, which keeps its objects in memory; every pool has one copy.
osd objectstore = memstore
memstore device bytes = 8589934592
osd pool default size = 1
osd pool default min size = 1
mon allow pool size one = true
osd crush chooseleaf type = 0
osd pool default pg num = 8
osd pool default pgp num = 8
osd pool default pg autoscale mode = off
mon max pg per osd = 2000
osd class load list = *
osd class default list = *
rgw thread pool size = 64
rgw enable usage log = false
# Temporary credentials (STS); the key has to have sixteen characters.
rgw sts key = lossless-testing
rgw s3 auth use sts = true
`;
}
