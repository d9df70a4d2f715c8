import type { LoggedSeries } from "@lossless/protocol";
import { type LoggedKind, loggedKinds } from "@lossless/protocol/logged-kinds";
import type { Reader } from "../../database/database.ts";
import { presentExperiments } from "../../experiments/identity.ts";
import { kindNumber } from "../../experiments/logged/place.ts";

/** A series of one experiment, in the index. */
export interface FoundSeries {
  experiment: string;
  number: number;
  kind: LoggedKind;
  name: string;
  items: number;
  firstStep: number;
  lastStep: number;
}

/**
 * Returns the series of these experiments, in the order of the named series, then of the
 * experiments.
 */
export async function findSeries(
  reader: Reader,
  organizationId: string,
  experimentIds: readonly string[],
  named: readonly LoggedSeries[],
): Promise<FoundSeries[]> {
  const present = await presentExperiments(reader, organizationId, experimentIds);
  const rows = await reader.all<Omit<FoundSeries, "kind"> & { kind: number }>(
    `SELECT experiment, number, name, kind, items, first_step AS "firstStep", last_step AS "lastStep"
     FROM logged_series WHERE ${reader.isOneOf("experiment", "$1")} AND ${reader.isOneOf("name", "$2")}`,
    JSON.stringify(present),
    JSON.stringify(named.map(({ name }) => name)),
  );
  const found = new Map(rows.map((row) => [keyOf(row.experiment, row.kind, row.name), row]));
  return named.flatMap(({ kind, name }) =>
    present.flatMap((experiment) => {
      const row = found.get(keyOf(experiment, kindNumber(kind), name));
      return row === undefined ? [] : [{ ...row, kind: loggedKinds[row.kind] }];
    }),
  );
}

function keyOf(experiment: string, kind: number, name: string): string {
  return JSON.stringify([experiment, kind, name]);
}
