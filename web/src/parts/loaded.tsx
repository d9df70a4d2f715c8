import type { ComponentType } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";

interface Props<Inner extends object> {
  /** The same function for the same component. */
  load: () => Promise<ComponentType<Inner>>;
  props: Inner;
}

/** A part of a page whose script is loaded when it is first shown. */
export function Loaded<Inner extends object>({ load, props }: Props<Inner>) {
  const [loaded, setLoaded] = useState<{ load: typeof load; Part: ComponentType<Inner> }>();
  const [isMissing, setIsMissing] = useState(false);
  // Not after the next frame: a script that is here already is shown with it.
  useLayoutEffect(() => {
    let isWanted = true;
    load().then(
      (Part) => isWanted && setLoaded({ load, Part }),
      () => isWanted && setIsMissing(true),
    );
    return () => {
      isWanted = false;
      setIsMissing(false);
    };
  }, [load]);
  if (isMissing) return <p role="alert">This part could not be loaded. Reload the page.</p>;
  // The part of another script, which stood here before, has other props.
  if (loaded?.load !== load) return <p class="waiting">Loading …</p>;
  return <loaded.Part {...props} />;
}
