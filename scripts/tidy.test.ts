import assert from "node:assert/strict";
import { test } from "node:test";
import { plantedTree } from "./planted.ts";
import { checks, faultsOf } from "./tidy.ts";
import { readTree, type Tree } from "./tidy/tree.ts";

/** Names of rules, composed so that this file does not seem to name them. */
const [first, second, third] = [1, 2, 3].map((number) => `M${number}`);
const rules = (...rows: string[]) => `# Rules\n\n${rows.map((row) => `| ${row} |\n`).join("")}`;

/** A small repository in which every check has something to read and nothing to report. */
const sound: Record<string, string> = {
  "package.json": '{ "scripts": { "test": "node scripts/run.ts" } }\n',
  "README.md":
    "# Title\n\nRun `npm test`. See [docs](docs/a.md#second-part).\n\n```sh\n# not a title\n```\n",
  "docs/a.md": "# Other\n\n## Second part\n",
  "docs/rules.md": rules(`${first} | It holds. | \`test/a.test.ts\``),
  "scripts/run.ts": 'import "../server/src/ground/open.ts";\nimport "../protocol/src/errors.ts";\n',
  "server/src/ground/open.ts":
    'import { limits } from "@lossless/protocol/limits";\nexport const x = limits.countMax;\n',
  "protocol/src/limits.ts": "export const limits = {\n  countMax: 3,\n} as const;\n",
  "server/src/ground/things.fixture.ts": "",
  "server/src/ground/open.test.ts": 'import "./things.fixture.ts";\n',
  "protocol/src/errors.ts":
    'import "./limits.ts";\nexport const errors = {\n  not_found: {\n    status: 404,\n  },\n} as const;\n',
  "python/tests/script.py": `a = """\n${"b".repeat(101)}\n"""\n`,
  "web/src/theme.css":
    "@media print {\n  a,\n  :is(b, i) {\n    color: red;\n  }\n}\n.menu > div {\n}\n",
  "web/src/pages/a.css":
    "/* .b */\n.a .menu,\n.a:is(.x, :not(.y, b)) i {\n  width: 0.5rem;\n}\n:root {\n}\n",
  "test/a.test.ts": `import "../protocol/src/errors.ts";\nexport const expected = "not_found"; // ${first}\n`,
};

const unfinished = `TO${"DO"}`;
const skipped = `test.${"skip"}("x");`;
const at = (directory: string) => `// ${"/"}${directory}/someone/thing\n`;
const url = `https:${"//"}registry.example/x`;

