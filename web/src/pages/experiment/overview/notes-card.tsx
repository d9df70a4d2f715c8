import { useState } from "preact/hooks";
import { Prose } from "../../../parts/prose.tsx";
import { mayWrite } from "../../../rights.ts";
import { DescriptionDialog } from "../description-dialog.tsx";
import { notesOf } from "../written.ts";
import { Card } from "./card.tsx";
import type { OverviewProps } from "./overview-props.ts";

/** The description, with a way to edit it. */
export function NotesCard({
  service,
  record,
  attributes,
  onEdited,
}: Pick<OverviewProps, "service" | "record" | "attributes" | "onEdited">) {
  const [isEdited, setIsEdited] = useState(false);
  const close = () => setIsEdited(false);
  const notes = notesOf(record, attributes?.tags);
  if (notes === "") return null;
  return (
    <Card
      title="Notes"
      actions={
        mayWrite(service) && (
          <button type="button" class="quiet" onClick={() => setIsEdited(true)}>
            edit…
          </button>
        )
      }
    >
      <div class="notes-text">
        <Prose text={notes} />
      </div>
      {isEdited && (
        <DescriptionDialog
          {...{ service, record }}
          onEdited={(reply) => (close(), onEdited(reply))}
          onClose={close}
        />
      )}
    </Card>
  );
}
