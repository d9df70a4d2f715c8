import type * as plain from "node:http";
import type * as secure from "node:https";

const http = process.getBuiltinModule("node:http");
const https = process.getBuiltinModule("node:https");

/**
 * What the service uses of Node's HTTP. As an ES module `node:http` is read whole when it is
 * imported, and with it undici: 75 ms of every start, for what nobody uses before a fetch.
 */
export const { Agent: HttpAgent, STATUS_CODES, createServer, request: requestHttp } = http;
export const { Agent: HttpsAgent, request: requestHttps } = https;

export type HttpAgent = plain.Agent;
export type HttpsAgent = secure.Agent;
