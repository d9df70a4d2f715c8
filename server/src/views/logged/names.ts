import type { LoggedNamesBody, LoggedNamesReply } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import { readNameSearch } from "@lossless/protocol/name-search";
import { loggedKinds } from "@lossless/protocol/logged-kinds";
import type { Reader } from "../../database/database.ts";
import { isLoggedBehind } from "../../experiments/from-before.ts";
import { presentExperiments } from "../../experiments/identity.ts";
import { kindNumber } from "../../experiments/logged/place.ts";
import type { ReplyText } from "../../ground/reply-text.ts";
import { SqlText } from "../table/sql-text.ts";
import { readWords } from "../table/read-words.ts";

export interface ReadLoggedNames {
  organizationId: string;
  body: LoggedNamesBody;
}

/** `views/logged-names`: what experiments logged beside numbers, by name and kind. */
export async function readLoggedNames(
  reader: Reader,
  { organizationId, body }: ReadLoggedNames,
  text: ReplyText,
): Promise<void> {
  const { kinds = loggedKinds, text: contained = "", limit = limits.loggedNamesMax } = body;
  const present = await presentExperiments(reader, organizationId, body.experimentIds);
  const search = readWords("text", () => readNameSearch(contained));
  const sql = new SqlText();
  const groups = `FROM logged_series
     WHERE ${reader.isOneOf("experiment", sql.bind(JSON.stringify(present)))}
       AND ${reader.isOneOfIntegers("kind", sql.bind(JSON.stringify(kinds.map(kindNumber))))}
       AND ${sql.isNamed(reader, "name", search)} AND ${reader.inTime("logged_series")}
     GROUP BY name, kind`;
  const found = await reader.composed<{ found: number }>(
    `SELECT count(*) AS found FROM (SELECT name ${groups}) AS own`,
    ...sql.values,
  );
  const rows = await reader.composed<FoundRow>(
    `SELECT kind, name, CAST(sum(items) AS BIGINT) AS items, count(*) AS experiments,
       min(first_step) AS "firstStep", max(last_step) AS "lastStep" ${groups}
     ORDER BY name, kind LIMIT ${sql.number(limit)}`,
    ...sql.values,
  );
  const series = rows.map(({ kind, ...row }) => ({ kind: loggedKinds[kind], ...row }));
  const reply: LoggedNamesReply = {
    series,
    found: found[0].found,
    isBehind: await isLoggedBehind(reader, { organizationId, experimentIds: present }),
  };
  await text.add(JSON.stringify(reply));
}

type FoundRow = Omit<LoggedNamesReply["series"][number], "kind"> & { kind: number };
