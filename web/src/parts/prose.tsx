import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";

/** Text that people wrote, as Markdown; as it is until what draws that has come. */
export function Prose({ text }: { text: string }) {
  const [drawn, setDrawn] = useState<{ Markdown: ComponentType<{ text: string }> }>();
  useEffect(() => {
    let isWanted = true;
    import("../pages/reports/markdown.tsx").then(
      (loaded) => isWanted && setDrawn(loaded),
      // It stays as it is.
      () => undefined,
    );
    return () => {
      isWanted = false;
    };
  }, []);
  return drawn === undefined ? <p>{text}</p> : <drawn.Markdown text={text} />;
}
