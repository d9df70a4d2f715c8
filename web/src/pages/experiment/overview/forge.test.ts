import assert from "node:assert/strict";
import { test } from "node:test";
import { forgeOf, isCommitId, remoteText } from "./forge.ts";

const id = "0123abc";
const linked = (remote: string) => {
  const forge = forgeOf(remote);
  return forge && [forge.name, forge.repository, forge.commit(id)];
};

for (const [name, repository, commit, remotes] of [
  [
    "GitHub",
    "https://github.com/karpathy/nanoGPT",
    `/commit/${id}`,
    [
      "https://github.com/karpathy/nanoGPT.git",
      "https://github.com/karpathy/nanoGPT/",
      "https://ada:secret@github.com/karpathy/nanoGPT.git",
      "git@github.com:karpathy/nanoGPT.git",
      "GitHub.com:karpathy/nanoGPT",
      "ssh://git@github.com/karpathy/nanoGPT.git",
      "ssh://git@ssh.github.com:443/karpathy/nanoGPT.git",
      "git://github.com/karpathy/nanoGPT.git",
      "git+ssh://git@github.com/karpathy/nanoGPT",
    ],
  ],
  [
    "GitHub",
    "https://github.acme.com/ml/train",
    `/commit/${id}`,
    ["git@github.acme.com:ml/train.git"],
  ],
  [
    "GitLab",
    "https://gitlab.com/group/sub/repo",
    `/-/commit/${id}`,
    ["git@gitlab.com:group/sub/repo.git", "ssh://git@altssh.gitlab.com:443/group/sub/repo.git"],
  ],
  [
    "GitLab",
    "http://gitlab.lan:8080/ml/repo",
    `/-/commit/${id}`,
    ["http://gitlab.lan:8080/ml/repo"],
  ],
  [
    "GitLab",
    "https://gitlab.lan/ml/repo",
    `/-/commit/${id}`,
    ["ssh://git@gitlab.lan:2222/ml/repo.git"],
  ],
  [
    "Bitbucket",
    "https://bitbucket.org/team/repo",
    `/commits/${id}`,
    ["git@bitbucket.org:team/repo.git", "https://ada@bitbucket.org/team/repo.git"],
  ],
  [
    "Bitbucket",
    "https://bitbucket.acme.com/projects/ML/repos/train",
    `/commits/${id}`,
    [
      "https://bitbucket.acme.com/scm/ML/train.git",
      "ssh://git@bitbucket.acme.com:7999/ML/train.git",
    ],
  ],
  [
    "Bitbucket",
    "https://stash.lan/users/ada/repos/x",
    `/commits/${id}`,
    ["https://stash.lan/scm/~ada/x.git"],
  ],
  ["Codeberg", "https://codeberg.org/ada/repo", `/commit/${id}`, ["git@codeberg.org:ada/repo.git"]],
  [
    "Gitea",
    "https://gitea.lan:3000/ada/repo",
    `/commit/${id}`,
    ["https://gitea.lan:3000/ada/repo.git"],
  ],
  [
    "SourceHut",
    "https://git.sr.ht/~ada/repo",
    `/commit/${id}`,
    ["git@git.sr.ht:~ada/repo", "https://git.sr.ht/~ada/repo"],
  ],
  [
    "Azure DevOps",
    "https://dev.azure.com/acme/My%20project/_git/repo",
    `/commit/${id}`,
    [
      "https://dev.azure.com/acme/My%20project/_git/repo",
      "https://acme@dev.azure.com/acme/My%20project/_git/repo",
      "https://acme.visualstudio.com/My%20project/_git/repo",
      "https://acme.visualstudio.com/DefaultCollection/My%20project/_git/repo",
      "git@ssh.dev.azure.com:v3/acme/My%20project/repo",
      "acme@vs-ssh.visualstudio.com:v3/acme/My%20project/repo",
    ],
  ],
  [
    "Azure DevOps",
    "https://dev.azure.com/acme/repo/_git/repo",
    `/commit/${id}`,
    ["https://dev.azure.com/acme/_git/repo"],
  ],
] as const)
  for (const remote of remotes)
    test(`${remote} is ${repository}`, () =>
      assert.deepEqual(linked(remote), [name, repository, repository + commit]));

for (const remote of [
  "https://example.com/a/b.git",
  "git@git.acme.com:ml/train.git",
  "https://notgithub.com/a/b",
  "https://github.com.evil.org/a/b",
  "https://github.com",
  "https://github.com/only",
  "/srv/git/repo.git",
  "file:///srv/git/repo.git",
  "javascript:alert(1)//github.com/a/b",
  "C:\\repo",
  "",
])
  test(`${remote || "no remote"} has no page`, () => assert.equal(linked(remote), undefined));

test("a remote is shown without its credentials", () => {
  const shown = "https://github.com/a/b.git";
  assert.equal(remoteText("https://ada:secret@github.com/a/b.git"), shown);
  assert.equal(remoteText("https://token@github.com/a/b.git"), shown);
  assert.equal(remoteText("ssh://git@github.com/a/b"), "ssh://github.com/a/b");
  assert.equal(remoteText("git@github.com:a/b.git"), "git@github.com:a/b.git");
});

test("only an id of a commit comes into an address", () => {
  for (const text of [id, "F".repeat(40), "0".repeat(64)]) assert.ok(isCommitId(text), text);
  for (const text of ["", "main", "0123ab", "0123abc/../..", `${id}?x`, "0".repeat(65)])
    assert.ok(!isCommitId(text), text);
});
