import { ChangesBody, ChangesReply } from "./changes.ts";
import { DifferenceBody, DifferenceReply } from "./difference.ts";
import type { EndpointDefinition } from "./endpoint.ts";
import { editErrors } from "./error-forms.ts";
import {
  EditBody,
  EditReply,
  newAnnotationsQuery,
  NewAnnotationsReply,
  NoteBody,
  NoteReply,
} from "./edits.ts";
import { ExperimentArtifactsReply, experimentArtifactsQuery } from "./experiment-artifacts.ts";
import { limits } from "./limits.ts";
import { ExperimentGroupsBody, ExperimentGroupsReply, GroupsBody, GroupsReply } from "./groups.ts";
import { FieldsBody, FieldsReply, FoldersReply } from "./fields.ts";
import { OverviewBody, OverviewReply } from "./overview.ts";
import { PointsCsvQuery, ViewPointsBody, ViewPointsReply } from "./view-points.ts";
import { TableBody, TableCsvQuery, TableReply } from "./table.ts";
import { WaitBody, WaitReply } from "./waiting.ts";
import { extension, extensionRead, readErrors } from "./v1-endpoint.ts";

const view = { ...extension, errors: readErrors } as const;

/** Errors of reads of points, which may be damaged. */
const drawn = [...readErrors, "data_corrupted"] as const;

/**
 * Views: reads for charts and tables, and writes made by people from a page. The writes recognise a
 * repetition, so every endpoint is safe to repeat.
 */
