import { flagged } from "../database/operation.ts";
import { listTrash } from "./entry.ts";
import { purgeStep } from "./purge-step.ts";
import { freeSlug, purgeTrash } from "./purge.ts";
import { endSeries } from "./purge-series.ts";
import { restoreTrash } from "./restore.ts";
import { provisionTrashDays, readTrashSettings, setTrashSettings } from "./setting.ts";
import { type TrashExperiments, trashExperiments } from "./trash-experiments.ts";
import { trashFolder } from "./trash-folder.ts";
import {
  listDeletedOrganizations,
  readContents,
  restoreOrganization,
  trashOrganization,
} from "./trash-organization.ts";
import { type TrashSeries, trashSeries } from "./trash-series.ts";
import { trashVersions } from "./trash-versions.ts";

export const trashWrites = {
  "trash.experiments": flagged(trashExperiments, {
    onFullDisk: true,
    fresh: ({ experimentIds }: TrashExperiments) => experimentIds,
  }),
  "trash.folder": flagged(trashFolder, { onFullDisk: true }),
  "trash.versions": flagged(trashVersions, { onFullDisk: true }),
  "trash.series": flagged(trashSeries, {
    onFullDisk: true,
    alone: true,
    fresh: ({ experimentId }: TrashSeries) => [experimentId],
  }),
  "trash.restore": restoreTrash,
  "trash.purge": flagged(purgeTrash, { onFullDisk: true, wakes: "purge" }),
  "trash.freeSlug": freeSlug,
  "trash.set": setTrashSettings,
  "trash.provision": provisionTrashDays,
  "trash.purgeStep": flagged(purgeStep, { onFullDisk: true }),
  "trash.endSeries": flagged(endSeries, { onFullDisk: true }),
  "trash.organization": trashOrganization,
  "trash.restoreOrganization": restoreOrganization,
};

export const trashReads = {
  "trash.list": listTrash,
  "trash.settings": readTrashSettings,
  "trash.contents": readContents,
  "trash.organizations": listDeletedOrganizations,
};
