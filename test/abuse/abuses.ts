import type { Abuse } from "./abuse.ts";
import { announcedBodies, announcedForms, idleConnections } from "./bodies.ts";
import { announcedColumns, costlyColumns } from "./columns.ts";
import { fillingTheDisk } from "./disk.ts";
import { hostileStore } from "./hostile-store.ts";
import { costlyBodies } from "./json.ts";
import { kindsOfReads, readsOfKind } from "./kinds-of-reads.ts";
import { leftReads } from "./left-reads.ts";
import { manyReadsInOneRequest, manyTrees, oneReadOfManyObjects } from "./replies.ts";
import { manyPlaces, searchedRuns, searchedTexts, wholeTables } from "./reads.ts";
import { seriesStreams, trickledReplies, unreadReplies } from "./unread.ts";

/** The attacks of an audit on the service, and close variants of them. */
export const abuses: readonly Abuse[] = [
  manyReadsInOneRequest,
  oneReadOfManyObjects,
  manyTrees,
  announcedBodies,
  announcedColumns,
  announcedForms,
  idleConnections,
  unreadReplies,
  trickledReplies,
  seriesStreams,
  costlyBodies,
  costlyColumns,
  hostileStore,
  searchedTexts,
  searchedRuns,
  manyPlaces,
  wholeTables,
  ...kindsOfReads.map(readsOfKind),
  leftReads,
  fillingTheDisk,
];
