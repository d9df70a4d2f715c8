/** Stands in place of a secret. */
const mask = "********";
/** Ours, and those of clouds and services whose keys have a form of their own. */
const secret = new RegExp(
  String.raw`\b(?:` +
    [
      String.raw`(?:ak|ik|at|as|sc|rt)_[0-9a-zA-Z]{40,64}`,
      String.raw`(?:AKIA|ASIA)[0-9A-Z]{16}`,
      String.raw`gh[pousr]_[0-9A-Za-z]{36,}|github_pat_[0-9A-Za-z_]{22,}|glpat-[0-9A-Za-z_-]{20,}`,
      String.raw`hf_[0-9A-Za-z]{30,}`,
      String.raw`sk-(?:proj-|ant-)?[0-9A-Za-z_-]{20,}`,
      String.raw`AIza[0-9A-Za-z_-]{35}|ya29\.[0-9A-Za-z_-]{20,}`,
      String.raw`xox[abprs]-[0-9A-Za-z-]{10,}`,
      String.raw`eyJ[0-9A-Za-z_-]{10,}\.eyJ[0-9A-Za-z_-]{10,}\.[0-9A-Za-z_-]{10,}`,
    ].join("|") +
    ")",
  "g",
);
/** A value that is named as a secret. */
const named =
  /((?:secret_access_key|account_?key|api_key|session_token|sas_?token|password|[?&]sig)["']?\s*[=:]\s*["']?)([^\s"'&,;]{8,})/gi;
/** Cheap signs that there may be one: most lines have none. */
const longWord = /\S{16}/;
const someName = /key|token|password|sig=/i;

/** Returns the text; what looks like a secret is replaced, as the Python client does it. */
export function masked(text: string): string {
  const unnamed = someName.test(text) ? text.replace(named, `$1${mask}`) : text;
  return longWord.test(unnamed) ? unnamed.replace(secret, mask) : unnamed;
}
