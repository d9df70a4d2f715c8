import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { LoadablePage, PathProps } from "./page.ts";

interface Props extends PathProps {
  page: LoadablePage;
}

/** The page of a route, once its script is loaded. */
export function OpenedPage({ page, ...rest }: Props) {
  const [loaded, setLoaded] = useState<{ of: LoadablePage; Page: ComponentType<PathProps> }>();
  const [isMissing, setIsMissing] = useState(false);
  useEffect(() => {
    if (typeof page === "function") return;
    let isWanted = true;
    setIsMissing(false);
    page.load().then(
      (Page) => isWanted && setLoaded({ of: page, Page }),
      () => isWanted && setIsMissing(true),
    );
    return () => {
      isWanted = false;
    };
  }, [page]);
  const Page = typeof page === "function" ? page : loaded?.of === page ? loaded.Page : undefined;
  if (Page !== undefined) return <Page key={rest.id} {...rest} />;
  if (!isMissing) return <p class="waiting">Loading the page …</p>;
  return (
    <main class="failure">
      <h1>This page could not be loaded</h1>
      <p>The service cannot be reached, or its version has changed.</p>
      <p>
        {/* A new document names the current scripts. */}
        <button type="button" onClick={() => window.location.reload()}>
          Reload
        </button>
      </p>
    </main>
  );
}
