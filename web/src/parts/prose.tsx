import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";

/** Text by people, as Markdown; plain until the renderer is loaded. */
export function Prose({ text }: { text: string }) {
  const [drawn, setDrawn] = useState<{ Markdown: ComponentType<{ text: string }> }>();
  useEffect(() => {
    let isWanted = true;
    import("../pages/reports/markdown.tsx").then(
      (loaded) => isWanted && setDrawn(loaded),
      // The text stays plain.
      () => undefined,
    );
    return () => {
      isWanted = false;
    };
  }, []);
  return drawn === undefined ? <p>{text}</p> : <drawn.Markdown text={text} />;
}
