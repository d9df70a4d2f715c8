import type { LoggedItemsBody } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import type { Reader } from "../../database/database.ts";
import { isLoggedBehind } from "../../experiments/from-before.ts";
import { ServiceError } from "../../ground/errors.ts";
import type { ReplyText } from "../../ground/reply-text.ts";
import { itemOf, type ItemRow, readRows } from "./item.ts";
import { findSeries, type FoundSeries } from "./series.ts";

export interface ReadLoggedItems {
  organizationId: string;
  body: LoggedItemsBody;
}

/** Bytes of items after which a page ends, so that a page of long texts is not slow. */
const pageBytesAim = 4 * 1_048_576;

/** `views/logged-items`: the items of one series of each experiment, page by page. */
export async function readLoggedItems(
  reader: Reader,
  { organizationId, body }: ReadLoggedItems,
  text: ReplyText,
): Promise<void> {
  const { experimentIds, kind, name, limit = limits.loggedItemsUsual } = body;
  let place = body.after === undefined ? undefined : readCursor(body.after);
  const first = place === undefined ? 0 : experimentIds.indexOf(place.experiment);
  if (first < 0) throw new ServiceError("bad_request", "`after` is of other experiments.");
  const rest = experimentIds.slice(first);
  const series = await findSeries(reader, organizationId, rest, [{ kind, name }]);
  let opening = '{"items":[';
  let [left, bytes] = [limit, 0];
  let next: string | null = null;
  for (const one of series) {
    const after = place?.experiment === one.experiment ? place : undefined;
    const rows = await readPage(reader, one, body, { after, limit: left + 1 });
    for (const row of rows) {
      if (left === 0 || bytes > pageBytesAim) {
        next = cursorOf(place!);
        break;
      }
      const json = JSON.stringify(itemOf(one, row));
      await text.add(opening + json);
      opening = ",";
      left -= 1;
      bytes += json.length;
      place = { experiment: one.experiment, ...row };
    }
    if (next !== null) break;
  }
  if (opening !== ",") await text.add(opening);
  const isBehind = await isLoggedBehind(reader, { organizationId, experimentIds });
  await text.add(`],"next":${JSON.stringify(next)},"isBehind":${isBehind}}`);
}

/** The last item of a page. */
interface Place {
  experiment: string;
  step: number;
  annotation: number;
  path: string;
}

function readPage(
  reader: Reader,
  series: FoundSeries,
  { start = 0, end = limits.stepMax + 1, newestFirst = false }: LoggedItemsBody,
  { after, limit }: { after: Place | undefined; limit: number },
): Promise<ItemRow[]> {
  const beyond = `(logged.step, logged.annotation, logged.path) ${newestFirst ? "<" : ">"} ($5, $6, $7)`;
  const rest = after === undefined ? [] : [after.step, after.annotation, after.path];
  return readRows(reader, series, {
    where: `logged.step >= $3 AND logged.step < $4${after === undefined ? "" : ` AND ${beyond}`}`,
    values: [start, end, ...rest],
    isDescending: newestFirst,
    limit,
  });
}

function cursorOf({ experiment, step, annotation, path }: Place): string {
  const place = JSON.stringify([experiment, step, annotation, path]);
  return Buffer.from(place).toString("base64url");
}

function readCursor(text: string): Place {
  let place: unknown;
  try {
    place = JSON.parse(Buffer.from(text, "base64url").toString());
  } catch {
    place = undefined;
  }
  const [experiment, step, annotation, path] = Array.isArray(place) ? (place as unknown[]) : [];
  const isPlace =
    typeof experiment === "string" &&
    Number.isSafeInteger(step) &&
    Number.isSafeInteger(annotation) &&
    typeof path === "string" &&
    path.isWellFormed() &&
    !path.includes("\0");
  if (!isPlace) throw new ServiceError("bad_request", "`after` must be the `next` of a page.");
  return { experiment, step: step as number, annotation: annotation as number, path };
}
