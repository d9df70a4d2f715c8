import type { ComponentChildren } from "preact";
import { Copy } from "../../../parts/copy.tsx";
import type { Service } from "../../../signed-in.ts";
import type { Source } from "./captured.ts";
import { Card } from "./card.tsx";
import { Diff } from "./diff.tsx";
import { FactList } from "./facts.tsx";
import { forgeOf, isCommitId, remoteText } from "./forge.ts";

/** Characters of a commit's id that are shown; the copied one is whole. */
const commitCharacters = 12;

/** The commit from which the run was started, and the difference from it. */
export function SourceCard({ service, source }: { service: Service; source: Source }) {
  const { remote, commit, branch, isDirty, diff, others } = source;
  const isKnown = [remote, commit, branch, isDirty, diff].some((fact) => fact !== undefined);
  if (!isKnown && others.length === 0) return null;
  const forge = remote === undefined ? undefined : forgeOf(remote);
  return (
    <Card title="Source">
      <FactList
        facts={[
          {
            name: "commit",
            content: commit && (
              <>
                <Outside href={isCommitId(commit) ? forge?.commit(commit) : undefined}>
                  <code title={commit}>{shownCommit(commit)}</code>
                </Outside>{" "}
                <Copy text={commit} label="copy" name="copy the commit" />
              </>
            ),
          },
          { name: "branch", content: branch && <bdi>{branch}</bdi> },
          {
            name: forge?.name ?? "remote",
            content: remote && (
              <Outside href={forge?.repository}>
                <bdi>{forge === undefined ? remoteText(remote) : pathOf(forge.repository)}</bdi>
              </Outside>
            ),
          },
          {
            name: "changes",
            content:
              isDirty !== undefined &&
              (isDirty ? "files differed from the commit" : "none since the commit"),
          },
          ...others.map(({ name, text }) => ({ name, content: <bdi>{text}</bdi> })),
        ]}
      />
      {diff !== undefined && <Diff service={service} diff={diff} />}
    </Card>
  );
}

function shownCommit(commit: string): string {
  return isCommitId(commit) ? commit.slice(0, commitCharacters) : commit;
}

/** A repository without the scheme and the host of its forge. */
function pathOf(repository: string): string {
  const { pathname } = new URL(repository);
  try {
    return decodeURI(pathname.slice(1));
  } catch {
    return pathname.slice(1);
  }
}

/** A link to another site, which learns nothing of ours; without an address only the words. */
function Outside({ href, children }: { href: string | undefined; children: ComponentChildren }) {
  if (href === undefined) return <>{children}</>;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}
