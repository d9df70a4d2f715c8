/**
 * Who may import whom, types included: ARCHITECTURE.md, "The rooms". A room is a folder or a file.
 * A file imports its own room and the rooms of lower floors; rooms of one floor do not know each
 * other. "." is what the table does not name; where a table has no "." that is free.
 */
export const floors: Readonly<Record<string, string>> = {
  "": `
    .
    cli web
    server client
    protocol
  `,
  "client/src": `
    files index.ts
    .
  `,
  "server/src": `
    main.ts
    service.ts
    admin provisioning.ts
    http operator
    versions backup
    stores sweeping issuer openid tracing watching wire
    storage clouds
    retention background provision-file.ts
    trash views saved config.ts master-key.ts segment-store.ts
    files options.ts
    runs
    series summaries sign-on
    artifacts experiments points people
    locations organizations oauth folders
    connections issuer/keys
    buckets quotas access audit
    database
    ground figures parquet allocator.ts exit-codes.ts
  `,
  "server/src/http": `
    v1 v2 views trash sign-on scim mlflow objects sign-in web
    callers
  `,
  "server/src/buckets": `
    segments azure gcs
    s3 built-in
    .
  `,
};

const experiments = ["experiments", "folders", "points", "runs", "series", "summaries", "views"];
const artifacts = ["artifacts", "connections", "files", "locations"];
const accounts = ["oauth", "organizations", "people", "sign-on"];
const scripts = [...experiments, ...artifacts, ...accounts, "saved", "trash", "retention"];

/** They load the server, and only when they are called. */
const commandsOnData = `
  administration backup-place data-location commands/backup commands/compact commands/completion
  commands/copy commands/doctor commands/gc commands/issuer commands/keys
  commands/keys-rotate-master commands/people commands/people-links commands/quotas
  commands/restore commands/restored commands/serve commands/verify server-exit-code
`;

/** What a lower floor is, and must not be imported nevertheless. */
export const never: readonly Never[] = [
  {
    from: ["client"],
    to: ["protocol"],
    why: "the client has no dependencies; its wire types are generated",
  },
  { from: ["web"], to: ["server"], why: "the pages know the client, not the server" },
  {
    from: ["cli"],
    to: ["server"],
    except: commandsOnData
      .trim()
      .split(/\s+/)
      .map((file) => `cli/src/${file}.ts`),
    why: "only the commands that work on the data itself load the server",
  },
  {
    from: ["test"],
    to: ["server", "cli"],
    except: ["test/service.ts", "test/bench/experiments-table.ts"],
    why: "a black-box suite knows HTTP, the client and the protocol",
  },
  {
    from: inServer(["http", "admin", "wire", "watching", "tracing", "openid", "clouds"]),
    to: inServer(["database"]),
    why: "there is no SQL on the main thread",
  },
  {
    from: inServer([
      "http",
      ...scripts.filter((room) => room !== "points" && room !== "summaries"),
    ]),
    to: inServer(["buckets"]),
    why: "neither a request nor a transaction holds a store",
  },
  {
    from: inServer([...experiments, ...artifacts, "saved"].filter((room) => room !== "views")),
    to: inServer(["oauth", "organizations", "sign-on"]),
    why: "what is recorded knows its organization by its id",
  },
  {
    from: inServer(["versions", "stores", "sweeping", "clouds", ...accounts, ...artifacts]).filter(
      (room) => room !== "server/src/artifacts/rows/mlflow",
    ),
    to: inServer([...experiments.filter((room) => room !== "runs"), "saved"]),
    why: "artifacts and accounts know nothing of what is measured",
  },
  {
    from: inServer(["admin", "wire", "tracing", "watching"]),
    to: inServer(scripts.filter((room) => room !== "points" && room !== "views")),
    why: "it asks the storage by the names of operations",
  },
  {
    from: inServer(accounts),
    to: ["server/src/ground/passwords.ts"],
    why: "a password is hashed on the main thread, not within a transaction",
  },
];

/** A room that others see through some of its files alone. */
export const doors: readonly Door[] = [
  {
    room: "server/src/database",
    files: ["database.ts", "rows.ts"],
    open: [
      ...inServer(["service.ts", "operator", "backup", "storage"]),
      "test/bench/experiments-table.ts",
    ],
    why: "a domain sees the interface, not a driver",
  },
  {
    room: "server/src/buckets",
    files: ["bucket.ts", "egress.ts"],
    open: inServer([
      "service.ts",
      "operator",
      "backup",
      "storage",
      "stores",
      "clouds",
      "artifacts/versions/artifact-services.ts",
    ]),
    why: "the interface is seen, not a driver",
  },
  {
    room: "server/src/storage",
    files: ["storage.ts", "event-operations.ts"],
    open: inServer(["main.ts", "service.ts", "admin", "operator", "backup", "tracing"]),
    why: "the interface is seen, not the threads behind it",
  },
  {
    room: "server/src/places/clouds",
    files: ["cloud.ts"],
    open: inServer(["service.ts", "operator"]),
    why: "the interface is seen, not one cloud",
  },
];

/** What the product imports besides its own files, and the only folders and files that may. */
export const packages: Readonly<Record<string, readonly string[]>> = {
  "node:sqlite": ["server/src/database"],
  // first-programs.ts shows the text of a program that does.
  "node:": ["cli", "client/src/files", "server", "web/build.ts", "web/src/pages/first-programs.ts"],
  typebox: ["protocol", "server/src/settings/provision-file.ts"],
  fastify: ["server/src/http", "server/src/service.ts"],
  pg: ["server/src/database"],
  "openid-client": ["server/src/accounts/openid"],
  "@aws-sdk/client-s3": ["server/src/buckets"],
  "@aws-sdk/client-sts": ["server/src/places/clouds"],
  "@opentelemetry/": ["server/src/storage/tracing"],
  preact: ["web"],
  "@preact/": ["web"],
  uplot: ["web"],
  mdast: ["web"],
  "mdast-": ["web"],
  "micromark-": ["web"],
  esbuild: ["web/build.ts"],
};

function inServer(rooms: readonly string[]): string[] {
  return rooms.map((room) => `server/src/${room}`);
}

export interface Never {
  from: readonly string[];
  to: readonly string[];
  except?: readonly string[];
  why: string;
}

export interface Door {
  room: string;
  files: readonly string[];
  open: readonly string[];
  why: string;
}
