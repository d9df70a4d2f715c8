import assert from "node:assert/strict";
import { chmodSync, mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite, test } from "node:test";
import { ConfigError } from "./options.ts";
import { checkProvision, readableSecrets, readProvisionFile } from "./provision-file.ts";

const secret = `ak_${"Wq2_-".repeat(8)}`;
const key = { name: "ci", secret };
const signOn = {
  name: "Okta",
  issuer: "https://acme.okta.com",
  clientId: "0oa",
  clientSecret: "hidden",
  domains: ["acme.test"],
  defaultRole: "member",
};

function refused(content: unknown, sentence: RegExp): void {
  assert.throws(
    () => checkProvision(content, "p.json"),
    (error) => {
      assert.ok(error instanceof ConfigError, String(error));
      assert.match(error.message, /^p\.json: /);
      assert.match(error.message, sentence);
      assert.ok(!error.message.includes(secret.slice(5)));
      return true;
    },
  );
}

suite("provision file", () => {
  test("the documented form", () => {
    const file = {
      organizations: [
        {
          name: "acme",
          apiKeys: [key],
          people: [{ email: "ada@acme.test", password: "correct horse", role: "owner" }],
          locations: [
            {
              kind: "s3", endpoint: "https://s3.example", bucket: "bucket", path: "", signingRegion: "us-east-1",
              pathStyle: true, accessKeyId: "a", secretAccessKey: "s", cloud: "aws", region: "us-east-1",
              fallback: true,
            },
          ],
          signOn, trashDays: 14,
        },
        { name: "rival" },
      ],
      egress: { allowPrivate: ["127.0.0.0/8", "fd00::/8"] },
      clouds: {
        aws: { sts: "https://sts.{region}.{suffix}", s3: "https://s3.{region}.internal" },
        gcp: { storage: "http://127.0.0.1:4443" },
        azure: { blob: "https://{account}.blob.core.chinacloudapi.cn" },
      },
    }; // prettier-ignore
    assert.deepEqual(checkProvision(file, "p.json"), file);
    checkProvision({}, "p.json");
  });

  test("unknown fields and wrong types, with their place", () => {
    refused([], /must be object/);
    refused({ organisations: [] }, /organisations/);
    refused(
      { organizations: [{ name: "a", apiKey: [] }] },
      /\/organizations\/0\/apiKey is not a known field/,
    );
    refused({ organizations: [{}] }, /\/organizations\/0 .*name/);
    refused({ organizations: [{ name: "" }] }, /\/organizations\/0\/name/);
    refused(
      {
        organizations: [
          { name: "a", people: [{ email: "x", password: "12345678", role: "owner" }] },
        ],
      },
      /email/,
    );
    refused(
      { organizations: [{ name: "a", people: [{ email: "a@b", password: "", role: "owner" }] }] },
      /password/,
    );
    const king = { email: "a@b", password: "12345678", role: "king" };
    refused(
      { organizations: [{ name: "a", people: [king] }] },
      /\/organizations\/0\/people\/0\/role must be one of owner, admin, member, viewer\.$/,
    );
  });

  test("a person has one password, in whatever case the address is written", () => {
    const person = { email: "ada@acme.test", password: "one", role: "owner" };
    const file = (...people: unknown[]) => ({
      organizations: people.map((one, index) => ({ name: `o${index}`, people: [one] })),
    });
    checkProvision(file(person, { ...person, email: "ADA@acme.test", role: "member" }), "p.json");
    refused(
      file(person, { ...person, email: "ADA@acme.test", password: "two" }),
      /"ADA@acme.test" has two different passwords/,
    );
    refused(
      { organizations: [{ name: "a", people: [person, { ...person, email: "Ada@acme.test" }] }] },
      /email of a "ada@acme.test" is repeated/,
    );
  });

  test("secrets of the right form, each once", () => {
    const keyed = (...apiKeys: unknown[]) => ({ organizations: [{ name: "a", apiKeys }] });
    checkProvision(keyed(key), "p.json");
    for (const wrong of [
      "ak_short",
      `ik_${"a".repeat(50)}`,
      `ak_${"a".repeat(36)}`,
      `ak_${"a".repeat(50)}!`,
    ]) {
      refused(keyed({ name: "ci", secret: wrong }), /"ci" of "a" must be ak_/);
    }
    refused(keyed(key, { ...key, name: "other" }), /same secret/);
    refused(keyed(key, { name: "ci", secret: `ak_${"b".repeat(40)}` }), /"ci" is repeated/);
    refused({ organizations: [{ name: "a" }, { name: "a" }] }, /"a" is repeated/);
  });

  test("a sign-on as by the interface, with its secret or null; days of the trash", () => {
    const file = (more: object) => ({ organizations: [{ name: "a", ...more }] });
    checkProvision(file({ signOn: { ...signOn, clientSecret: null } }), "p.json");
    const { clientSecret: _, ...without } = signOn;
    refused(file({ signOn: without }), /organizations\[0\]\.signOn has no clientSecret; null/);
    for (const [wrong, sentence] of [
      [{ issuer: "okta" }, /signOn\.issuer must be an address like https/],
      [{ domains: ["@acme.test"] }, /signOn\.domains\[0\] must be a domain/],
      [{ defaultRole: "king" }, /signOn\.defaultRole must be one of "owner"/],
      [{ secret: "x" }, /signOn\.secret/],
    ] as const)
      refused(file({ signOn: { ...signOn, ...wrong } }), sentence);
    refused(file({ signOn: null }), /signOn must be an object/);
    for (const trashDays of [0, 1.5, "30", null, 3_651])
      refused(file({ trashDays }), /\/organizations\/0\/trashDays/);
  });

  test("egress ranges", () => {
    for (const range of [
      "10.0.0.0",
      "10.0.0.0/33",
      "x/8",
      "::1/129",
      "10.0.0.0/8/8",
      "10.0.0.0/",
    ]) {
      refused({ egress: { allowPrivate: [range] } }, /not a range/);
    }
  });

  test("names that would not be shown, and what people get wrong", () => {
    for (const wrong of ["", "  ", "a\nb", "a\u007f"])
      refused({ organizations: [{ name: wrong }] }, /\/organizations\/0\/name must/);
    refused(
      { organizations: [{ name: "a", apiKeys: [{ name: "\t", secret: `ak_${"x".repeat(40)}` }] }] },
      /apiKeys\/0\/name must not be blank/,
    );
    const people = [{ email: "nobody", password: "x", role: "owner" }];
    refused({ organizations: [{ name: "a", people }] }, /email must be an e-mail address/);
    const store = {
      kind: "gcs", endpoint: "https://s3.example", bucket: "bucket", path: "", signingRegion: "r",
      pathStyle: true, accessKeyId: "a", secretAccessKey: "s", cloud: "aws", region: "r",
    }; // prettier-ignore
    refused({ organizations: [{ name: "a", locations: [store] }] }, /kind must be "s3"/);
  });

  test("addresses of clouds: known fields, https, and nothing in braces that is not filled in", () => {
    const wrong: [object, RegExp][] = [
      [{ aws: { iam: "https://iam.test" } }, /\/clouds\/aws/],
      [{ oracle: {} }, /\/clouds/],
      [{ gcp: { sts: 1 } }, /\/clouds\/gcp\/sts/],
      [{ aws: { s3: "https://store.test/s3" } }, /clouds\.aws\.s3 must have no path/],
      [{ gcp: { sts: "" } }, /\/clouds\/gcp\/sts/],
      [{ gcp: { sts: "https://sts.{region}.test" } }, /clouds\.gcp\.sts has \{region\}.*nothing in braces/],
      [{ azure: { blob: "https://{region}.test" } }, /may have \{account\}/],
      [{ azure: { blob: "https://blob.test" } }, /azure\.blob must have \{account\}/],
      [{ aws: { s3: "https://{account}.test" } }, /may have \{region\} and \{suffix\}/],
      [{ azure: { login: "http://login.test" } }, /azure\.login must begin with https/],
      [{ azure: { login: "http://10.0.0.1" } }, /must begin with https/],
      ...["login.test", "https://u:p@h", "https://h/", "https://h?a", "https://h#a", "https://h {region", "ftp://h"].map(
        (login): [object, RegExp] => [{ azure: { login } }, /azure\.login must/],
      ),
    ]; // prettier-ignore
    for (const [clouds, sentence] of wrong) refused({ clouds }, sentence);
    for (const host of ["localhost:1", "[::1]:1", "127.0.0.2:1", "127.0.0.1:10000"]) {
      checkProvision({ clouds: { azure: { blob: `http://${host}/{account}` } } }, "p.json");
    }
  });

  test("one with secrets that others can read is told, and never refused", () => {
    using directory = mkdtempDisposableSync(join(tmpdir(), "lossless-provision-"));
    const path = join(directory.path, "provision.json");
    const file = { organizations: [{ name: "acme", apiKeys: [key] }] };
    writeFileSync(path, JSON.stringify(file));
    for (const mode of [0o644, 0o640, 0o604, 0o666]) {
      chmodSync(path, mode);
      assert.match(readableSecrets(path, readProvisionFile(path)) ?? "", /chmod 600/);
      assert.equal(readableSecrets(path, { organizations: [{ name: "acme" }] }), undefined);
    }
    const [ours] = checkProvision({ organizations: [{ name: "a", signOn }] }, path).organizations!;
    assert.match(readableSecrets(path, { organizations: [ours] }) ?? "", /0666/);
    const open = { ...ours, signOn: { ...ours.signOn!, clientSecret: null } };
    assert.equal(readableSecrets(path, { organizations: [open] }), undefined);
    const people = [{ email: "a@b", password: "12345678", role: "owner" as const }];
    assert.match(readableSecrets(path, { organizations: [{ name: "a", people }] }) ?? "", /0666/);
    chmodSync(path, 0o600);
    assert.equal(readableSecrets(path, file), undefined);
  });
});
