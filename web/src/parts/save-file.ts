/** A name that every system takes: what some of them do not is a hyphen. */
export function fileName(name: string, ending: string): string {
  return `${name.replaceAll(/[\p{Cc}"*/:<>?\\|]/gu, "-")}.${ending}`;
}

/** The browser has begun to read what it saves long before. */
const keptMs = 60_000;

/** Has the browser save what this page has made. It leaves the page as a download only. */
export function saveFile(name: string, file: Blob): void {
  const address = URL.createObjectURL(file);
  saveAddress(name, address);
  setTimeout(() => URL.revokeObjectURL(address), keptMs);
}

/**
 * Has the browser save what is at an address. One of another host opens beside this page, which
 * stays where it is whatever the other host answers.
 */
export function saveAddress(name: string, address: string): void {
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  if (new URL(address).origin !== window.location.origin) {
    link.target = "_blank";
    link.rel = "noopener noreferrer";
  }
  link.click();
}
