/** Copies the words of the selected lines, without numbers, times and streams. */
export function copyLines(event: ClipboardEvent): void {
  const selection = document.getSelection();
  if (selection === null || selection.rangeCount === 0 || selection.isCollapsed) return;
  const selected = selection.getRangeAt(0);
  const inside: string[] = [];
  for (const words of (event.currentTarget as HTMLElement).querySelectorAll(".log-words")) {
    if (!selected.intersectsNode(words)) continue;
    const part = document.createRange();
    part.selectNodeContents(words);
    const { startContainer, startOffset, endContainer, endOffset } = selected;
    if (words.contains(startContainer)) part.setStart(startContainer, startOffset);
    if (words.contains(endContainer)) part.setEnd(endContainer, endOffset);
    inside.push(part.toString());
  }
  event.clipboardData?.setData("text/plain", inside.join("\n"));
  event.preventDefault();
}
