import { useLayoutEffect, useRef, useState } from "preact/hooks";

/** The theme as a key: another one needs another plot, and paper has light colours. */
export function useTheme(): string {
  const queries = useRef(
    ["(prefers-color-scheme: dark)", "print"].map((query) => matchMedia(query)),
  );
  const themeNow = () => queries.current.map(({ matches }) => matches).join();
  const [theme, setTheme] = useState(themeNow);
  useLayoutEffect(() => {
    const changed = () => setTheme(themeNow());
    for (const query of queries.current) query.addEventListener("change", changed);
    return () => {
      for (const query of queries.current) query.removeEventListener("change", changed);
    };
  }, []);
  return theme;
}
