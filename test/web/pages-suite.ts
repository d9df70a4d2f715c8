import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, suite } from "node:test";
import { LosslessClient } from "@lossless/client";
import type { Browser, BrowserContext, BrowserContextOptions } from "playwright-core";
import { MlflowCaller } from "../contract/mlflow/mlflow-calls.ts";
import type { PersonName } from "../contract/people.ts";
import { call, type HttpReply, parseObject } from "../http.ts";
import { type Neighbours, neighbours, Service } from "../service.ts";
import { startChromium } from "./chromium.ts";
import type { Opened } from "./new-page.ts";
import { ReusedPages } from "./reused-pages.ts";

/**
 * The pages of a service in a browser, as one suite sees them: with organizations and people that
 * no other suite knows. The service, the browser and the client are there when its own hooks are
 * called. A page that a test opens is freed of everything after it, for the next one.
 */
export interface Pages extends Neighbours {
  readonly service: { readonly baseUrl: string };
  readonly browser: Browser;
  /** It has the key of acme. */
  readonly client: LosslessClient;
  /** An MLflow client with the same key. */
  readonly mlflow: MlflowCaller;
  /** A page that is signed in nowhere, and shares nothing with others that are open. */
  newPage(options?: BrowserContextOptions): Promise<Opened>;
  /** Likewise with a session, as somebody has who signed in before. */
  signedIn(visitor?: Visitor): Promise<Opened>;
  /** Likewise at a path. */
  open(path: string, visitor?: Visitor): Promise<Opened>;
  /** A client with a session of a person who belongs to one organization. */
  clientOf(person: PersonName): Promise<LosslessClient>;
}

export interface Visitor extends BrowserContextOptions {
  /** Who is signed in: ada, unless another one is named. */
  person?: PersonName;
  /** Which organization somebody has chosen who belongs to several. */
  organization?: string;
}

/**
 * A suite of tests of the pages. All of a process share a browser and a service, but for one that
 * starts a service of its own.
 */
export function pagesSuite(
  name: string,
  define: (pages: Pages) => void,
  startService?: () => Promise<Service>,
): void {
  suite(name, { concurrency: 1 }, () => {
    const pages = new SuitePages(
      startService === undefined ? shared.nextNeighbours() : neighbours(0),
    );
    before(async () => {
      pages.running = {
        browser: await shared.browser(),
        service: await (startService ?? shared.service)(),
      };
    });
    beforeEach(() => pages.keep());
    afterEach(async (context) => {
      if ("diagnostic" in context && !context.passed)
        await pages.tell((text) => context.diagnostic(text));
      await pages.closeNew();
    });
    after(async () => {
      await pages.closeAll();
      if (startService !== undefined) await end(pages.running?.service);
    });
    define(pages);
  });
}

/**
 * Runs suites of this folder in this process: to start a service costs as much as a test. Two
 * run at a time, because pages wait more than they work.
 */
export function runSuites(files = "*.test.ts"): void {
  const paths = globSync(files, { cwd: import.meta.dirname }).sort();
  shared.suites = paths.length;
  suite("the pages", { concurrency: 2 }, async () => {
    for (const path of paths) await import(join(import.meta.dirname, path));
  });
}

class SuitePages implements Pages {
  running: { service: Service; browser: Browser } | undefined;
  readonly organizations: Neighbours["organizations"];
  readonly people: Neighbours["people"];
  readonly service: Pages["service"];
  #client: LosslessClient | undefined;
  readonly #contexts: BrowserContext[] = [];
  readonly #reused = new ReusedPages(() => this.browser);
  #kept = 0;

  constructor({ organizations, people }: Neighbours) {
    this.organizations = organizations;
    this.people = people;
    const baseUrl = () => this.#started.service.baseUrl;
    this.service = {
      get baseUrl() {
        return baseUrl();
      },
    };
  }

  get browser(): Browser {
    return this.#started.browser;
  }

  get client(): LosslessClient {
    const { baseUrl } = this.service;
    this.#client ??= new LosslessClient({ baseUrl, apiKey: this.organizations.acme.key });
    return this.#client;
  }

  get mlflow(): MlflowCaller {
    const { baseUrl } = this.service;
    return new MlflowCaller({ baseUrl, observe: () => undefined }, this.organizations.acme.key);
  }

  async newPage(options: BrowserContextOptions = {}): Promise<Opened> {
    const opened = await this.#reused.take(options);
    this.#contexts.push(opened.page.context());
    return opened;
  }

  async signedIn({ person = "ada", organization, ...options }: Visitor = {}): Promise<Opened> {
    const { headers } = await this.#session(person, { organization, cookie: true });
    const [name, value] = headers["set-cookie"]![0].split(/[=;]/);
    const opened = await this.newPage(options);
    const { hostname: domain, pathname: path } = new URL(this.service.baseUrl);
    const cookie = { name, value, domain, path, httpOnly: true };
    await opened.page.context().addCookies([{ ...cookie, sameSite: "Lax" }]);
    return opened;
  }

  async open(path: string, visitor: Visitor = {}): Promise<Opened> {
    const opened = await this.signedIn(visitor);
    await opened.page.goto(this.service.baseUrl + path);
    return opened;
  }

  async clientOf(person: PersonName): Promise<LosslessClient> {
    const token = parseObject((await this.#session(person)).text).token as string;
    return new LosslessClient({ baseUrl: this.service.baseUrl, credential: async () => token });
  }

  /** Describes the pages of a failed test. */
  async tell(say: (text: string) => void): Promise<void> {
    for (const context of this.#contexts)
      for (const page of context.pages()) {
        const text = await page.evaluate("document.body.innerText").catch(String);
        say(`${page.url()}\n${String(text).slice(0, 2_000)}`);
      }
  }

  /** Keeps the present pages open when a test is over. */
  keep(): void {
    this.#kept = this.#contexts.length;
  }

  async closeNew(): Promise<void> {
    const contexts = this.#contexts.splice(this.#kept);
    await Promise.all(contexts.map((context) => this.#reused.giveBack(context)));
  }

  async closeAll(): Promise<void> {
    this.#kept = 0;
    await this.closeNew();
    await this.#reused.close();
  }

  get #started(): { service: Service; browser: Browser } {
    if (this.running === undefined) throw new Error("the pages are used before they are there");
    return this.running;
  }

  async #session(person: PersonName, more: object = {}): Promise<HttpReply> {
    const body = { ...this.people[person], ...more };
    const reply = await call(this.service.baseUrl, { path: "/api/v1/sessions", body });
    assert.equal(reply.status, 201, reply.text);
    return reply;
  }
}

/** Resources shared by the suites of this process, started when the first of them needs them. */
const shared = {
  /** Maximum number of suites. */
  suites: 1,
  begun: 0,
  running: undefined as Promise<Service> | undefined,
  opened: undefined as Promise<Browser> | undefined,

  nextNeighbours(): Neighbours {
    if (shared.begun === shared.suites) throw new Error("a file has one suite of pages");
    return neighbours(shared.begun++);
  },
  service: () => (shared.running ??= Service.start({ people: true, neighbours: shared.suites })),
  browser: () => (shared.opened ??= startChromium()),
};

after(async () => {
  await (await shared.opened)?.close();
  await end(await shared.running);
});

/** It ends in good order, if it began. */
async function end(service: Service | undefined): Promise<void> {
  if (service === undefined) return;
  await using _ = service;
  assert.equal(await service.stop(), 0, service.errors);
}
