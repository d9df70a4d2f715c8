/**
 * Allowed imports, types included: ARCHITECTURE.md, "The rooms". A room is a folder or a file. A
 * file imports its own room and the rooms of lower floors; rooms of one floor do not import each
 * other. "." holds files that the table does not name; in a table without ".", those are
 * unrestricted.
 */
export const floors: Readonly<Record<string, string>> = {
  "": `
    .
    cli web
    server client
    protocol
  `,
  "web/src/chart": `
    .
    picture
    paint lane
    cursor groups
    axes
    lines overview
    view.ts
  `,
  "client/src": `
    files index.ts
    .
  `,
  "server/src": `
    main.ts program.ts
    service.ts
    operator
    http
    wire artifacts accounts
    places storage/tracing
    storage
    trash settings
    views registry lineage
    artifacts/rows
    storage/background
    console attempts
    experiments
    points accounts/rows places/rows
    buckets
    database
    ground
  `,
  "server/src/operator": `
    pages doctor
    .
    backup
  `,
  "server/src/http": `
    v1 v2 console attempts views trash guests sign-on scim mlflow agents objects sign-in web
    callers
    watching
  `,
  "server/src/artifacts": `
    versions
    sweeping
  `,
  "server/src/places": `
    stores issuer
    clouds
  `,
  "server/src/places/rows": `
    locations
    connections issuer
  `,
  "server/src/accounts/rows": `
    sign-on
    people
    organizations oauth
    guests
  `,
  "server/src/trash": `
    retention
    .
  `,
  "server/src/experiments": `
    operations.ts
    mlflow told
    series summaries
    . saved
    folders
  `,
  "server/src/buckets": `
    segments azure gcs
    s3 built-in
    .
  `,
  "server/src/database": `
    quotas access audit workers
    .
  `,
  "server/src/ground": `
    . figures parquet arrow
  `,
};

/** Imports from lower floors that are forbidden nevertheless. */
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
    except: [
      "cli/src/commands/data",
      "cli/src/commands/completion.ts",
      "cli/src/administration.ts",
      "cli/src/backup-place.ts",
      "cli/src/data-location.ts",
      "cli/src/server-exit-code.ts",
      // Its driver of PostgreSQL, for MLflow's database there.
      "cli/src/import/mlflow/stores/postgres-database.ts",
    ],
    why: "only the commands that work on the data itself load the server",
  },
  {
    from: ["test"],
    to: ["server", "cli"],
    except: ["test/service.ts", "test/bench/encoders.ts", "test/bench/experiments-table.ts"],
    why: "a black-box suite knows HTTP, the client and the protocol",
  },
  {
    from: inServer(["http", "wire", "storage/tracing", "accounts/openid", "places/clouds"]),
    to: inServer(["database/database.ts", "database/rows.ts"]),
    why: "there is no SQL on the main thread",
  },
  {
    from: [
      ...inServer(["http", "accounts/rows", "artifacts/rows", "places/rows", "trash", "views"]),
      ...["mlflow", "saved", "series", "folders"].map((room) => `server/src/experiments/${room}`),
    ],
    to: inServer(["buckets"]),
    why: "neither a request nor a transaction holds a store",
  },
  {
    from: inServer(["artifacts", "places"]),
    to: inServer(["experiments", "points", "accounts"]),
    except: inServer(["artifacts/rows/mlflow"]),
    why: "artifacts know nothing of what is measured, and their organization by its id",
  },
  {
    from: inServer(["experiments/mlflow", "experiments/series", "experiments/summaries"]),
    to: inServer(["accounts"]),
    why: "what is recorded knows its organization by its id",
  },
  {
    from: inServer(["operator/pages", "wire", "storage/tracing", "http/watching"]),
    to: inServer(["accounts", "artifacts/rows", "places/rows", "experiments", "trash"]),
    why: "it asks the storage by the names of operations",
  },
  {
    from: inServer(["accounts/rows"]),
    to: ["server/src/ground/passwords.ts"],
    why: "a password is hashed on the main thread, not within a transaction",
  },
];

/** Rooms of which other rooms may import certain files only. */
export const doors: readonly Door[] = [
  {
    room: "server/src/database",
    files: [
      "database.ts",
      "rows.ts",
      "row-limit.ts",
      "operation.ts",
      "errands.ts",
      "access",
      "audit",
      "quotas",
    ],
    open: [
      ...inServer(["service.ts", "operator", "storage"]),
      "cli/src/import/mlflow/stores/postgres-database.ts",
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
      "storage",
      "places",
      "artifacts/versions/artifact-services.ts",
    ]),
    why: "the interface is seen, not a driver",
  },
  {
    room: "server/src/storage",
    files: ["storage.ts", "event-operations.ts", "background", "tracing"],
    open: inServer(["main.ts", "service.ts", "operator"]),
    why: "the interface is seen, not the threads behind it",
  },
  {
    room: "server/src/places/clouds",
    files: ["cloud.ts"],
    open: inServer(["service.ts", "operator"]),
    why: "the interface is seen, not one cloud",
  },
];

/** Packages that the product imports, and the only folders and files that may. */
export const packages: Readonly<Record<string, readonly string[]>> = {
  "node:sqlite": ["server/src/database", "cli/src/import/mlflow/stores"],
  // first-programs.ts shows the text of a program that does.
  "node:": ["cli", "client/src/files", "server", "web/build.ts", "web/src/pages/first-programs.ts"],
  typebox: ["protocol", "server/src/settings/provision-file.ts"],
  "@modelcontextprotocol/server": [
    "cli/src/mcp",
    "cli/src/commands/mcp.ts",
    "server/src/http/agents/tool-server.ts",
  ],
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
  esbuild: ["server/build.ts", "web/build.ts"],
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
