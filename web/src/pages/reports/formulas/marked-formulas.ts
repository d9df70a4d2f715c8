/**
 * The first character of the code that stands for a formula in a line: a private one, which no
 * keyboard has.
 */
export const formulaSign = "\uE000";

/** A line that begins or ends a block of code. */
const fence = /^ {0,3}(`{3,}|~{3,})/;
/**
 * Code, which is left alone; `$`…`$` as on GitHub; and `$…$`, with no blank at its inner edges and
 * no digit behind it, so that prices stay what they are.
 */
const inLine =
  /(?<!\$)(`+)(?!`).*?(?<!`)\1(?!`)|\$`([^`]+)`\$|(?<![\\$\w])\$(?![\s$])((?:[^$\\`]|\\.)+?)(?<!\s)\$(?![\d$])/g;

/**
 * Marks formulas before Markdown is read, which would take their underscores and backslashes for
 * its own: those between `$$` on lines of their own become blocks of code, those in a line code.
 */
export function withMarkedFormulas(text: string): string {
  if (!text.includes("$")) return text;
  const lines: string[] = [];
  let open: string | undefined;
  for (const line of text.split("\n")) {
    const mark = fence.exec(line)?.[1];
    if (open === undefined && line.trim() === "$$") {
      open = "$$";
      lines.push("```math");
    } else if (open === "$$") {
      const isEnd = line.trim() === "$$";
      lines.push(isEnd ? "```" : line);
      if (isEnd) open = undefined;
    } else if (open !== undefined) {
      if (mark?.startsWith(open) && line.trim() === mark) open = undefined;
      lines.push(line);
    } else {
      const whole = /^\s*\$\$(.+)\$\$\s*$/.exec(line)?.[1];
      if (mark !== undefined) open = mark;
      if (whole !== undefined) lines.push("```math", whole, "```");
      else lines.push(mark === undefined ? marked(line) : line);
    }
  }
  return lines.join("\n");
}

function marked(line: string): string {
  return line.replaceAll(inLine, (all, _code: string, github?: string, plain?: string) => {
    const formula = github ?? plain;
    return formula === undefined ? all : `\`${formulaSign}${formula}\``;
  });
}
