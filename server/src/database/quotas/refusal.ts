import { ServiceError } from "../../ground/errors.ts";
import type { Kind } from "./amounts.ts";

/** `limit` of the details, as the other limits of this code are named. */
const limitNames: Record<Kind, string> = {
  bytes: "bytesPerOrganization",
  experiments: "experimentsPerOrganization",
  partitions: "partitionsPerOrganization",
  uploads: "pendingUploadsPerOrganization",
};

const words: Record<Kind, string> = {
  bytes: "bytes",
  experiments: "experiments",
  partitions: "metadata partitions",
  uploads: "pending uploads",
};

/** A maximum and its usage; Infinity where there is no maximum. */
export interface Border {
  maximum: number;
  used: number;
}

/** Maxima that points can reach. */
export type Room = Record<"bytes" | "partitions", Border>;

export interface Refusal {
  message: string;
  details: { limit: string; maximum: number; used: number };
}

/** Words a refusal by an organization's quota, the same for events, points and uploads. */
export function refusal(kind: Kind, { maximum, used }: Border, wanted: number): Refusal {
  const counted = (amount: number): string => `${amount.toLocaleString("en")} ${words[kind]}`;
  const message =
    `This needs ${counted(wanted)}, and the organization has stored ${used.toLocaleString("en")} of the ` +
    `${counted(maximum)} that its quota allows. Ask the operator of the service for more.`;
  return { message, details: { limit: limitNames[kind], maximum, used } };
}

export function excess(kind: Kind, border: Border & { wanted: number }): ServiceError {
  const { message, details } = refusal(kind, border, border.wanted);
  return new ServiceError("limit_exceeded", message, details);
}
