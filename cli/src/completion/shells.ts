/** A command as shells complete it. */
export interface CompletedCommand {
  /** One or two words. */
  words: string[];
  /** Free of quotes and control characters. */
  summary: string;
  /** Flags with their dashes. */
  flags: string[];
}

/** Completion scripts by shell. Words that are no command or option complete as files. */
export const shells = { bash, zsh, fish };

function bash(commands: CompletedCommand[]): string {
  const cases = commands.map(
    ({ words, flags }) => `    ${quoted(words.join(" "))}) words="${flags.join(" ")}" ;;`,
  );
  const groups = groupsOf(commands).map(
    ([first, seconds]) => `    ${quoted(first)}) words="${seconds.join(" ")}" ;;`,
  );
  return `# lossless completion bash
_lossless() {
  local current="\${COMP_WORDS[COMP_CWORD]}" first="\${COMP_WORDS[1]}" words=""
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="${firstWords(commands).join(" ")}"
  else
    local name="$first"
    case " ${groupsOf(commands)
      .map(([first]) => first)
      .join(" ")} " in
      *" $first "*) [ "$COMP_CWORD" -gt 2 ] && name="$first \${COMP_WORDS[2]}" ;;
    esac
    case "$first \${COMP_WORDS[2]}" in
      ${seconded(commands).map(quoted).join("|") || "''"}) [ "$COMP_CWORD" -gt 2 ] && name="$first \${COMP_WORDS[2]}" ;;
    esac
    case "$name" in
${[...groups, ...cases].join("\n")}
    esac
    # A word that begins no option is a file, once the command is whole.
    case "$current" in
      -*) ;;
      *) case "$words" in --*) COMPREPLY=( $(compgen -f -- "$current") ); compopt -o filenames 2> /dev/null; return ;; esac ;;
    esac
  fi
  COMPREPLY=( $(compgen -W "$words" -- "$current") )
}
complete -F _lossless lossless
`;
}

function zsh(commands: CompletedCommand[]): string {
  const first = firstWords(commands).map((word) =>
    quoted(word + described(summaryOf(commands, word))),
  );
  const groups = groupsOf(commands).map(([word, seconds]) => {
    const entries = seconds.map((second) =>
      quoted(second + described(summaryOf(commands, `${word} ${second}`))),
    );
    return `    ${quoted(word)}) words=(${entries.join(" ")}) ;;`;
  });
  const cases = commands.map(
    ({ words, flags }) => `    ${quoted(words.join(" "))}) words=(${flags.join(" ")}) ;;`,
  );
  const groupNames = groupsOf(commands).map(([word]) => word);
  return `#compdef lossless
# lossless completion zsh
_lossless() {
  local -a words_before=("\${words[@]}") groups=(${groupNames.join(" ")})
  local -a words
  if (( CURRENT == 2 )); then
    words=(${first.join(" ")})
    _describe 'command' words
    return
  fi
  local name="\${words_before[2]}"
  local -a seconded=(${seconded(commands).map(quoted).join(" ")})
  if (( CURRENT > 3 )) && { (( \${groups[(Ie)$name]} )) || (( \${seconded[(Ie)$name \${words_before[3]}]} )) }; then
    name="$name \${words_before[3]}"
  fi
  case "$name" in
${[...groups, ...cases].join("\n")}
  esac
  if [[ "\${words[1]}" == --* ]]; then
    if [[ "$PREFIX" == -* ]]; then compadd -- "\${words[@]}"; else _files; fi
  else
    _describe 'command' words
  fi
}
if [ "$funcstack[1]" = "_lossless" ]; then _lossless "$@"; else compdef _lossless lossless; fi
`;
}

function fish(commands: CompletedCommand[]): string {
  const lines = ["# lossless completion fish"];
  const before = (words: string): string => `-n ${quoted(words)}`;
  for (const word of firstWords(commands)) {
    const about = summaryOf(commands, word);
    lines.push(
      `complete -c lossless -f ${before("__fish_use_subcommand")} -a ${word}${aboutOf(about)}`,
    );
  }
  for (const [first, seconds] of groupsOf(commands)) {
    const isAlone = `__fish_seen_subcommand_from ${first}; and not __fish_seen_subcommand_from ${seconds.join(" ")}`;
    for (const second of seconds) {
      const about = summaryOf(commands, `${first} ${second}`);
      lines.push(`complete -c lossless -f ${before(isAlone)} -a ${second}${aboutOf(about)}`);
    }
  }
  for (const { words, flags } of commands) {
    const isIt = words.map((word) => `__fish_seen_subcommand_from ${word}`).join("; and ");
    for (const flag of flags)
      lines.push(`complete -c lossless ${before(isIt)} -l ${flag.slice(2)}`);
  }
  return `${lines.join("\n")}\n`;
}

function firstWords(commands: CompletedCommand[]): string[] {
  return [...new Set(commands.map(({ words: [first = ""] }) => first))];
}

/** Names of two words whose first is itself a command, which takes files. */
function seconded(commands: CompletedCommand[]): string[] {
  const names = commands.map(({ words }) => words.join(" "));
  return names.filter((name) => name.includes(" ") && names.includes(name.split(" ")[0]));
}

/** First words that require a second one, with their second words. */
function groupsOf(commands: CompletedCommand[]): [string, string[]][] {
  const groups = new Map<string, string[]>();
  const left = seconded(commands);
  for (const { words } of commands) {
    const [first = "", second] = words;
    if (second !== undefined && !left.includes(words.join(" ")))
      groups.set(first, [...(groups.get(first) ?? []), second]);
  }
  return [...groups];
}

function summaryOf(commands: CompletedCommand[], name: string): string | undefined {
  return commands.find(({ words }) => words.join(" ") === name)?.summary;
}

function described(summary: string | undefined): string {
  return summary === undefined ? "" : `:${summary.replaceAll(":", "\\:")}`;
}

function aboutOf(summary: string | undefined): string {
  return summary === undefined ? "" : ` -d ${quoted(summary)}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
