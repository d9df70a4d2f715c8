import { limits } from "@lossless/protocol/limits";
import type { Config } from "../../settings/config.ts";
import { FairShares } from "../../ground/fair-shares.ts";
import type { Figures } from "../../ground/figures/figures.ts";
import { ClientAddresses } from "./client-address.ts";
import { ConnectionShares } from "./connection-shares.ts";
import { Guards } from "./guards.ts";
import { type RequestBudget, requestBudgets } from "./request-budget.ts";

/** What clients may take of the service. */
export interface ClientLimits {
  readonly guards: Guards;
  readonly addresses: ClientAddresses;
  /** Bodies of requests with a credential, shared out between organizations. */
  readonly budget: RequestBudget;
  /** Bodies of endpoints that take no credential, shared out between addresses. */
  readonly openBudget: RequestBudget;
  /** Connections without a valid credential. */
  readonly connections: ConnectionShares;
  /** Running series streams, by organization. */
  readonly streams: FairShares;
  /** Bytes of pictures of reports that are sent, until their readers have taken them. */
  readonly pictures: FairShares;
  /** Messages of agents that are being answered, by organization. */
  readonly agentCalls: FairShares;
  /** Requests that are not answered to their end. */
  activeRequests: number;
}

/** Each may wait for 25 seconds, with objects of the protocol of its own. */
const agentCallsMax = 256;

const pictureBytesMax = 16 * limits.reportPictureBytesMax;

export function clientLimitsOf(config: Config, figures: Figures, port: () => number): ClientLimits {
  const addresses = new ClientAddresses(config.trustedProxies ?? []);
  return {
    guards: new Guards(() => ({ ...config, port: port() })),
    ...requestBudgets(config),
    addresses,
    connections: new ConnectionShares(config.maxConnections, addresses, figures),
    streams: new FairShares(config.maxStreams),
    pictures: new FairShares(pictureBytesMax),
    agentCalls: new FairShares(agentCallsMax),
    activeRequests: 0,
  };
}
