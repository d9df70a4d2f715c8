import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageDirectory } from "../../ground/package-directory.ts";

/** The colours of every page: web/src/theme.css imports them, too. */
const palette = readFileSync(join(packageDirectory, "src/http/sign-in/palette.css"), "utf8");

/** The look of all pages. It names no file or font, so that the policy can forbid any loading. */
export const style = `
${palette}* { box-sizing: border-box; }
html { background: var(--ground); color: var(--text); -webkit-text-size-adjust: 100%; }
body {
  margin: 0; min-height: 100vh; padding: 1.25rem; display: flex; flex-direction: column;
  align-items: center; justify-content: center;
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
}
main {
  width: 100%; max-width: 25rem; padding: 1.75rem; background: var(--card);
  border: 1px solid var(--line); border-radius: .75rem;
}
.brand { display: flex; align-items: center; gap: .5rem; margin: 0 0 1.5rem; font-weight: 600; }
.brand svg { color: var(--accent); flex: none; }
h1 { margin: 0 0 .75rem; font-size: 1.375rem; line-height: 1.25; font-weight: 650; letter-spacing: -.01em; }
p { margin: 0 0 1rem; overflow-wrap: anywhere; }
.soft { color: var(--soft); font-size: .9375rem; }
form { margin: 0; }
label { display: block; margin: 0 0 .375rem; font-weight: 550; }
input {
  width: 100%; margin: 0 0 1rem; padding: .625rem .75rem; font: inherit; color: inherit;
  background: var(--field); border: 1px solid var(--field-line); border-radius: .5rem;
}
input.code { font: 1.375rem/1.5 ui-monospace, Menlo, Consolas, monospace; letter-spacing: .12em; text-transform: uppercase; }
input.code::placeholder { color: var(--soft); opacity: .55; }
.hint { display: block; margin: -.625rem 0 1rem; color: var(--soft); font-size: .875rem; }
button {
  width: 100%; min-height: 2.75rem; padding: .5rem 1rem; font: inherit; font-weight: 600; cursor: pointer;
  color: var(--accent-text); background: var(--accent); border: 1px solid var(--accent); border-radius: .5rem;
}
a.button {
  display: block; padding: .5rem 1rem; text-align: center; text-decoration: none; font-weight: 600;
  color: var(--accent-text); background: var(--accent); border: 1px solid var(--accent); border-radius: .5rem;
}
a.button small { font-weight: 400; }
.or { margin: .75rem 0; text-align: center; color: var(--soft); }
button.plain { color: var(--text); background: transparent; border-color: var(--field-line); }
button:hover { filter: brightness(1.06); }
button.link {
  display: inline; width: auto; min-height: 0; padding: 0; font-weight: 400; color: var(--accent);
  background: none; border: 0; text-decoration: underline;
}
a { color: var(--accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.answers { display: flex; flex-wrap: wrap; gap: .75rem; margin-top: 1.25rem; }
.answers button { flex: 1 1 8rem; width: auto; }
.alert {
  margin: 0 0 1rem; padding: .625rem .75rem; color: var(--bad); background: var(--bad-ground);
  border: 1px solid currentColor; border-radius: .5rem;
}
dl { margin: 0 0 1rem; border-top: 1px solid var(--line); }
dl div { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1rem; padding: .5rem 0; border-bottom: 1px solid var(--line); }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
pre { overflow-x: auto; padding: .75rem 1rem; border: 1px solid var(--line); border-radius: .5rem; font: .875rem/1.5 ui-monospace, Menlo, Consolas, monospace; }
code { font: .9375em ui-monospace, Menlo, Consolas, monospace; }
.below { margin: 1.25rem 0 0; padding-top: 1rem; border-top: 1px solid var(--line); color: var(--soft); font-size: .9375rem; }
.below form { display: inline; }
@media (max-width: 24rem) { body { padding: .75rem; } main { padding: 1.25rem; } }
@media (forced-colors: active) {
  button, input, .alert { border: 1px solid; }
  button:not(.plain, .link) { forced-color-adjust: none; color: SelectedItemText; background: SelectedItem; }
}
`;

/** Hash of the style, the only one that the policy allows. */
export const styleSource = `'sha256-${createHash("sha256").update(style).digest("base64")}'`;
