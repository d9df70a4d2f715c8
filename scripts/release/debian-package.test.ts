import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { exitCodes, lastingExitCodes } from "../../server/src/ground/exit-codes.ts";
import { gunzipSync } from "node:zlib";
import { root } from "../planted.ts";
import { debianPackage } from "./debian-package.ts";
import { file } from "./entries.ts";
import { readTar } from "./tar.ts";

const release = { root, version: "1.2.3", seconds: 1_700_000_000 };
const node = { program: Buffer.from("node"), license: Buffer.from("MIT") };
const program = [file("node_modules/a/index.js", "1", 0o644)];

/** The members of an ar archive, as the format's headers say. */
function members(archive: Buffer): Map<string, Buffer> {
  assert.equal(archive.toString("latin1", 0, 8), "!<arch>\n");
  const found = new Map<string, Buffer>();
  for (let at = 8; at < archive.length;) {
    const header = archive.toString("latin1", at, at + 60);
    assert.equal(header.slice(58), "`\n");
    const size = Number(header.slice(48, 58));
    found.set(header.slice(0, 16).trim(), archive.subarray(at + 60, at + 60 + size));
    at += 60 + size + (size % 2);
  }
  return found;
}

async function unpacked() {
  const { name, content } = await debianPackage(release, "arm64", program, node);
  const parts = members(content);
  const files = (part: string) => {
    const archive = gunzipSync(parts.get(part) ?? Buffer.alloc(0));
    return new Map([...readTar(archive)].map((entry) => [entry.path, entry]));
  };
  return { name, parts, control: files("control.tar.gz"), data: files("data.tar.gz") };
}

test("the three members are in their order, and control names version and processor", async () => {
  const { name, parts, control } = await unpacked();
  assert.equal(name, "lossless_1.2.3_arm64.deb");
  assert.deepEqual([...parts.keys()], ["debian-binary", "control.tar.gz", "data.tar.gz"]);
  assert.equal(parts.get("debian-binary")?.toString(), "2.0\n");
  const fields = control.get("control");
  assert.ok(fields?.kind === "file");
  assert.match(fields.content.toString(), /^Version: 1\.2\.3\nArchitecture: arm64$/m);
  for (const script of ["postinst", "prerm", "postrm"]) {
    const entry = control.get(script);
    assert.ok(entry?.kind === "file" && entry.mode === 0o755, script);
    execFileSync("sh", ["-n"], { input: entry.content });
  }
});

test("the command leads to the program, and every file of options is a conffile", async () => {
  const { control, data } = await unpacked();
  const command = data.get("usr/bin/lossless");
  assert.deepEqual(command?.kind === "link" && command.target, "../lib/lossless/lossless");
  for (const named of ["docs/operating.md", "deploy/monitoring/alerts.yml"])
    assert.ok(data.has(`usr/share/doc/lossless/${named}`), named);
  const launcher = data.get("usr/lib/lossless/lossless");
  assert.ok(launcher?.kind === "file" && launcher.mode === 0o755);
  assert.doesNotMatch(launcher.content.toString(), /LD_LIBRARY_PATH/);
  const conffiles = control.get("conffiles");
  assert.ok(conffiles?.kind === "file");
  const options = [...data.keys()].filter((path) => path.startsWith("etc/"));
  assert.equal(conffiles.content.toString(), options.map((path) => `/${path}\n`).join(""));
});

test("systemd starts the service again after the exit codes that docs/operating.md names", () => {
  const unit = readFileSync(join(root, "deploy/debian/lossless.service"), "utf8");
  const text = readFileSync(join(root, "docs/operating.md"), "utf8");
  const rows = [...text.matchAll(/^\| (\d) \| /gm)].map(([, code]) => Number(code));
  assert.deepEqual(rows, Object.values(exitCodes));
  const lasting = lastingExitCodes.join(" ");
  assert.equal(lasting, "2 3 4 5");
  assert.match(text, /supervisor restart the service after 1 and 6, not after 2 to 5\./);
  assert.match(unit, /^Restart=on-failure$/m);
  assert.equal(/^RestartPreventExitStatus=(.*)$/m.exec(unit)?.[1], lasting);
  assert.match(unit, /^NoNewPrivileges=yes$/m);
  assert.match(unit, /^ReadWritePaths=\/var\/lib\/lossless$/m);
});

test("the timer of backups is in the package, off, and its service is as closed as the other", async () => {
  const { control, data } = await unpacked();
  const textOf = (path: string) => {
    const entry = data.get(path);
    assert.ok(entry?.kind === "file", path);
    return entry.content.toString();
  };
  const folder = "usr/lib/systemd/system";
  const linesOf = (name: string) =>
    textOf(`${folder}/${name}`)
      .split("\n")
      .filter((line) => /^(NoNew|Protect|Private|Restrict|System|Capability|User)/.test(line));
  const others = /^(ReadWritePaths|ProtectSystem)=/;
  assert.deepEqual(
    linesOf("lossless-backup.service").filter((line) => !others.test(line)),
    linesOf("lossless.service").filter((line) => !others.test(line)),
  );
  const service = textOf(`${folder}/lossless-backup.service`);
  const settings = textOf("etc/default/lossless-backup");
  assert.match(service, /^EnvironmentFile=\/etc\/default\/lossless-backup$/m);
  const [command = ""] = /^ExecStart=.*$/m.exec(service) ?? [];
  for (const [, name] of command.matchAll(/\$(\w+)/g)) {
    assert.match(settings, new RegExp(`^${name}=`, "m"));
  }
  assert.match(textOf(`${folder}/lossless-backup.timer`), /^OnCalendar=/m);
  const postinst = control.get("postinst");
  assert.ok(postinst?.kind === "file");
  assert.doesNotMatch(postinst.content.toString(), /start lossless-backup/);
});
