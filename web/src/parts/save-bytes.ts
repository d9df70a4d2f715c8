/** Has the browser save bytes as a file. They leave the page as a download only. */
export function saveBytes(name: string, bytes: Uint8Array): void {
  const type = "application/octet-stream";
  const address = URL.createObjectURL(new Blob([bytes as Uint8Array<ArrayBuffer>], { type }));
  saveAddress(name, address);
  URL.revokeObjectURL(address);
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
