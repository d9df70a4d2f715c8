import assert from "node:assert/strict";
import { call, type HttpReply } from "../http.ts";

/** Somebody at a browser without scripts who goes between sites; each has cookies of its own. */
export class Wanderer {
  /** Whole addresses, in the order in which they were asked for. */
  readonly visited: string[] = [];
  readonly #jars = new Map<string, Map<string, string>>();

  /** One request, whose redirect is not followed. */
  async step(address: string): Promise<HttpReply> {
    const { origin, pathname, search } = new URL(address);
    this.visited.push(address);
    const headers = { cookie: this.cookie(origin), accept: "text/html" };
    const reply = await call(origin, { path: pathname + search, headers });
    this.#keep(origin, reply);
    return reply;
  }

  /** Follows redirects until a page is there, or the one that `stops` takes. */
  async go(address: string, stops: (address: string) => boolean = () => false): Promise<Arrival> {
    let at = address;
    for (let steps = 0; steps < 20; steps += 1) {
      if (stops(at)) return { address: at, reply: undefined };
      const reply = await this.step(at);
      const { location } = reply.headers;
      if (reply.status < 300 || reply.status > 399 || location === undefined) {
        return { address: at, reply };
      }
      at = new URL(location, at).href;
    }
    throw new Error(`too many redirects: ${this.visited.join(" ")}`);
  }

  cookie(origin: string): string {
    return [...(this.#jars.get(origin) ?? [])]
      .map(([name, value]) => `${name}=${value}`)
      .join("; ");
  }

  setCookie(origin: string, name: string, value: string): void {
    const jar = this.#jars.get(origin) ?? new Map<string, string>();
    this.#jars.set(origin, jar.set(name, value));
  }

  /** The session at the service. */
  session(origin: string): string | undefined {
    const jar = this.#jars.get(origin);
    if (origin.startsWith("https:")) return jar?.get("__Host-lossless");
    // Below a path its name has that, too.
    return [...(jar ?? [])].find(([name]) => name.startsWith("lossless_session"))?.[1];
  }

  #keep(origin: string, { headers }: HttpReply): void {
    for (const line of headers["set-cookie"] ?? []) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      assert.ok(name !== "", line);
      this.setCookie(origin, name, value);
      if (value === "" || /Max-Age=0/i.test(line)) this.#jars.get(origin)?.delete(name);
    }
  }
}

export interface Arrival {
  address: string;
  /** Undefined: stopped before it was asked for. */
  reply: HttpReply | undefined;
}
