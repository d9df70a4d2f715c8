import { execFile } from "node:child_process";
import { appendFileSync, chownSync, cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client } from "pg";
import type { PostgresServer } from "./postgres.ts";

/** An authority, and what it signed: of the server for `localhost`, and of the user `certified`. */
export interface Certificates extends Disposable {
  readonly authority: string;
  /** Another one, which signed nothing here. */
  readonly stranger: string;
  readonly client: { certificate: string; key: string };
  readonly server: { certificate: string; key: string };
}

export async function makeCertificates(): Promise<Certificates> {
  const directory = mkdtempSync(join(tmpdir(), "lossless-certificates-"));
  const file = (name: string) => join(directory, name);
  const openssl = (...words: string[]) => promisify(execFile)("openssl", words);
  const request = (name: string, commonName: string) =>
    ["req", "-newkey", "rsa:2048", "-nodes", "-subj", `/CN=${commonName}`].concat([
      "-keyout",
      file(`${name}.key`),
    ]);
  const authority = async (name: string) => {
    const words = [...request(name, name), "-x509", "-days", "2", "-out", file(`${name}.pem`)];
    await openssl(...words);
    return file(`${name}.pem`);
  };
  const signed = async (name: string, commonName: string, ...extensions: string[]) => {
    await openssl(...request(name, commonName), ...extensions, "-out", file(`${name}.csr`));
    const signer = ["-CA", file("authority.pem"), "-CAkey", file("authority.key")];
    const words = ["x509", "-req", "-in", file(`${name}.csr`), "-days", "2", "-copy_extensions"];
    await openssl(...words, "copy", ...signer, "-out", file(`${name}.pem`));
    return { certificate: file(`${name}.pem`), key: file(`${name}.key`) };
  };
  return {
    authority: await authority("authority"),
    stranger: await authority("stranger"),
    server: await signed("server", "localhost", "-addext", "subjectAltName=DNS:localhost"),
    client: await signed("client", "certified"),
    [Symbol.dispose]: () => rmSync(directory, { recursive: true }),
  };
}

/** From now on its users `lossless` may come with TLS alone, and `certified` with a certificate. */
export async function encryptConnections(
  { port, dataDirectory, identity }: PostgresServer,
  { server, authority }: Certificates,
): Promise<void> {
  for (const [from, name] of [
    [server.certificate, "server.crt"],
    [server.key, "server.key"],
    [authority, "root.crt"],
  ]) {
    const to = join(dataDirectory, name);
    cpSync(from, to);
    if (identity !== undefined) chownSync(to, identity.uid, identity.gid);
  }
  const client = new Client({ connectionString: `postgres://lossless@127.0.0.1:${port}/postgres` });
  await client.connect();
  await client.query("CREATE ROLE certified LOGIN SUPERUSER");
  await client.query("ALTER SYSTEM SET ssl = on");
  await client.query("ALTER SYSTEM SET ssl_ca_file = 'root.crt'");
  const rules =
    "hostssl all certified 127.0.0.1/32 cert\nhostssl all lossless 127.0.0.1/32 trust\n";
  writeFileSync(join(dataDirectory, "pg_hba.conf"), "");
  appendFileSync(join(dataDirectory, "pg_hba.conf"), rules);
  await client.query("SELECT pg_reload_conf()");
  await client.end();
}