export const viewEndpoints = {
  readOverview: {
    ...view,
    method: "POST",
    path: "/api/views/v1/overview",
    summary: "Series reduced to columns for drawing, from all points.",
    about:
      "A column gives the first, last, least, largest and mean value of all its points: lines drawn from the " +
      "first four cover the same pixels as lines through every point. The column of a point is " +
      "`floor((x - start) * columns / (end - start))`, on a logarithmic axis " +
      "`floor(log(x / start) / log(end / start) * columns)`. The series are those of one moment for each experiment.",
    request: { kind: "json", schema: OverviewBody, bytesMax: limits.setupBodyBytesMax },
    reply: { kind: "json", status: 200, schema: OverviewReply },
    errors: drawn,
  },
  readGroups: {
    ...view,
    method: "POST",
    path: "/api/views/v1/groups",
    summary: "Means of a series over all experiments that a query finds, in groups, with bands.",
    about:
      "A member is a line, one metadata partition of an experiment. Its value in a column is the mean of its points there; between two " +
      "points it is interpolated as the line is drawn, at the middle of the column, and outside of its points it has none.",
    request: { kind: "json", schema: GroupsBody, bytesMax: limits.setupBodyBytesMax },
    reply: { kind: "json", status: 200, schema: GroupsReply },
  },
  readPoints: {
    ...view,
    method: "POST",
    path: "/api/views/v1/points",
    summary: "The points of many series nearest to a place on the axis, or the first of a range.",
    request: { kind: "json", schema: ViewPointsBody, bytesMax: limits.setupBodyBytesMax },
    reply: { kind: "json", status: 200, schema: ViewPointsReply },
    errors: drawn,
  },
  readPointsCsv: {
    ...extensionRead,
    path: "/api/views/v1/points.csv",
    summary: "Every point of a series as CSV, streamed; the header x-svc-points says how many.",
    about:
      "A file with fewer rows is incomplete. With a session cookie only a page of the service " +
      "may ask for it.",
    query: PointsCsvQuery,
    reply: { kind: "csv", status: 200 },
    errors: drawn,
  },
  readChanges: {
    ...view,
    method: "POST",
    path: "/api/views/v1/changes",
    summary: "Waits until experiments change, or new ones are opened.",
    about:
      "A long poll: answered at once if something differs already, otherwise when it does, and with nothing after " +
      "`waitMs`. A caller gets at most four changes a second; the next one waits its turn, within " +
      "`waitMs` if that is 5,000 or more. With less each request waits its turn, for 25 s at most, or is refused. " +
      "Send the next request when the last answer has been used.",
    request: { kind: "json", schema: ChangesBody, bytesMax: limits.setupBodyBytesMax },
    reply: { kind: "json", status: 200, schema: ChangesReply },
  },
  waitUntil: {
    ...view,
    method: "POST",
    path: "/api/views/v1/wait",
    summary: "Waits until a condition holds for an experiment, or it has ended without it.",
    about:
      "A long poll: `holds` and `ended` are answered at once, `waiting` after `waitMs`; then send the request again. A " +
      "condition is tested on everything acknowledged before an experiment counts as `ended`: its status is done or " +
      "error, or its newest attempt ended a minute ago and no other has begun.",
    request: { kind: "json", schema: WaitBody, bytesMax: limits.setupBodyBytesMax },
    reply: { kind: "json", status: 200, schema: WaitReply },
    errors: [...readErrors, "not_found"],
  },
  readTable: {
    ...view,
    method: "POST",
    path: "/api/views/v1/experiments",
    summary: "Experiments that a query finds, sorted, with columns of meta and metrics.",
    about:
      "An invalid query is 400: the message has the position, what is expected there, and a suggestion.",
    request: { kind: "json", schema: TableBody, bytesMax: limits.setupBodyBytesMax },
    reply: { kind: "json", status: 200, schema: TableReply },
  },
  readExperimentGroups: {
    ...view,
    method: "POST",
    path: "/api/views/v1/experiment-groups",
    summary:
      "Experiments that a query finds in groups: how many, and mean, min and max of columns.",
    request: { kind: "json", schema: ExperimentGroupsBody, bytesMax: limits.setupBodyBytesMax },
    reply: { kind: "json", status: 200, schema: ExperimentGroupsReply },
  },
  readTableCsv: {
    ...extensionRead,
    path: "/api/views/v1/experiments.csv",
    summary: "The same as CSV, all rows; the header x-svc-rows says how many they are.",
    query: TableCsvQuery,
    reply: { kind: "csv", status: 200 },
  },
  readFields: {
    ...view,
    method: "POST",
    path: "/api/views/v1/fields",
    summary:
      "Names of meta and metrics, or values of a field, with how many experiments have them.",
    request: { kind: "json", schema: FieldsBody, bytesMax: limits.setupBodyBytesMax },
    reply: { kind: "json", status: 200, schema: FieldsReply },
  },
  readDifference: {
    ...view,
    method: "POST",
    path: "/api/views/v1/difference",
    summary: "What differs between experiments: keys of their metas, summaries of their metrics.",
    about:
      "Metas are compared as they were recorded, number with number, list with list as a whole; a key that is missing " +
      "differs from one that is null. With `apart`, keys ordered by how well one test on them separates the named experiments from " +
      "all others that the query finds.",
    request: { kind: "json", schema: DifferenceBody, bytesMax: limits.setupBodyBytesMax },
    reply: { kind: "json", status: 200, schema: DifferenceReply },
  },
  readFolders: {
    ...extensionRead,
    path: "/api/views/v1/folders",
    summary: "Folders with how many experiments are in them.",
    reply: { kind: "json", status: 200, schema: FoldersReply },
  },
  readExperimentArtifacts: {
    ...extensionRead,
    path: "/api/views/v1/experiment-artifacts",
    summary: "The versions of artifacts that an experiment wrote, newest first.",
    about:
      "An experiment wrote the versions whose meta names its slug as `experiment`, at the `step` of that meta, as our " +
      "clients write them.",
    query: experimentArtifactsQuery,
    reply: { kind: "json", status: 200, schema: ExperimentArtifactsReply },
  },
  editExperiment: {
    ...view,
    errorForm: editErrors,
    method: "PATCH",
    path: "/api/views/v1/experiment",
    summary: "Changes the description of an experiment, or single values of its meta.",
    about:
      "All or nothing, and only if the values that the client saw are still current: otherwise 409 with the current ones. A value that " +
      "is already as requested is no conflict, so an edit whose reply was lost may be sent again. `experiment.open` " +
      "replaces description and meta as ever, edited or not.",
    request: {
      kind: "json",
      schema: EditBody,
      bytesMax: limits.setupBodyBytesMax,
      editsAsSent: true,
    },
    reply: { kind: "json", status: 200, schema: EditReply },
    errors: [...readErrors, "not_found", "conflict"],
  },
  readNewAnnotations: {
    ...extensionRead,
    path: "/api/views/v1/annotations",
    summary: "The annotations of an experiment, or those added since an earlier reply.",
    query: newAnnotationsQuery,
    reply: { kind: "json", status: 200, schema: NewAnnotationsReply },
    errors: [...readErrors, "not_found"],
  },
  addNote: {
    ...view,
    method: "POST",
    path: "/api/views/v1/annotations",
    summary: "Adds an annotation to an experiment, once for each messageId.",
    about:
      "Its meta has the `step`, and as `author` the e-mail of the person of the session or sign-in; no other author " +
      "can be named. A messageId with another text, step or author is 409, and the first one stays.",
    request: { kind: "json", schema: NoteBody, bytesMax: limits.setupBodyBytesMax },
    reply: { kind: "json", status: 200, schema: NoteReply },
    errors: [...readErrors, "not_found", "conflict"],
  },
} as const satisfies Record<string, EndpointDefinition>;
