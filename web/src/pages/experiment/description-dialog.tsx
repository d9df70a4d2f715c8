import { EditConflictError, type EditReply, type ExperimentRecord, limits } from "@lossless/client";
import { useState } from "preact/hooks";
import { Dialog } from "../../parts/dialog.tsx";
import { SaveForm } from "../../parts/save-form.tsx";
import type { Service } from "../../signed-in.ts";
import { PresentValue, ReplacedLater } from "./replaced-later.tsx";

interface Props {
  service: Service;
  record: ExperimentRecord;
  onEdited: (reply: EditReply) => void;
  onClose: () => void;
}

export function DescriptionDialog({ service, record, onEdited, onClose }: Props) {
  const { experimentId } = record;
  const [before, setBefore] = useState(record.description);
  const [text, setText] = useState(record.description);
  const [present, setPresent] = useState<string>();
  const save = async () => {
    try {
      const description = { before, after: text };
      onEdited(await service.client.editExperiment({ experimentId, description }));
    } catch (error) {
      if (!(error instanceof EditConflictError)) throw error;
      const { description = "" } = error.present;
      setBefore(description);
      setPresent(description);
    }
  };
  return (
    <Dialog title="Description" onClose={onClose}>
      <SaveForm action="Save" save={save}>
        <label>
          What this experiment is about
          <textarea
            value={text}
            maxLength={limits.descriptionCharactersMax}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </label>
        {present !== undefined && <PresentValue text={present} />}
        <ReplacedLater />
      </SaveForm>
    </Dialog>
  );
}
