import { freshMessageId, limits } from "@lossless/client";
import { useEffect, useRef, useState } from "preact/hooks";
import { Dialog } from "../../parts/dialog.tsx";
import { SaveForm } from "../../parts/save-form.tsx";
import type { Service } from "../../signed-in.ts";

interface Props {
  service: Service;
  experimentId: string;
  /** The step of the annotation, once known; undefined: none. */
  step: Promise<number | undefined> | undefined;
  onClose: () => void;
}

/** A form for a text at a step. An unanswered request is repeated as the same annotation. */
export function AnnotateDialog({ service, experimentId, step, onClose }: Props) {
  const [text, setText] = useState("");
  const [stepText, setStepText] = useState("");
  const isOwn = useRef(false);
  useEffect(() => {
    void step?.then((found) => {
      if (found !== undefined && !isOwn.current) setStepText(String(found));
    });
  }, [step]);
  const sent = useRef({ content: "", messageId: "" });
  const save = async () => {
    const at = stepText.trim() === "" ? {} : { step: Number(stepText) };
    const content = JSON.stringify([text, at]);
    if (sent.current.content !== content) sent.current = { content, messageId: freshMessageId() };
    const { messageId } = sent.current;
    await service.client.annotate({ experimentId, messageId, annotation: text, ...at });
    onClose();
  };
  return (
    <Dialog title="Annotate" onClose={onClose}>
      <SaveForm action="Annotate" save={save}>
        <label>
          Text
          <textarea
            value={text}
            required
            maxLength={limits.annotationCharactersMax}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </label>
        <label>
          At step (optional)
          <input
            class="short"
            type="number"
            min={0}
            max={limits.stepMax}
            step={1}
            value={stepText}
            onInput={(event) => {
              isOwn.current = true;
              setStepText(event.currentTarget.value);
            }}
          />
        </label>
        <p class="hint">
          The annotation is stored with your name and shown below the charts at its step.
        </p>
      </SaveForm>
    </Dialog>
  );
}
