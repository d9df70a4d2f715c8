/** Parameters that are not saved: the view that the address came from, and what is ticked. */
const ofTheMoment = ["view", "sel"];

/**
 * The part of a page's address that is saved. Values that the page implies, such as the query of a
 * built-in view, are written out.
 */
export function savedAddress(
  address: string,
  implied: Readonly<Record<string, string>> = {},
): string {
  const url = read(address);
  for (const [name, value] of Object.entries(implied))
    if (!url.searchParams.has(name) && value !== "") url.searchParams.set(name, value);
  for (const name of ofTheMoment) url.searchParams.delete(name);
  url.searchParams.sort();
  return addressOf(url);
}

/** The address of a saved view: its own, with the view's id. */
export function openedAddress({ id, address }: { id: string; address: string }): string {
  const url = read(address);
  url.searchParams.set("view", id);
  return addressOf(url);
}

/** Whether two addresses show the same content. */
export function isSameAddress(one: string, other: string): boolean {
  return savedAddress(one) === savedAddress(other);
}

export function pathOf(address: string): string {
  return read(address).pathname;
}

function read(address: string): URL {
  return new URL(address, "http://own.invalid");
}

/** Writes the address so that its end is unambiguous: every special character is escaped. */
function addressOf({ pathname, searchParams }: URL): string {
  return searchParams.size === 0 ? pathname : `${pathname}?${searchParams.toString()}`;
}
