import type { Config } from "../../settings/config.ts";
import { type Database, DatabaseError } from "../../database/database.ts";
import { noSchema, owned } from "../../database/postgres-setup.ts";
import { parsePostgresUrl } from "../../ground/postgres-url.ts";
import { openDatabase } from "../../storage/open-database.ts";
import type { Witness } from "./clocks.ts";
import { advise, type Finding, ok, problem } from "./finding.ts";

/** Connections of one process: docs/operating.md, "PostgreSQL". */
const connectionsOfProcess = 20;
const slowMs = 5;
const questions = 20;
const clockDifferenceMsMax = 2_000;

interface Settings {
  version: string;
  /** 0 or 1; null where there is no schema. */
  may_create: number | null;
  fsync: string;
  pages: string;
  standbys: string;
  connections: number;
  reserved: number;
  checksums: string;
  autovacuum: string;
  now_ms: number;
}

/** Examines the server's settings on which durability and speed depend. */
export async function examinePostgres(
  { databaseUrl, databasePasswordFile }: Pick<Config, "databaseUrl" | "databasePasswordFile">,
  witnesses: Witness[],
): Promise<Finding[]> {
  const about = "PostgreSQL";
  try {
    const located = { databaseUrl, databasePasswordFile, dataDirectory: undefined };
    await using database = await openDatabase(located, "read");
    const times: number[] = [];
    for (let number = 0; number < questions; number++) {
      const startedMs = performance.now();
      await database.read((reader) => reader.get("SELECT 1 AS one"));
      times.push(performance.now() - startedMs);
    }
    const settings = await read(database);
    const skewMs = settings.now_ms - Date.now();
    witnesses.push({ who: about, skewMs });
    return [
      ...judge(settings),
      latency(times.sort((one, other) => one - other)[questions / 2]),
      clock(skewMs),
    ];
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    const found = error.message.replace(/^PostgreSQL: /, "");
    if (error.kind === "misconfigured") return [problem(about, found, "Set it up as that says.")];
    return [
      problem(
        about,
        found,
        "Check --database-url, and whether the server runs and accepts connections from here.",
      ),
    ];
  }
}

/** The same of a worker, whose findings name its address. */
export async function examineWorker(url: string, witnesses: Witness[]): Promise<Finding[]> {
  const [{ address }] = parsePostgresUrl(url).servers;
  const own: Witness[] = [];
  const findings = await examinePostgres(
    { databaseUrl: url, databasePasswordFile: undefined },
    own,
  );
  const named = (about: string) => `${about}, worker ${address}`;
  witnesses.push(...own.map((witness) => ({ ...witness, who: named(witness.who) })));
  return findings.map((finding) => ({ ...finding, about: named(finding.about) }));
}

function read(database: Database): Promise<Settings> {
  return database.read(async (reader) => {
    const row = await reader.get<Settings>(
      `SELECT current_setting('server_version') AS version,
        has_schema_privilege(current_schema(), 'CREATE')::int AS may_create,
        current_setting('fsync') AS fsync,
        current_setting('full_page_writes') AS pages,
        current_setting('synchronous_standby_names') AS standbys,
        current_setting('max_connections')::int AS connections,
        current_setting('superuser_reserved_connections')::int AS reserved,
        current_setting('data_checksums') AS checksums,
        current_setting('autovacuum') AS autovacuum,
        (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now_ms`,
    );
    return row!;
  });
}

function judge(settings: Settings): Finding[] {
  const {
    version,
    may_create: mayCreate,
    fsync,
    pages,
    connections,
    reserved,
    checksums,
    autovacuum,
  } = settings;
  const free = connections - reserved;
  return [
    ok("PostgreSQL", `version ${version}`),
    mayCreate === 1
      ? ok("rights in PostgreSQL", "this user may make tables")
      : problem(
          "rights in PostgreSQL",
          mayCreate === null
            ? "the search_path names no schema"
            : "this user may not make tables, and upgrades make some",
          mayCreate === null ? noSchema : owned,
        ),
    fsync === "on" && pages === "on"
      ? ok("durability of PostgreSQL", "fsync and full_page_writes are on")
      : problem(
          "durability of PostgreSQL",
          `fsync ${fsync}, full_page_writes ${pages}`,
          "Switch both on: without them a crash of the machine loses acknowledged data, or the whole database.",
        ),
    settings.standbys === ""
      ? advise(
          "standbys",
          "none is synchronous",
          'If this server is lost, data that a standby had not received is lost too. operating.md, "Standbys and failover", says how to prevent that.',
        )
      : ok("standbys", `synchronous_standby_names is ${settings.standbys}`),
    free >= 2 * connectionsOfProcess
      ? ok("connections of PostgreSQL", `${connections} at most`)
      : advise(
          "connections of PostgreSQL",
          `${connections} at most, ${reserved} of them reserved`,
          `Each process of the service opens up to ${connectionsOfProcess}: set max_connections to that for each, and some for commands.`,
        ),
    checksums === "on"
      ? ok("data checksums", "on")
      : advise(
          "data checksums",
          "off: damage of its files is seen late",
          "Switch them on with pg_checksums while the server is stopped.",
        ),
    autovacuum === "on"
      ? ok("autovacuum", "on")
      : problem(
          "autovacuum",
          "off",
          "Switch it on: the log of points is written and trimmed all the time.",
        ),
  ];
}

function latency(median: number): Finding {
  const found = `${median.toFixed(2)} ms for a question`;
  return median <= slowMs
    ? ok("way to PostgreSQL", found)
    : advise(
        "way to PostgreSQL",
        found,
        "Every write asks several times: put the service near the database.",
      );
}

function clock(skewMs: number): Finding {
  const found = `${(skewMs / 1_000).toFixed(1)} s from this machine's`;
  return Math.abs(skewMs) <= clockDifferenceMsMax
    ? ok("clock of PostgreSQL", found)
    : problem(
        "clock of PostgreSQL",
        found,
        "Keep both by a time service: tokens expire by these clocks.",
      );
}
