import type { Measured } from "../measured.ts";
import { type Costs, requestBytes, type Sending } from "../model/costs.ts";
import type { Machines } from "../model/fleet.ts";
import { monthlyCost, secondsPerMonth, storageCost, sumOf } from "../plan/cost.ts";
import { fleetFor } from "../plan/fleet-for.ts";
import type { Prices } from "../plan/prices.ts";
import { storeUse } from "../plan/sealed-objects.ts";
import { bytesText, count, short, table } from "./table.ts";

type SealedBytes = Measured["npm run bench"]["sealedBytes"];

export interface CostSettings {
  costs: Costs;
  machines: Machines;
  prices: Prices;
  sealedBytes: SealedBytes;
  sealers: number;
  seed: number;
}

/** Points of a run: how many objects and requests its points take depends on that. */
export const pointsPerExperiment = 10_000_000;
const rates = [1e4, 1e5, 1e6, 1e7, 1e8];
const amounts = [1e9, 1e10, 1e11, 1e12];

/** The fleet, the bytes, the requests and the bill for so many points a second, all day. */
export function rateTable(
  sending: Sending,
  settings: CostSettings,
  progress: (line: string) => void,
): string {
  const head = [
    "points/s",
    "nodes",
    "PostgreSQL servers",
    "log MB/s",
    "requests to S3 a second",
    "sealed a month",
    "machines",
    "disks",
    "network",
    "requests",
    "USD a month",
    "and for each month kept",
  ];
  const rows = rates.map((rate) => {
    const row = rowOf(rate, sending, settings);
    progress(row.join(", "));
    return row;
  });
  return table(head, rows);
}

function rowOf(pointsPerS: number, sending: Sending, settings: CostSettings): string[] {
  const { costs, machines, prices, sealedBytes } = settings;
  const found = fleetFor({ ...settings, pointsPerS, sending });
  const use = useOf(sealedBytes.noise, sealedBytes.countedId);
  const perS = (amount: number): number => (amount * pointsPerS) / pointsPerExperiment;
  const logBytesPerS = found.outcome.logBytesPerS + pointsPerS * costs.wal.sealedPointBytes;
  const cost = monthlyCost(
    {
      ...found,
      nodeCores: machines.nodeCores,
      serverCores: machines.serverCores,
      logBytesPerS,
      requestBytesPerS: (pointsPerS / sending.pointsPerRequest) * requestBytes(costs, sending),
      putsPerS: perS(use.puts),
      getsPerS: perS(use.gets),
    },
    prices,
  );
  const monthBytes = perS(use.bytes) * secondsPerMonth;
  return [
    count(pointsPerS),
    count(found.nodes),
    count(found.servers),
    short(logBytesPerS / 1e6),
    short(perS(use.puts + use.gets)),
    bytesText(monthBytes),
    ...Object.values(cost).map(dollars),
    dollars(sumOf(cost)),
    dollars(storageCost(monthBytes, prices)),
  ];
}

/** Bytes and objects of stored points, and their price. */
export function amountTable({ prices, sealedBytes }: CostSettings): string {
  const kinds: [name: string, point: number, id: number][] = [
    ["4 decimals", sealedBytes.decimals, sealedBytes.countedId],
    ["noise in all digits", sealedBytes.noise, sealedBytes.countedId],
    ["noise, random ids", sealedBytes.noise, sealedBytes.randomId],
  ];
  const head = ["points", "objects", ...kinds.flatMap(([name]) => [name, "USD a month"])];
  const rows = amounts.map((points) => {
    const experiments = points / pointsPerExperiment;
    const { objects } = useOf(sealedBytes.noise, sealedBytes.countedId);
    const cells = kinds.flatMap(([, point, id]) => {
      const bytes = useOf(point, id).bytes * experiments;
      return [bytesText(bytes), dollars(storageCost(bytes, prices))];
    });
    return [count(points), count(Math.round(objects * experiments)), ...cells];
  });
  return table(head, rows);
}

export function priceTable(prices: Prices): string {
  return table(
    ["price", "USD"],
    Object.entries(prices).map(([name, value]) => [`\`${name}\``, String(value)]),
  );
}

function useOf(points: number, identifiers: number) {
  return storeUse(pointsPerExperiment, { points, identifiers });
}

function dollars(value: number): string {
  return value < 100 ? short(value) : count(Number(value.toPrecision(3)));
}
