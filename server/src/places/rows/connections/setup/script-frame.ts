import type { CloudName } from "../connection.ts";
import { issuerProblem } from "./issuer-reach.ts";
import { assignments, type SetupTerms } from "./script-terms.ts";

/**
 * The part of a script that only one cloud has: shell functions `look`, `say` and `change`.
 * `change` sets COMPLETE and BODY.
 */
export interface CloudSteps {
  /** The cloud's command line. */
  program: string;
  /** Address from which the program can be installed. */
  programUrl: string;
  functions: string;
}

/**
 * Returns a setup script: it inspects its target (`look`), announces its changes (`say`), asks,
 * makes them (`change`), and prints the identifiers that complete the connection. All code is in
 * functions, so that a script cut off in transfer does nothing; `| bash` works, because the script
 * asks the terminal and not its input.
 */
export function framed(cloud: CloudName, terms: SetupTerms, steps: CloudSteps): string {
  const problem = issuerProblem(cloud, terms.issuer);
  const isHttp = new URL(terms.issuer).protocol === "http:";
  return `#!/usr/bin/env bash
# Connects ${article(cloud)} to Lossless, without any lasting secret: the cloud learns to trust tokens
# of one issuer for one subject. A second run corrects what differs.
# With -y, or LOSSLESS_YES=1, it does not ask.
set -euo pipefail

${assignments(cloud, terms)}

${helpers}

${steps.functions.trim()}

main() {
  local word
  YES="\${LOSSLESS_YES:-}"
  for word in "$@"; do
    case "$word" in
      -y) YES=1 ;;
      *) stop "There is only -y, not $word." ;;
    esac
  done
  ${problem === null ? ":" : isHttp ? refusal(problem) : warning(problem)}
  command -v ${steps.program} >/dev/null || stop '${steps.program} is needed: ${steps.programUrl}'
  look
  say
  confirm
  change
  printf '\\nDone. Now tell Lossless, with\\n\\n  lossless connections complete %s %s --wait 120\\n' \\
    "$CONNECTION" "$COMPLETE"
  printf '\\nor with PUT %s/api/v1/connections?id=%s and the body\\n\\n  %s\\n' "$BASE_URL" "$CONNECTION" "$BODY"
}

main "$@" </dev/null
`;
}

/**
 * Returns a script that only refuses: its resources could never be used. Doubles of clouds take
 * http.
 */
function refusal(problem: string): string {
  return `if [ "\${LOSSLESS_ALLOW_HTTP_ISSUER:-}" != 1 ]; then stop '${problem} Nothing was changed.'; fi`;
}

function warning(problem: string): string {
  return `printf 'Warning: %s\\n\\n' '${problem}' >&2`;
}

function article(cloud: CloudName): string {
  return { aws: "an AWS account", gcp: "a Google Cloud project", azure: "an Azure subscription" }[
    cloud
  ];
}

const helpers = `stop() {
  printf '%s\\n' "$*" >&2
  exit 1
}

# Whether something is there. The first word is what the answer holds when it is not; any other failure ends the script.
is_there() {
  local missing="$1" answer
  shift
  if answer="$("$@" 2>&1 >/dev/null)"; then return 0; fi
  case "$answer" in
    *"$missing"*) return 1 ;;
  esac
  stop "$answer"
}

# New objects take a while until the whole cloud knows them.
patiently() {
  local try
  for try in 1 2 3 4 5; do
    if "$@"; then return 0; fi
    printf 'Once more in %s s.\\n' "$((try * 5))" >&2
    sleep "$((try * 5))"
  done
  "$@"
}

confirm() {
  local answer=''
  if [ "$YES" = 1 ]; then return 0; fi
  if ! (: </dev/tty) 2>/dev/null; then
    stop 'Nothing was changed: there is no terminal to ask on. Give -y (| bash -s -- -y) or LOSSLESS_YES=1.'
  fi
  printf 'Go on? [y/N] ' >/dev/tty
  read -r answer </dev/tty || true
  case "$answer" in
    y | Y | yes) ;;
    *) stop 'Nothing was changed.' ;;
  esac
}`;
