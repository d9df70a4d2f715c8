import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";

interface Props<Inner extends object> {
  /** The same function for the same component. */
  load: () => Promise<ComponentType<Inner>>;
  props: Inner;
}

/** A part of a page whose script is loaded when it is first shown. */
export function Loaded<Inner extends object>({ load, props }: Props<Inner>) {
  const [Part, setPart] = useState<ComponentType<Inner>>();
  const [isMissing, setIsMissing] = useState(false);
  useEffect(() => {
    load().then(
      (loaded) => setPart(() => loaded),
      () => setIsMissing(true),
    );
  }, [load]);
  if (isMissing) return <p role="alert">This part could not be loaded. Reload the page.</p>;
  return Part === undefined ? <p class="waiting">Loading …</p> : <Part {...props} />;
}
