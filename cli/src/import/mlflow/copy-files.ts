import { type Message, type MlflowServer, textIn } from "./mlflow-server.ts";
import type { MlflowSource } from "./mlflow-source.ts";

/** A run or a logged model, both of which own files. */
export interface FileOwner {
  kind: "run" | "model";
  id: string;
}

interface FilesCopy {
  from: FileOwner;
  to: FileOwner;
  /** Path of the owner's files here, in MLflow's artifact interface. */
  folder: string;
}

/**
 * Copies the files at and below a path, and returns their number; a file of equal size is skipped.
 */
export async function copyFiles(
  source: MlflowSource,
  target: MlflowServer,
  copy: FilesCopy,
  path = "",
): Promise<number> {
  const there = await filesOf(source, copy.from, path);
  const here = new Map((await filesOf(target, copy.to, path)).map((one) => [one["path"], one]));
  let files = 0;
  for (const file of there) {
    const name = textIn(file, "path");
    if (file["is_dir"] === true) {
      files += await copyFiles(source, target, copy, name);
      continue;
    }
    const known = here.get(name);
    if (known !== undefined && Number(known["file_size"]) === Number(file["file_size"])) continue;
    const { kind, id } = copy.from;
    const bytes = kind === "run" ? source.file(id, name) : source.modelFile(id, name);
    await target.putFile(`${copy.folder}/${name}`, await bytes);
    files += 1;
  }
  return files;
}

async function filesOf(
  server: MlflowSource,
  { kind, id }: FileOwner,
  path: string,
): Promise<Message[]> {
  const found: Message[] = [];
  const pages =
    kind === "run"
      ? server.pages("artifacts/list", { run_id: id, ...(path !== "" && { path }) }, "files")
      : server.pages(
          `logged-models/${id}/artifacts/directories`,
          path === "" ? {} : { artifact_directory_path: path },
          "files",
        );
  for await (const page of pages) found.push(...page);
  return found;
}
