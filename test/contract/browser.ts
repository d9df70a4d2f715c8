import assert from "node:assert/strict";
import { call, type HttpReply } from "../http.ts";
import { people } from "../service.ts";
import type { PersonName } from "./people.ts";

/** The fields of a page's form, and its address. */
export interface PageForm {
  action: string;
  /** Fields that are filled in already: the hidden ones, and values. */
  fields: Record<string, string>;
}

/** A person at a scriptless browser keeps cookies, fills in forms, and goes where it is sent. */
export class Browser {
  cookie: string | undefined;
  readonly #baseUrl: () => string;

  /** The service may not run yet. */
  constructor(target: { readonly baseUrl: string }) {
    this.#baseUrl = () => target.baseUrl;
  }

  get(path: string): Promise<HttpReply> {
    return this.#send({ path });
  }

  post(
    path: string,
    fields: Record<string, string>,
    headers: Record<string, string> = {},
  ): Promise<HttpReply> {
    return this.#send({
      method: "POST",
      path,
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        origin: new URL(this.#baseUrl()).origin,
        ...headers,
      },
      body: new URLSearchParams(fields).toString(),
    });
  }

  /** Sends the form of a page with what was typed and pressed. */
  submit(
    page: HttpReply,
    typed: Record<string, string>,
    form = firstForm(page),
  ): Promise<HttpReply> {
    return this.post(form.action, { ...form.fields, ...typed });
  }

  /** It signs in on the page asked for or that a redirect leads to; it gives where it goes on. */
  async signIn(person: PersonName, path = "/sign-in"): Promise<string> {
    const page = await this.get(path);
    assert.equal(page.status, 200, page.text);
    const reply = await this.submit(page, people[person]);
    return locationOf(reply);
  }

  async #send(request: Parameters<typeof call>[1]): Promise<HttpReply> {
    const headers = { ...request.headers };
    if (this.cookie !== undefined) headers.cookie = this.cookie;
    const reply = await call(this.#baseUrl(), { ...request, headers });
    for (const line of reply.headers["set-cookie"] ?? []) {
      const [pair = ""] = line.split(";");
      this.cookie = /Max-Age=0/.test(line) ? undefined : pair;
    }
    return reply;
  }
}

export function locationOf(reply: HttpReply): string {
  assert.equal(reply.status, 303, reply.text);
  return String(reply.headers.location);
}

export function formsOf({ text }: HttpReply): PageForm[] {
  return [...text.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gs)].map(([, tag = "", inside = ""]) => {
    assert.equal(attribute(tag, "method"), "post");
    const fields: Record<string, string> = {};
    for (const [, input = ""] of inside.matchAll(/<input\b([^>]*)>/gs)) {
      const [name, value] = [attribute(input, "name"), attribute(input, "value")];
      if (name !== undefined && value !== undefined) fields[name] = value;
    }
    return { action: attribute(tag, "action") ?? "", fields };
  });
}

export function firstForm(page: HttpReply): PageForm {
  const [form] = formsOf(page);
  assert.ok(form, page.text);
  return form;
}

/** The sentence of role=alert. */
export function alertOf({ text }: HttpReply): string {
  const [, sentence] = /role="alert">\s*(.*?)\s*<\//s.exec(text) ?? [];
  assert.ok(sentence, text);
  return unescaped(sentence);
}

function attribute(tag: string, name: string): string | undefined {
  const [, value] = new RegExp(`\\b${name}="([^"]*)"`).exec(tag) ?? [];
  return value === undefined ? undefined : unescaped(value);
}

function unescaped(text: string): string {
  const characters: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };
  return text.replaceAll(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => characters[name]);
}
