import { join } from "node:path";
import { createPrivately } from "./create-privately.ts";
import { backupSqlite, SqliteConnection } from "./node-sqlite.ts";
import { databaseFileName } from "./sqlite.ts";
import { sqliteFailure } from "./sqlite-failure.ts";

/** Pages copied in one step: 1 MiB. */
const pagesPerStep = 128;
const busyTimeoutMs = 5_000;

/**
 * Copies the database in `from` to the directory `to`, which has none, as of one moment; the
 * service may run and write meanwhile. `atThatMoment` reads the same state, before it is copied.
 * Pages keep their places in the file. During the copy, new writes stay in the write-ahead log.
 * `copied` receives the bytes of each step, and may wait.
 */
export async function snapshotSqlite(
  from: string,
  to: string,
  atThatMoment: (all: <Row>(sql: string) => Row[]) => Promise<void>,
  copied: (bytes: number) => void,
): Promise<void> {
  const file = join(to, databaseFileName);
  createPrivately(file);
  try {
    using source = new SqliteConnection(join(from, databaseFileName), {
      readOnly: true,
      timeout: busyTimeoutMs,
    });
    // A transaction that has read keeps its state. Without one, SQLite would begin the copy anew
    // whenever the service commits, and never end under load.
    source.exec("BEGIN");
    const all = <Row>(sql: string) => source.prepare(sql).all() as Row[];
    const [{ page_size: pageBytes }] = all<{ page_size: number }>("PRAGMA page_size");
    all("SELECT name FROM sqlite_schema LIMIT 1");
    await atThatMoment(all);
    let left: number | undefined;
    await backupSqlite(source, file, {
      rate: pagesPerStep,
      progress({ remainingPages, totalPages }) {
        copied(((left ?? totalPages) - remainingPages) * pageBytes);
        left = remainingPages;
      },
    });
  } catch (error) {
    throw sqliteFailure(error);
  }
}
