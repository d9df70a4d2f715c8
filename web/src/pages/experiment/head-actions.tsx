import type { EditReply, ExperimentRecord } from "@lossless/client";
import { useState } from "preact/hooks";
import type { PageLocation } from "../../location.ts";
import { useColours } from "../../colours/use-colours.tsx";
import { Share } from "../../guests/share.tsx";
import { CopyLink } from "../../parts/copy.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Menu } from "../../parts/menu.tsx";
import { ToTrash } from "../../parts/to-trash.tsx";
import { mayWrite } from "../../rights.ts";
import type { Service } from "../../signed-in.ts";
import { loadTags } from "../../tags/load-tags.ts";
import type { MetasWritten } from "../../parts/write-metas.ts";
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

type Dialogs = "delete" | "description" | "move" | "tags";

/** Actions on the experiment as a whole. */
export function HeadActions(props: Props) {
  const { service, location, record, name, onEdited, onAnnotate, onDeleted } = props;
  const [opened, setOpened] = useState<Dialogs>();
  const [said, setSaid] = useState("");
  const close = () => setOpened(undefined);
  const onWritten = ({ words, replies }: MetasWritten) => {
    close();
    setSaid(words);
    replies.forEach(onEdited);
  };
  const experimentIds = [record.experimentId];
  const colours = useColours(service, onWritten);
  return (
    <div class="actions">
      <CopyLink location={location} />
      <Share {...{ service, what: name, shown: { experimentIds: [record.experimentId] } }} />
      {mayWrite(service) && (
        <Changes
          {...{ record, onAnnotate }}
          onOpen={setOpened}
          onColour={() => colours.choose?.(experimentIds)}
        />
      )}
      <span role="status">{said}</span>
      {opened === "description" && (
        <DescriptionDialog
          service={service}
          record={record}
          onEdited={(reply) => (close(), onEdited(reply))}
          onClose={close}
        />
      )}
      {opened === "tags" && (
        <Loaded load={loadTags} props={{ service, experimentIds, onWritten, onClose: close }} />
      )}
      {colours.dialog}
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
    </div>
  );
}

interface ChangesProps extends Pick<Props, "record" | "onAnnotate"> {
  onOpen: (dialog: Dialogs) => void;
  onColour: () => void;
}

/** Buttons of what changes the experiment. */
function Changes({ record, onAnnotate, onOpen, onColour }: ChangesProps) {
  return (
    <>
      <button type="button" onClick={onAnnotate}>
        annotate…
      </button>
      <button type="button" onClick={() => onOpen("tags")}>
        tags…
      </button>
      <Menu sign="more ▾" label="More actions">
        <button type="button" onClick={() => onOpen("description")}>
          {record.description === "" ? "describe…" : "edit description…"}
        </button>
        <button type="button" onClick={onColour}>
          colour…
        </button>
        <button type="button" onClick={() => onOpen("move")}>
          move to folder…
        </button>
        <button type="button" onClick={() => onOpen("delete")}>
          move to trash…
        </button>
      </Menu>
    </>
  );
}
