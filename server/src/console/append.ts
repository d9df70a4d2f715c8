import type { AppendConsoleBody, AppendConsoleReply, SentLine } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import type { Transaction } from "../database/database.ts";
import { rowBytes, textBytes } from "../database/quotas/amounts.ts";
import type { Counting } from "../database/quotas/ledger.ts";
import { touchHead } from "../experiments/head.ts";
import { ServiceError } from "../ground/errors.ts";
import { encodeLines, type StoredLine } from "./lines.ts";

export interface AppendConsole {
  organizationId: string;
  experimentId: string;
  body: AppendConsoleBody;
}

/** `experimentId`: what is to be read has changed, and those who wait for it are woken. */
export interface AppendedConsole extends AppendConsoleReply {
  experimentId?: string;
}

/**
 * Stores those lines of a source that are not stored yet. Returns how many of the source are
 * stored. Where lines are missing before the first one, nothing is changed.
 */
export async function appendConsole(
  transaction: Transaction,
  { organizationId, experimentId, body }: AppendConsole,
  { nowMs, ledger }: Counting,
): Promise<AppendedConsole> {
  const added = { organizationId, experimentId, ...body.source };
  // The head's lock puts lines in order, also those of several nodes.
  await touchHead(transaction, experimentId);
  const source = await sourceOf(transaction, added, { nowMs, ledger });
  if (body.first > source.lines) return { next: source.lines };
  const lines = body.lines.slice(source.lines - body.first);
  const next = source.lines + lines.length;
  await transaction.run(
    "UPDATE console_source SET lines = $3, open = $4 WHERE experiment = $1 AND number = $2",
    experimentId,
    source.number,
    next,
    JSON.stringify(body.open ?? []),
  );
  if (lines.length === 0) return { next, experimentId };
  const record = encodeLines(lines.map((line) => storedLine(line, source.number)));
  const bytes = rowBytes + record.length;
  await ledger.charge(organizationId, { bytes });
  const console = await transaction.get<{ lines: number }>(
    `UPDATE console SET lines = lines + $2, unsealed_bytes = unsealed_bytes + $3, appended_at_ms = $4
     WHERE experiment = $1 RETURNING lines`,
    experimentId,
    lines.length,
    bytes,
    nowMs,
  );
  await transaction.run(
    "INSERT INTO console_log (experiment, first, lines, record) VALUES ($1, $2, $3, $4)",
    experimentId,
    console!.lines - lines.length,
    lines.length,
    record,
  );
  return { next, experimentId };
}

function storedLine({ spans, ...line }: SentLine, source: number): StoredLine {
  return { ...line, source, spans: spans === undefined ? "" : JSON.stringify(spans) };
}

interface Source {
  number: number;
  lines: number;
}

type AddedSource = Omit<AppendConsole, "body"> & AppendConsoleBody["source"];

/** Returns the source, which its first request makes. */
async function sourceOf(
  transaction: Transaction,
  { organizationId, experimentId, id, ...process }: AddedSource,
  { nowMs, ledger }: Counting,
): Promise<Source> {
  const known = await transaction.get<Source>(
    "SELECT number, lines FROM console_source WHERE experiment = $1 AND id = $2",
    experimentId,
    id,
  );
  if (known !== undefined) return known;
  const { sources } = (await transaction.get<{ sources: number }>(
    "SELECT count(*) AS sources FROM console_source WHERE experiment = $1",
    experimentId,
  ))!;
  if (sources >= limits.consoleSourcesMax) {
    const maximum = limits.consoleSourcesMax;
    throw new ServiceError(
      "limit_exceeded",
      `At most ${maximum} processes print into the console of one experiment.`,
      { limit: "consoleSources", maximum },
    );
  }
  const about = JSON.stringify(process);
  await ledger.charge(organizationId, { bytes: rowBytes + textBytes(id, about) });
  await transaction.run(
    `INSERT INTO console (experiment, lines, sealed, unsealed_bytes, appended_at_ms)
     VALUES ($1, 0, 0, 0, $2) ON CONFLICT (experiment) DO NOTHING`,
    experimentId,
    nowMs,
  );
  await transaction.run(
    `INSERT INTO console_source (experiment, number, id, about, lines, open)
     VALUES ($1, $2, $3, $4, 0, '[]')`,
    experimentId,
    sources,
    id,
    about,
  );
  return { number: sources, lines: 0 };
}
