import type { ColumnTypes } from "./column-types.ts";
import { metrics } from "./migrations/001-metrics.ts";
import { objects } from "./migrations/002-objects.ts";
import { people } from "./migrations/003-people.ts";
import { artifacts } from "./migrations/004-artifacts.ts";
import { uploads } from "./migrations/005-uploads.ts";
import { connections } from "./migrations/006-connections.ts";
import { quotas } from "./migrations/007-quotas.ts";
import { summaries } from "./migrations/008-summaries.ts";
import { notes } from "./migrations/009-notes.ts";
import { artifactViews } from "./migrations/010-artifact-views.ts";
import { saved } from "./migrations/011-saved.ts";
import { accountAndUsage } from "./migrations/012-account-and-usage.ts";
import { trash } from "./migrations/014-trash.ts";
import { trashedVersions } from "./migrations/015-trashed-versions.ts";
import { signOn } from "./migrations/016-sign-on.ts";
import { facts } from "./migrations/018-facts.ts";
import { runs } from "./migrations/019-runs.ts";
import { models } from "./migrations/020-models.ts";
import { files } from "./migrations/022-files.ts";
import { erasing } from "./migrations/025-erasing.ts";
import { scim } from "./migrations/026-scim.ts";
import { retention } from "./migrations/027-retention.ts";
import { deleting } from "./migrations/029-deleting.ts";
import { pointsOfTheDay } from "./migrations/031-points-of-the-day.ts";
import { notDone } from "./migrations/032-not-done.ts";
import { nonfinite } from "./migrations/033-nonfinite.ts";
import { runNames } from "./migrations/037-run-names.ts";
import { mlflowLocations } from "./migrations/038-mlflow-locations.ts";
import { reach } from "./migrations/039-reach.ts";
import { consoles } from "./migrations/040-console.ts";
import { logged } from "./migrations/041-logged.ts";
import { attempts } from "./migrations/042-attempts.ts";
import { guestLinks } from "./migrations/043-guest-links.ts";
import { workspaces } from "./migrations/044-workspaces.ts";
import { registry } from "./migrations/045-registry.ts";
import { lineage } from "./migrations/046-lineage.ts";
import { fromBefore } from "./migrations/047-from-before.ts";
import { nodes } from "./migrations/048-nodes.ts";
import { slices } from "./migrations/049-slices.ts";
import { reportPictures } from "./migrations/050-report-pictures.ts";
import { severalServers } from "./migrations/051-several-servers.ts";
import { telling } from "./migrations/052-telling.ts";
import { knownWorkers } from "./migrations/053-known-workers.ts";

type Statements = (type: ColumnTypes) => string[];

/**
 * A step from one format of the data to the next.
 *
 * An expansion leaves programs of the release before at work: it only adds, and what they write
 * meanwhile is right. A contraction ends the work of every program that knows no format as new as
 * `leastFormat`, for instance because it removes what they use.
 */
export type Migration =
  | { kind: "expansion"; statements: Statements }
  | { kind: "contraction"; leastFormat: number; statements: Statements };

/** Migrations from before programs of two versions could work on one database. */
const alone: Statements[] = [
  metrics,
  objects,
  people,
  artifacts,
  uploads,
  connections,
  quotas,
  summaries,
  notes,
  artifactViews,
  saved,
  accountAndUsage,
  trash,
  trashedVersions,
  signOn,
  facts,
  runs,
  models,
  files,
  erasing,
  scim,
  retention,
  deleting,
  pointsOfTheDay,
  notDone,
  nonfinite,
  runNames,
  mlflowLocations,
  reach,
  consoles,
  logged,
  attempts,
  guestLinks,
  workspaces,
  registry,
  lineage,
  fromBefore,
  nodes,
];

/** Migrations since then. CONTRIBUTING.md, "Migrations", says of which kind a new one is. */
const shared: Migration[] = [
  { kind: "expansion", statements: slices },
  { kind: "expansion", statements: reportPictures },
  { kind: "expansion", statements: severalServers },
  { kind: "expansion", statements: telling },
  { kind: "expansion", statements: knownWorkers },
];

/**
 * Migrations, forward only: a released one is never edited. Migration n brings the data to format
 * n.
 */
export const migrations: readonly Migration[] = [
  ...alone.map((statements, index): Migration => {
    return { kind: "contraction", leastFormat: index + 1, statements };
  }),
  ...shared,
];

/** The first format from which on programs of two versions work on one database. */
export const sharedFormat = alone.length;

/** The newest format of each release. A release adds its row (docs/releasing.md). */
export const releasedFormats: readonly { version: string; format: number }[] = [
  { version: "0.1.0", format: 7 },
];
