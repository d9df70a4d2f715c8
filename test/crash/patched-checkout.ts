import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkoutRoot } from "../service.ts";

export interface Patch {
  /** Path from the root of the checkout. */
  file: string;
  /** Must stand in the file exactly once, so that a fault can never be planted in vain. */
  find: string;
  replace: string;
}

const workspaces = ["protocol", "server", "cli", "client"];

/**
 * A copy of the product's source, or of that of another commit, with some lines changed; the
 * dependencies are those of this checkout.
 */
export class PatchedCheckout implements Disposable {
  readonly directory: string;

  constructor(patches: Patch[], source = checkoutRoot) {
    this.directory = mkdtempSync(join(tmpdir(), "lossless-patched-"));
    for (const workspace of workspaces) {
      cpSync(join(source, workspace), join(this.directory, workspace), { recursive: true });
    }
    cpSync(join(source, "package.json"), join(this.directory, "package.json"));
    this.#linkDependencies();
    for (const patch of patches) this.#apply(patch);
  }

  /** Our own packages are the copies, all others are the ones of the real checkout. */
  #linkDependencies(): void {
    const modules = join(this.directory, "node_modules");
    mkdirSync(join(modules, "@lossless"), { recursive: true });
    for (const name of readdirSync(join(checkoutRoot, "node_modules"))) {
      if (name === "@lossless") continue;
      symlinkSync(join(checkoutRoot, "node_modules", name), join(modules, name));
    }
    for (const workspace of workspaces) {
      symlinkSync(join(this.directory, workspace), join(modules, "@lossless", workspace));
    }
  }

  #apply({ file, find, replace }: Patch): void {
    const path = join(this.directory, file);
    const text = readFileSync(path, "utf8");
    const count = text.split(find).length - 1;
    if (count !== 1) throw new Error(`${file} has ${count} places for the fault, not one: ${find}`);
    writeFileSync(
      path,
      text.replace(find, () => replace),
    );
  }

  [Symbol.dispose](): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}
