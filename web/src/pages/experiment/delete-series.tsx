import type { ExperimentRecord } from "@lossless/client";
import { ToTrash } from "../../parts/to-trash.tsx";
import type { Service } from "../../signed-in.ts";

interface Props {
  service: Service;
  record: ExperimentRecord;
  seriesName: string;
  onClose: () => void;
}

/** Asks whether to trash a series. */
export function DeleteSeries({ service, record, seriesName, onClose }: Props) {
  return (
    <ToTrash
      service={service}
      title={`Move ${seriesName} to the trash?`}
      onConfirm={() => service.client.trash.series(record.experimentId, [seriesName])}
      onClose={onClose}
    >
      <p>
        The series and all its points disappear from every chart of this experiment. Programs that
        still record it are refused.
      </p>
    </ToTrash>
  );
}
