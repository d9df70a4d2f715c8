import type { ComponentChildren } from "preact";
import type { Service } from "../signed-in.ts";
import { AskOnce } from "./ask-once.tsx";
import { useRead } from "./use-read.ts";
import { countedText } from "./words.ts";

interface Props {
  service: Service;
  title: string;
  /** The items to trash, and the consequences. */
  children: ComponentChildren;
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
}

/** Asks whether to trash something, and says how long it can be restored. */
export function ToTrash({ service, children, ...asked }: Props) {
  const { found } = useRead((stopped) => service.client.trash.settings(stopped), []);
  return (
    <AskOnce verb="Move to trash" {...asked}>
      {children}
      <p>
        You can restore all of it from the organization's <a href="/organization/trash">trash</a>
        {found === undefined ? " for some days" : ` for ${countedText(found.days, "day")}`}. After
        that it is gone.
      </p>
    </AskOnce>
  );
}
