import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkoutRoot } from "../service.ts";
import type { Daemons } from "../stores/daemons.ts";

const page = readFileSync(join(checkoutRoot, "docs/operating.md"), "utf8");
/** As it stands on the page of operators. */
export const snippet = /```nginx\n([\s\S]*?)```/.exec(page)?.[1] ?? "";

export interface Proxy {
  daemons: Daemons;
  port: number;
  /** PEM; its key lies beside it. */
  certificate: string;
  /** One or two. */
  nodes: readonly { baseUrl: string }[];
}

export function nginxConfigFile({ directory }: Daemons): string {
  return join(directory, "nginx.conf");
}

/** Replaces what depends on the place, and nothing else: each has to stand in the snippet. */
export function writeNginxConfig(proxy: Proxy, wanted = snippet): void {
  const { daemons, port, certificate, nodes } = proxy;
  const [first, second] = nodes.map(({ baseUrl }) => `server ${new URL(baseUrl).host};`);
  const key = certificate.replace(/pem$/, "key");
  const replaced: [string, string][] = [
    ["server 10.0.0.11:7070;", first],
    ["server 10.0.0.12:7070;", second ?? ""],
    ["listen 443 ssl;", `listen 127.0.0.1:${port} ssl;`],
    ["server_name lossless.example;", "server_name localhost;"],
    ["/etc/ssl/lossless.pem", certificate],
    ["/etc/ssl/lossless.key", key],
  ];
  let config = wanted;
  for (const [from, to] of replaced) {
    assert.ok(config.includes(from), `the snippet has ${from}`);
    config = config.replace(from, to);
  }
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((kind) => `${kind}_temp_path ${join(daemons.directory, kind)};`)
    .join("\n");
  const user = process.getuid?.() === 0 ? "user root;\n" : "";
  const file = nginxConfigFile(daemons);
  const head = `${user}daemon off;\npid ${file}.pid;\nerror_log stderr;\nevents {}\n`;
  writeFileSync(file, `${head}http {\naccess_log off;\n${paths}\n${config}\n}\n`);
}

export function startNginx({ daemons }: Proxy): void {
  daemons.start("nginx", "nginx", ["-p", daemons.directory, "-c", nginxConfigFile(daemons)]);
}

export async function makeCertificate(daemons: Daemons): Promise<string> {
  const certificate = join(daemons.directory, "lossless.pem");
  const names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
  const wanted = ["-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"];
  const files = ["-keyout", certificate.replace(/pem$/, "key"), "-out", certificate];
  await daemons.run("openssl", ["req", ...wanted, ...names, ...files]);
  return certificate;
}
