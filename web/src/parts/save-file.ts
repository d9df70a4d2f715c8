/** Lets the browser save what the page itself has made. */
export function saveFile(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // The browser has taken it when the click is over.
  setTimeout(() => URL.revokeObjectURL(address));
}
