import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "./free-port.ts";
import { call } from "./http.ts";

/** The operator's page of a service: start it with `flags`. */
export class Figures {
  readonly #port: number;

  private constructor(port: number) {
    this.#port = port;
  }

  static async onFreePort(): Promise<Figures> {
    return new Figures(await freePort());
  }

  get flags(): string[] {
    return ["--admin-port", String(this.#port)];
  }

  async value(name: string): Promise<number> {
    const line = new RegExp(`^${name} (.*)$`, "m").exec(await this.text());
    if (line === null) throw new Error(`there is no figure ${name}`);
    return Number(line[1]);
  }

  /** All of them, as Prometheus gets them. */
  async text(): Promise<string> {
    return (await call(`http://127.0.0.1:${this.#port}`, { path: "/metrics" })).text;
  }

  /** Waits until the service has sealed so many points since its start. */
  async sealed(points: number): Promise<void> {
    while ((await this.value("lossless_storage_sealed_points_total")) < points) await sleep(50);
  }
}
