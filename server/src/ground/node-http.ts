import type * as plain from "node:http";
import type * as secure from "node:https";

const http = process.getBuiltinModule("node:http");
const https = process.getBuiltinModule("node:https");

/**
 * The parts of Node's HTTP that the service uses. As an ES module `node:http` is evaluated in full
 * when it is imported, and with it undici: 75 ms of every start, for code that is unused before a
 * fetch.
 */
export const { Agent: HttpAgent, STATUS_CODES, createServer, request: requestHttp } = http;
export const { Agent: HttpsAgent, request: requestHttps } = https;

export type HttpAgent = plain.Agent;
export type HttpsAgent = secure.Agent;
