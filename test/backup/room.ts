import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Service, type ServiceOptions } from "../service.ts";
import { answerOf, sealingSoon } from "./recorded.ts";

/** A running service, a place for its backups, and services on what is restored of them. */
export class Room implements AsyncDisposable {
  readonly directory: string;
  readonly service: Service;

  private constructor(directory: string, service: Service) {
    this.directory = directory;
    this.service = service;
  }

  static async make(options: ServiceOptions = {}): Promise<Room> {
    const directory = mkdtempSync(join(tmpdir(), "lossless-backup-"));
    return new Room(directory, await Service.start({ ...sealingSoon, ...options }));
  }

  get place(): string {
    return join(this.directory, "backups");
  }

  async restored(...words: string[]): Promise<Service> {
    const directory = mkdtempSync(join(this.directory, "restored-"));
    const service = new Service({ ...sealingSoon, directory });
    await answerOf("restore", this.place, service.dataDirectory, ...words);
    await service.start();
    return service;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service[Symbol.asyncDispose]();
    rmSync(this.directory, { recursive: true, force: true });
  }
}
