/** Addresses of a repository's pages, where its remote is a known forge. */

export interface Forge {
  name: string;
  /** The page of the repository. */
  repository: string;
  /** The page of a commit. */
  commit: (id: string) => string;
}

/** Returns the forge of a remote, over https or ssh; undefined: it is none that is known. */
export function forgeOf(remote: string): Forge | undefined {
  const place = placeOf(remote);
  if (place === undefined) return undefined;
  return azure(place) ?? bitbucketServer(place) ?? plain(place);
}

/** A remote without the credentials that one may have written into it. */
export function remoteText(remote: string): string {
  return remote.replace(/^(\w[\w+.-]*:\/\/)[^/@]*@/, "$1");
}

/** Whether a text is the id of a commit, which is safe in an address. */
export function isCommitId(text: string): boolean {
  return /^[0-9a-f]{7,64}$/i.test(text);
}

interface Place {
  /** With its scheme, and its port where pages have one. */
  origin: string;
  host: string;
  /** The parts of the path, encoded for an address. */
  path: string[];
}

/** `https://host/path`, `ssh://git@host:22/path`, `git@host:path`. */
function placeOf(remote: string): Place | undefined {
  const text = remote.trim();
  const [, scpHost, scpPath] = /^(?:[^\s/@:]+@)?([\w.-]+):(?!\/\/)(\S+)$/.exec(text) ?? [];
  const url = URL.parse(scpHost === undefined ? text : `ssh://${scpHost}/${scpPath}`);
  if (url === null || url.hostname === "") return undefined;
  const { protocol, port, pathname } = url;
  const hostname = url.hostname.toLowerCase();
  const isWeb = protocol === "https:" || protocol === "http:";
  if (!isWeb && !/^(?:git\+)?(?:ssh|git|https):$/.test(protocol)) return undefined;
  // Pages of a forge that is reached by ssh are at the usual port, whatever that of ssh is.
  const origin = isWeb ? `${protocol}//${hostname}${port && `:${port}`}` : `https://${hostname}`;
  const path = pathname
    .replace(/\/+$/, "")
    .replace(/\.git$/, "")
    .split("/")
    .filter(Boolean);
  return path.length === 0 ? undefined : { origin, host: hostname, path: path.map(encoded) };
}

/** Encodes a part of a path that may be encoded already. */
function encoded(part: string): string {
  try {
    return encodeURIComponent(decodeURIComponent(part));
  } catch {
    return encodeURIComponent(part);
  }
}

/** Hosts whose path is that of the repository's page, with the words before a commit's id. */
const plainForges: readonly [name: string, host: RegExp, commit: string][] = [
  ["GitHub", /^(?:(?:www|ssh)\.)?github\.com$|^github\.(?!com\.)/, "commit"],
  ["GitLab", /^(?:altssh\.)?gitlab\.com$|^gitlab\.(?!com\.)/, "-/commit"],
  ["Bitbucket", /^(?:altssh\.)?bitbucket\.org$/, "commits"],
  ["Codeberg", /^codeberg\.org$/, "commit"],
  ["Gitea", /^(?:gitea|forgejo)\./, "commit"],
  ["SourceHut", /^git\.sr\.ht$/, "commit"],
  ["Hugging Face", /^(?:hf\.co|huggingface\.co)$/, "commit"],
];

function plain({ origin, host, path }: Place): Forge | undefined {
  const found = plainForges.find(([, pattern]) => pattern.test(host));
  if (found === undefined || path.length < 2) return undefined;
  const [name, , word] = found;
  const page = origin.replace(/\/\/(?:alt)?ssh\./, "//");
  const repository = `${page}/${path.join("/")}`;
  return { name, repository, commit: (id) => `${repository}/${word}/${id}` };
}

/** `dev.azure.com/O/P/_git/R`, `O.visualstudio.com/P/_git/R`, and `…:v3/O/P/R` over ssh. */
function azure({ host, path }: Place): Forge | undefined {
  const [, own] = /^([\w-]+)\.visualstudio\.com$/.exec(host) ?? [];
  const isSsh = host === "ssh.dev.azure.com" || host === "vs-ssh.visualstudio.com";
  if (host !== "dev.azure.com" && !isSsh && own === undefined) return undefined;
  const at = path.indexOf("_git");
  const above = own === undefined || isSsh ? [] : [own];
  const parts = isSsh
    ? path.slice(path[0] === "v3" ? 1 : 0)
    : [...above, ...path.slice(0, at).filter((part) => part !== "DefaultCollection")];
  const repositoryName = isSsh ? parts.pop() : path[at + 1];
  if (repositoryName === undefined || parts.length === 0 || (!isSsh && at === -1)) return undefined;
  // A project of the same name may be left out.
  const [organization, project = repositoryName] = parts;
  const repository = `https://dev.azure.com/${organization}/${project}/_git/${repositoryName}`;
  return { name: "Azure DevOps", repository, commit: (id) => `${repository}/commit/${id}` };
}

/** `https://bitbucket.…/scm/P/R`, or the same over ssh without `scm`. */
function bitbucketServer({ origin, host, path }: Place): Forge | undefined {
  if (!/^(?:bitbucket|stash)\./.test(host) || host === "bitbucket.org") return undefined;
  const [project, name] = path[0] === "scm" ? path.slice(1) : path;
  if (project === undefined || name === undefined) return undefined;
  const owner = project.startsWith("~") ? `users/${project.slice(1)}` : `projects/${project}`;
  const repository = `${origin}/${owner}/repos/${name}`;
  return { name: "Bitbucket", repository, commit: (id) => `${repository}/commits/${id}` };
}
