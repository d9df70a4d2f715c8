import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { zipOf, type ZipEntry } from "./zip.ts";

/** The files of the checkout that the wheel is made of. */
export const wheelSources = [
  "python/src/lossless/**/*.py",
  "python/src/lossless/py.typed",
  "python/{pyproject.toml,README.md,lossless_hook.pth}",
  "LICENSE",
];

/**
 * Makes the wheel of the Python client from its sources, as pip makes it, without Python: the
 * service gives it to pip, and a release publishes it.
 *
 * @param checkout the directory that has `python/` and the licence
 */
export function pythonWheel(checkout: string): ZipEntry {
  const read = (path: string) => readFileSync(join(checkout, path));
  const project = read("python/pyproject.toml").toString();
  const field = (name: string) => new RegExp(`^${name} = "(.*)"$`, "m").exec(project)![1];
  const version = field("version");
  const about = `lossless-${version}.dist-info`;
  const modules = globSync(wheelSources.slice(0, 2), { cwd: checkout }).sort();
  const metadata = `Metadata-Version: 2.4
Name: ${field("name")}
Version: ${version}
Summary: ${field("description")}
Requires-Python: ${field("requires-python")}
Description-Content-Type: text/markdown
License-Expression: ${field("license")}
License-File: LICENSE

${read("python/README.md").toString()}`;
  const wheel = `Wheel-Version: 1.0
Generator: lossless ${version}
Root-Is-Purelib: true
Tag: py3-none-any
`;
  const entries: ZipEntry[] = [
    ...modules.map((path) => ({ name: path.slice("python/src/".length), content: read(path) })),
    // Python runs it at each start: see the client's as_wandb.
    { name: "lossless_hook.pth", content: read("python/lossless_hook.pth") },
    {
      name: `${about}/entry_points.txt`,
      content: Buffer.from(`[console_scripts]\nlossless=${field("lossless")}\n`),
    },
    { name: `${about}/licenses/LICENSE`, content: read("LICENSE") },
    { name: `${about}/WHEEL`, content: Buffer.from(wheel) },
    { name: `${about}/METADATA`, content: Buffer.from(metadata) },
  ];
  const record = entries.map(({ name, content }) => {
    const digest = createHash("sha256").update(content).digest("base64url");
    return `${name},sha256=${digest},${content.length}\n`;
  });
  record.push(`${about}/RECORD,,\n`);
  entries.push({ name: `${about}/RECORD`, content: Buffer.from(record.join("")) });
  return { name: `lossless-${version}-py3-none-any.whl`, content: zipOf(entries) };
}
