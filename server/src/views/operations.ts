import { readArtifacts } from "./artifacts/list.ts";
import { readArtifact } from "./artifacts/one.ts";
import { readCondition } from "./condition.ts";
import { readMarks, readStates } from "./changes.ts";
import { readOverview } from "./charts/overview.ts";
import { readPoints } from "./charts/points.ts";
import { readGroups } from "./groups/curve-groups.ts";
import { readExperimentGroups } from "./groups/experiment-groups.ts";
import { readDifference } from "./difference/difference.ts";
import { readExperimentArtifacts } from "./experiment-artifacts.ts";
import { readLoggedHistograms } from "./logged/histograms.ts";
import { readLoggedItems } from "./logged/items.ts";
import { readLoggedNames } from "./logged/names.ts";
import { readLoggedNearest } from "./logged/nearest.ts";
import { readLoggedSteps } from "./logged/steps.ts";
import { readLoggedTexts } from "./logged/texts.ts";
import { readNewAnnotations } from "./new-annotations.ts";
import { readAuditTerms, readAuditView } from "./organization/audit.ts";
import { readUsageView } from "./organization/usage.ts";
import { readFields } from "./table/fields.ts";
import { readFolders } from "./table/folders.ts";
import { readTable } from "./table/table.ts";

export const viewReads = {
  "views.states": readStates,
  "views.marks": readMarks,
  "views.condition": readCondition,
  "views.experimentArtifacts": readExperimentArtifacts,
  "views.audit": readAuditView,
  "views.auditTerms": readAuditTerms,
};

export const viewReplies = {
  "views.overview": readOverview,
  "views.groups": readGroups,
  "views.points": readPoints,
  "views.table": readTable,
  "views.experimentGroups": readExperimentGroups,
  "views.fields": readFields,
  "views.folders": readFolders,
  "views.newAnnotations": readNewAnnotations,
  "views.loggedNames": readLoggedNames,
  "views.loggedSteps": readLoggedSteps,
  "views.loggedNearest": readLoggedNearest,
  "views.loggedItems": readLoggedItems,
  "views.loggedTexts": readLoggedTexts,
  "views.loggedHistograms": readLoggedHistograms,
  "views.artifacts": readArtifacts,
  "views.artifact": readArtifact,
  "views.difference": readDifference,
  "views.usage": readUsageView,
};
