import type { EditReply, ExperimentRecord } from "@lossless/client";
import { useState } from "preact/hooks";
import type { PageLocation } from "../../location.ts";
import { CopyLink } from "../../parts/copy.tsx";
import { Narrow } from "../../parts/narrow.tsx";
import { ToTrash } from "../../parts/to-trash.tsx";
import type { Service } from "../../signed-in.ts";
import { DescriptionDialog } from "./description-dialog.tsx";
import { MoveExperiment } from "./move-experiment.tsx";

interface Props {
  service: Service;
  location: PageLocation;
  record: ExperimentRecord;
  /** The name shown on the page. */
  name: string;
  onEdited: (reply: EditReply) => void;
  onAnnotate: () => void;
  onDeleted: () => void;
}

/** Actions on the experiment as a whole. */
export function HeadActions(props: Props) {
  const { service, location, record, name, onEdited, onAnnotate, onDeleted } = props;
  const [opened, setOpened] = useState<"delete" | "description" | "move">();
  const [said, setSaid] = useState("");
  const close = () => setOpened(undefined);
  return (
    <Narrow class="actions" name="more">
      <CopyLink location={location} />
      <button type="button" onClick={onAnnotate}>
        annotate…
      </button>
      <button type="button" onClick={() => setOpened("description")}>
        {record.description === "" ? "describe…" : "edit description…"}
      </button>
      <button type="button" onClick={() => setOpened("move")}>
        move to folder…
      </button>
      <button type="button" onClick={() => setOpened("delete")}>
        move to trash…
      </button>
      <span role="status">{said}</span>
      {opened === "description" && (
        <DescriptionDialog
          service={service}
          record={record}
          onEdited={(reply) => (close(), onEdited(reply))}
          onClose={close}
        />
      )}
      {opened === "delete" && (
        <ToTrash
          service={service}
          title={`Move ${name} to the trash?`}
          onConfirm={async () => {
            await service.client.trash.experiments([record.experimentId]);
            onDeleted();
          }}
          onClose={close}
        >
          <p>
            The experiment disappears from every list and chart. Programs that still record it are
            refused.
          </p>
        </ToTrash>
      )}
      {opened === "move" && (
        <MoveExperiment
          service={service}
          {...{ record, name }}
          onMoved={(words) => (close(), setSaid(words))}
          onClose={close}
        />
      )}
    </Narrow>
  );
}
