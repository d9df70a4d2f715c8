import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { Service, type ServiceOptions } from "./service.ts";

/**
 * A service that runs while the tests of the suite, or of the file, do in which it is called.
 * `fill` runs when it is ready: hooks of a file do not wait for each other.
 */
export function suiteService(
  options: ServiceOptions = {},
  fill?: (service: Service) => Promise<void>,
): Service {
  const service = new Service(options);
  before(async () => {
    await service.start();
    await fill?.(service);
  });
  after(() => service[Symbol.asyncDispose]());
  return service;
}

/** A directory that is there as long. */
export function suiteDirectory(name: string): string {
  const directory = mkdtempSync(join(tmpdir(), `lossless-${name}-`));
  after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
