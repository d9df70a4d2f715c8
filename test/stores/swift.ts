import { mkdir, writeFile } from "node:fs/promises";
import { userInfo } from "node:os";
import { join } from "node:path";
import { freePorts } from "../free-port.ts";
import { answers, Daemons } from "./daemons.ts";
import { createBucket } from "./sdk.ts";
import type { S3Store } from "./store.ts";

const servers = ["account", "container", "object"] as const;

/**
 * An OpenStack Swift of one disk with its S3 API, on loopback, from Debian's packages (install.ts):
 * a second dialect, with at most 1,000 parts an upload, no lifecycle rules and no CORS.
 */
export async function startSwift(): Promise<S3Store & AsyncDisposable> {
  const daemons = await Daemons.in("swift");
  try {
    const store = await start(daemons);
    return {
      ...store,
      createBucket: (name) => createBucket(store, name),
      [Symbol.asyncDispose]: () => daemons[Symbol.asyncDispose](),
    };
  } catch (error) {
    await daemons[Symbol.asyncDispose]();
    throw error;
  }
}

async function start(daemons: Daemons) {
  const { directory } = daemons;
  const [proxyPort, cachePort, ...serverPorts] = (await freePorts(5)) as [number, number];
  const settings = join(directory, "etc");
  await mkdir(settings);
  await mkdir(join(directory, "disks", "d1"), { recursive: true });
  const write = (name: string, text: string) => writeFile(join(settings, name), text);
  await write("swift.conf", clusterConfiguration);
  for (const [index, server] of servers.entries()) {
    const port = serverPorts[index] ?? 0;
    await write(`${server}-server.conf`, serverConfiguration(directory, server, port));
    await buildRing(daemons, join(settings, `${server}.builder`), port);
    const file = join(settings, `${server}-server.conf`);
    daemons.start(server, `swift-${server}-server`, [file]);
  }
  await write("proxy-server.conf", proxyConfiguration(directory, proxyPort, cachePort));
  daemons.start("proxy", "swift-proxy-server", [join(settings, "proxy-server.conf")]);
  const endpoint = `http://127.0.0.1:${proxyPort}`;
  const store = {
    name: "swift",
    endpoint,
    region: "us-east-1",
    pathStyle: true,
    accessKeyId: "test:tester",
    secretAccessKey: "testing",
  };
  await daemons.until("the proxy answered", () => answers(endpoint));
  // The proxy answers before the servers behind it do.
  await daemons.until("a bucket could be made", () =>
    createBucket(store, "started").then(
      () => true,
      () => false,
    ),
  );
  return store;
}

async function buildRing(daemons: Daemons, builder: string, port: number): Promise<void> {
  await daemons.run("swift-ring-builder", [builder, "create", "6", "1", "1"]);
  await daemons.run("swift-ring-builder", [builder, "add", `r1z1-127.0.0.1:${port}/d1`, "1"]);
  await daemons.run("swift-ring-builder", [builder, "rebalance"]);
}

const clusterConfiguration = `[swift-hash]
swift_hash_path_prefix = a
swift_hash_path_suffix = b
[storage-policy:0]
name = gold
default = yes
`;

/** No workers: each server is one process. */
function sharedSettings(directory: string, port: number): string {
  return `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
workers = 0
user = ${userInfo().username}
swift_dir = ${directory}/etc
log_address = ${directory}/no-syslog
log_level = WARN
`;
}

function serverConfiguration(directory: string, server: string, port: number): string {
  return `${sharedSettings(directory, port)}
devices = ${directory}/disks
mount_check = false
[pipeline:main]
pipeline = ${server}-server
[app:${server}-server]
use = egg:swift#${server}
`;
}

/** The sign-in of the tests wants a cache to be configured, and does without one that answers. */
function proxyConfiguration(directory: string, port: number, cachePort: number): string {
  const filters = ["catch_errors", "gatekeeper", "proxy_logging", "bulk", "slo", "dlo"];
  return `${sharedSettings(directory, port)}
[pipeline:main]
pipeline = catch_errors gatekeeper proxy_logging cache s3api tempauth bulk slo dlo versioned_writes proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
allow_account_management = true
${filters.map((name) => `[filter:${name}]\nuse = egg:swift#${name}\n`).join("")}
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:${cachePort}
[filter:s3api]
use = egg:swift#s3api
s3_acl = false
location = us-east-1
check_bucket_owner = false
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = testing .admin .reseller_admin
[filter:versioned_writes]
use = egg:swift#versioned_writes
allow_versioned_writes = true
`;
}
