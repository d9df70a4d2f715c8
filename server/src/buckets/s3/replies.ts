import { Readable } from "node:stream";
import {
  errorBytesMax,
  type IncomingReply,
  type OutgoingRequest,
  ReplyTooLarge,
} from "./transport.ts";
import {
  BadXml,
  parseXml,
  parseXmlList,
  textAt,
  TooMuchXml,
  type XmlElement,
} from "../store-xml.ts";

/** Receiver of a list: the SDK's parser takes 100 ms for one, for a hostile one seconds. */
export interface WantedList {
  root?: XmlElement;
}

/** Thrown when the body of a reply is malformed. */
export class UnreadableReply extends Error {
  override name = "UnreadableReply";
}

/** The most that a reply to this request can have to say. */
export function replyBytesMax(
  { method, query, headers }: OutgoingRequest,
  list?: WantedList,
): number {
  if (list !== undefined) return listBytesMax;
  if (method !== "GET" || Object.keys(query ?? {}).some((name) => name !== "x-id"))
    return errorBytesMax;
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? headers.Range ?? "") ?? [];
  if (last === undefined) throw new Error("BUG: an object is read without a range");
  return Math.max(Number(last) - Number(first) + 1, errorBytesMax);
}

/**
 * Returns the reply in a form fit for the SDK: no XML of a store ever reaches the SDK's parser. The
 * XML is read here, within bounds, and written anew: of an error the code, of any other reply its
 * elements and texts.
 */
export async function plainReply(
  reply: IncomingReply,
  { method, query }: OutgoingRequest,
  list?: WantedList,
): Promise<IncomingReply> {
  const isError = reply.statusCode >= 300;
  if (!isError && method === "GET" && list === undefined) return reply;
  const bytes = Buffer.concat(await Array.fromAsync(reply.body as AsyncIterable<Buffer>));
  const text = bytes.toString();
  if (isError) return withBody(reply, errorText(rootOf(text)));
  if (list !== undefined) {
    list.root = await listOf(text);
    return withBody(reply, isErrorRoot(list.root) ? errorText(list.root) : "");
  }
  const root = rootOf(text);
  if (root !== undefined && isErrorRoot(root)) return withBody(reply, errorText(root));
  // The bodies of replies that begin or complete an upload matter; of the rest only the status.
  const isSaying =
    method === "POST" && (query?.uploads !== undefined || query?.uploadId !== undefined);
  if (!isSaying) return withBody(reply, "");
  if (root === undefined) throw new UnreadableReply("The store's reply is malformed.");
  return withBody(reply, printed(root));
}

/** Does the same for AWS's query interfaces (STS), whose errors have an element of their own. */
export async function plainQueryReply(reply: IncomingReply): Promise<IncomingReply> {
  const bytes = Buffer.concat(await Array.fromAsync(reply.body as AsyncIterable<Buffer>));
  const root = rootOf(bytes.toString());
  if (reply.statusCode >= 300)
    return withBody(reply, `<ErrorResponse>${errorText(root)}</ErrorResponse>`);
  if (root === undefined) throw new UnreadableReply("The reply is malformed.");
  return withBody(reply, printed(root));
}

/** Maximum of a list: 1,000 entries with names of 1,024 bytes, encoded, take 3.5 MB. */
const listBytesMax = 4 * 1024 * 1024;

async function listOf(text: string): Promise<XmlElement> {
  try {
    return await parseXmlList(text);
  } catch (error) {
    if (error instanceof TooMuchXml) throw new ReplyTooLarge("The store's list is too large.");
    if (error instanceof BadXml) throw new UnreadableReply("The store's list is not readable.");
    throw error;
  }
}

function rootOf(text: string): XmlElement | undefined {
  try {
    return parseXml(text);
  } catch (error) {
    if (error instanceof BadXml) return undefined;
    throw error;
  }
}

function isErrorRoot({ name }: XmlElement): boolean {
  return name === "Error";
}

/** Returns the text of an error; empty where there is no code: the status alone tells it. */
function errorText(root: XmlElement | undefined): string {
  const code = root && (textAt(root, "Code") ?? textAt(root, "Error", "Code"));
  return code === undefined ? "" : `<Error><Code>${escaped(code)}</Code></Error>`;
}

function printed({ name, children, text }: XmlElement): string {
  const content = children.length === 0 ? escaped(text) : children.map(printed).join("");
  return `<${name}>${content}</${name}>`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function withBody(reply: IncomingReply, text: string): IncomingReply {
  return { ...reply, body: Readable.from(text === "" ? [] : [Buffer.from(text)]) };
}
