import type { Prices } from "./prices.ts";

export const secondsPerMonth = 30 * 24 * 3_600;
/** A disk of PostgreSQL: the log, the rows that wait for sealing, and room. */
const serverDiskGb = 500;
const includedMbPerS = 125;

export interface Bill {
  nodes: number;
  nodeCores: number;
  /** Primaries; each has a standby of the same size in another zone. */
  servers: number;
  serverCores: number;
  /** Bytes of all servers together. */
  logBytesPerS: number;
  requestBytesPerS: number;
  putsPerS: number;
  getsPerS: number;
}

export interface Cost {
  machines: number;
  disks: number;
  network: number;
  requests: number;
}

/** US dollars a month for taking points in; what they take in the store is `storageCost`. */
export function monthlyCost(bill: Bill, prices: Prices): Cost {
  const machines = bill.nodes * bill.nodeCores + 2 * bill.servers * bill.serverCores;
  const mbPerS = bill.logBytesPerS / 1e6 / bill.servers;
  const disk =
    serverDiskGb * prices.diskGbMonth +
    Math.max(0, mbPerS - includedMbPerS) * prices.diskMbPerSMonth;
  const gbMonth = (bytesPerS: number): number => (bytesPerS * secondsPerMonth) / 1e9;
  return {
    machines: machines * prices.coreHour * (secondsPerMonth / 3_600),
    disks: 2 * bill.servers * disk,
    network:
      gbMonth(bill.logBytesPerS) * prices.zoneGb +
      gbMonth(bill.requestBytesPerS) * prices.balancerGb,
    requests:
      (secondsPerMonth / 1_000) *
      (bill.putsPerS * prices.storePutThousand + bill.getsPerS * prices.storeGetThousand),
  };
}

export function storageCost(bytes: number, { storeGbMonth }: Prices): number {
  return (bytes / 1e9) * storeGbMonth;
}

export function sumOf({ machines, disks, network, requests }: Cost): number {
  return machines + disks + network + requests;
}
