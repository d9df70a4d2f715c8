import { crumbsOf } from "./artifact-address.ts";

/** Links to the folders that lead to an artifact, or into a folder. */
export function Crumbs({ path }: { path: string }) {
  return (
    <nav class="crumbs" aria-label="Folders above">
      <ol>
        {crumbsOf(path).map(({ word, address }) => (
          <li key={address}>
            <a href={address}>{word}</a>
          </li>
        ))}
      </ol>
    </nav>
  );
}