/** For each check: planted files, and the reported fault. */
const faults: [planted: Record<string, string>, reported: string][] = [
  [
    { "server/src/ground/utils.test.ts": "" },
    "server/src/ground/utils.test.ts: a name that says nothing",
  ],
  [
    { "server/src/ground/token-manager.test.ts": "" },
    "server/src/ground/token-manager.test.ts: a name that says nothing",
  ],
  [
    { "server/src/ground/common/a.test.ts": "" },
    "server/src/ground/common: a name that says nothing",
  ],
  [{ "docs/a.md": `${sound["docs/a.md"]}${unfinished}: more\n` }, "docs/a.md:4: unfinished work"],
  [
    { "server/src/ground/open.test.ts": "class A {\n  private readonly a = 1;\n}\n" },
    "server/src/ground/open.test.ts:2: `private` in place of #name",
  ],
  [
    { "server/src/ground/open.test.ts": `/** ${"c".repeat(101)} */\n` },
    "server/src/ground/open.test.ts:1: more than 100 columns",
  ],
  [{ "test/b.test.ts": skipped }, "test/b.test.ts:1: a test that does not run"],
  [
    {
      "scripts/run.ts": `${sound["scripts/run.ts"]}import "../client/src/a.ts";\n`,
      "client/src/a.ts": "let open = 0;\n",
    },
    "client/src/a.ts:1: module-level mutable state",
  ],
  [{ "test/b.test.ts": at("home") }, "test/b.test.ts:1: a path of somebody's machine"],
  [{ "test/b.test.ts": at("tmp") }, "test/b.test.ts:1: a path of somebody's machine"],
  [
    { "web/src/a.test.ts": 'import "./a.tsx";\n', "web/src/a.tsx": 'fetch("/api/v1/sessions");\n' },
    "web/src/a.tsx:1: an address that web/src/base-path.ts does not place",
  ],
  [{ ".npmrc": url }, ".npmrc:1: the address of a registry"],
  [
    { "package-lock.json": `"resolved": ${'"https:'}//x.example/a.tgz"` },
    "package-lock.json:1: the address of a registry",
  ],
  [
    {
      "server/src/ground/dead.ts": 'import "./also-dead.ts";',
      "server/src/ground/also-dead.ts": 'import "./dead.ts";',
    },
    "server/src/ground/dead.ts: nothing uses this file",
  ],
  [
    {
      "server/src/ground/idle.ts": "",
      "server/src/ground/idle.test.ts": 'import "./idle.ts";\n',
    },
    "server/src/ground/idle.ts: only tests use this file",
  ],
  [
    {
      "test/b.test.ts": 'import type { C } from "./c.ts";\nexport type B = 1;\n',
      "test/c.ts": 'export const later = () => import("./d.ts");\nexport type C = 1;\n',
      "test/d.ts": 'import type {\n  B,\n} from "./b.test.ts";\n',
    },
    "test/b.test.ts: in a circle of imports with test/c.ts, test/d.ts",
  ],
  [
    {
      "python/src/lossless/_ground/a.py": "from . import b as own, c\n",
      "python/src/lossless/_ground/b.py": "",
      "python/src/lossless/_ground/c.py":
        "if TYPE_CHECKING:\n    from .d import (\n        D,\n        E,\n    )\n",
      "python/src/lossless/_ground/d.py": "def d():\n    from .._ground.a import A\n",
    },

    "python/src/lossless/_ground/a.py: in a circle of imports with " +
      "python/src/lossless/_ground/c.py, python/src/lossless/_ground/d.py",
  ],
  [
    {
      "server/src/ground/open.test.ts": 'import "./up.ts";\nimport "../points/chunk.ts";\n',
      "server/src/ground/up.ts": 'export * from "../points/chunk.ts";\n',
      "server/src/points/chunk.ts": "",
    },
    "server/src/ground/up.ts: ground does not import points: it is on no lower floor",
  ],
  [
    {
      "python/src/lossless/_service/a.py":
        '"""\nimport lossless\n"""\nfrom .._ground.b import B\nfrom ..wire import B\n' +
        "def later():\n    from .._spool import c\n",
      "python/src/lossless/_ground/b.py": "",
      "python/src/lossless/_spool/c.py": "",
      "python/src/lossless/wire.py": "",
    },

    "python/src/lossless/_service/a.py: _service does not import python/src/lossless/_spool/c.py",
  ],
  [
    {
      "python/src/lossless/_wandb/a.py": 'import_module("..integrations.b", __package__)\n',
      "python/src/lossless/integrations/b.py": "import lossless._wandb.a\n",
    },

    "python/src/lossless/integrations/b.py: integrations does not import python/src/lossless/_wandb/a.py",
  ],
  [
    { "python/src/lossless/_late.py": "" },
    "python/src/lossless/_late.py: belongs into a package of its kind",
  ],
  [{ "docs/b.md": "# One\n\n# Two\n" }, "docs/b.md: 2 titles, there must be exactly one"],
  [{ "docs/b.md": "## None\n" }, "docs/b.md: 0 titles, there must be exactly one"],
  [
    { "docs/b.md": "# B\n\n[x](missing.md)\n" },
    "docs/b.md:3: a link that leads nowhere: missing.md",
  ],
  [
    { "docs/b.md": "# B\n\n[x](a.md#third-part)\n" },
    "docs/b.md:3: a link that leads nowhere: a.md#third-part",
  ],
  [
    { "CONTRIBUTING.md": "# C\n\n`npm run load`\n" },
    "CONTRIBUTING.md:3: no such script in package.json: load",
  ],
  [
    { "test/a.test.ts": 'import "../protocol/src/errors.ts";\n' },
    "protocol/src/errors.ts: no suite under test/ names the code not_found",
  ],
  [
    { "server/src/ground/open.ts": 'import "@lossless/protocol/limits";\n' },
    "protocol/src/limits.ts: nothing reads the limit countMax",
  ],
  [
    { "server/src/ground/open.test.ts": "/** Of the service. */\n" },
    'server/src/ground/open.test.ts:1: a comment that begins with "Of"',
  ],
  [
    { "server/src/ground/open.test.ts": `const x = 1; //${" Of"} the service.\n` },
    'server/src/ground/open.test.ts:1: a comment that begins with "Of"',
  ],
  [
    { "server/src/ground/open.test.ts": `const x = 1; // ${"So"} many of them.\n` },
    'server/src/ground/open.test.ts:1: a comment that begins with "So many"',
  ],
  [
    {
      "server/src/ground/open.ts": `/** ${"They"} are open. */\n${sound["server/src/ground/open.ts"]}`,
    },
    'server/src/ground/open.ts:1: a comment that begins with "They"',
  ],
  [
    {
      "server/src/ground/open.ts":
        `/** ${"What"} it is. */\n`.repeat(21) + sound["server/src/ground/open.ts"],
    },
    '21 comments begin with "What": at most 20',
  ],
  [
    { "test/c.test.ts": `// ${"What"} it is.\n`.repeat(21) },
    '21 comments begin with "What": at most 20',
  ],
  [
    { "python/tests/a.py": `x = 1  #${" Of"} the service.\n` },
    'python/tests/a.py:1: a comment that begins with "Of"',
  ],
  [
    { "python/tests/a.py": 'class A:\n    """\n    Of the service.\n    """\n' },
    'python/tests/a.py:3: a comment that begins with "Of"',
  ],
  [
    { "python/tests/a.py": `def a():\n    """\n    A.\n    ${"b".repeat(97)}\n    """\n` },
    "python/tests/a.py:4: more than 100 columns",
  ],
  [
    { "python/tests/a.py": `a = """\n${"b".repeat(101)}\n"""\n# ${"c".repeat(99)}\n` },
    "python/tests/a.py:4: more than 100 columns",
  ],
  [
    { "docs/a.md": `# A\n\nSee ${second}.\n` },
    `docs/a.md: the rule ${second} is not in docs/rules.md`,
  ],
  [
    { "test/b.test.ts": `/**\n * What ${first}\n * to ${third} say.\n */\n` },
    `test/b.test.ts: the rule ${second} is not in docs/rules.md`,
  ],
  [
    { "docs/rules.md": rules(`${second} | It holds. | \`test/a.test.ts\``) },
    `docs/rules.md:3: no source and no test names ${second}`,
  ],
  [
    {
      "docs/rules.md": rules(`${second} | It holds. | \`x\``, `${first} | It holds. | \`x\``),
    },
    `docs/rules.md:4: ${first} stands behind ${second}`,
  ],
  [
    { "docs/rules.md": rules(`${first} | It holds. | nothing`) },
    `docs/rules.md:3: no test shows ${first}`,
  ],
  [
    { "docs/rules.md": rules(`${first} | It holds. | \`test/gone.test.ts\``) },
    "docs/rules.md:3: test/gone.test.ts is no test",
  ],
  [
    { "docs/rules.md": rules(`${first} | It holds. | \`server/src/ground/open.test.ts\``) },
    `docs/rules.md:3: server/src/ground/open.test.ts does not name ${first}`,
  ],
  [
    { "docs/rules.md": rules(`${first} | It holds. | \`test/a.test.ts\` "all is well"`) },
    'docs/rules.md:3: test/a.test.ts does not hold the words "all is well"',
  ],
  [
    { "web/src/pages/b.css": ".b p,\n.menu.of-b {\n}\n" },
    "web/src/theme.css:7: .menu is defined in web/src/pages/b.css, too",
  ],
  [
    { "web/src/pages/b.css": ".b {\n  color: red;\n}\n\n.b .a {\n}\n" },
    "web/src/pages/b.css:5: .a belongs to web/src/pages/a.css",
  ],
  [
    { "web/src/pages/b.css": ".b,\nselect {\n}\n" },
    "web/src/pages/b.css:1: select is no class: elements are for web/src/theme.css",
  ],
  [
    {
      "test/a.test.ts":
        'const gone =\n  "const \\"x\\"";\nkill({ file: "server/src/ground/open.ts", before: gone });\n',
    },
    'test/a.test.ts: server/src/ground/open.ts has 0 places for a fault, not one: const "x"',
  ],
];

/** A tree as read from a directory. */
function treeWith(planted: Record<string, string>): Tree {
  return new Map(Object.entries({ ...sound, ...planted }).sort(([a], [b]) => (a < b ? -1 : 1)));
}

test("a sound repository has no faults", async () => {
  await using tree = await plantedTree(sound);
  const read = await readTree(tree.directory);
  assert.deepEqual(new Map([...read].sort(([a], [b]) => (a < b ? -1 : 1))), treeWith({}));
  assert.deepEqual(faultsOf(read), []);
});

for (const [planted, reported] of faults) {
  test(`reports ${reported}`, () => {
    const found = faultsOf(treeWith(planted));
    assert.ok(found.includes(reported), found.join("\n"));
  });
}

test("every check is proven by a planted fault", () => {
  const trees = faults.map(([planted]) => treeWith(planted));
  const silent = checks.filter((check) => trees.every((tree) => check(tree).length === 0));
  assert.deepEqual(
    silent.map(({ name }) => name),
    [],
  );
});
