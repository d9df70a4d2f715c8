/** What an address says besides: which view it came from, and what is ticked at this moment. */
const ofTheMoment = ["view", "sel"];

/**
 * What is saved of a page's address. What the page shows without saying so, such as the query of a
 * built-in view, is written out.
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

/** Where a saved view is looked at: its own address, and which view it is. */
export function openedAddress({ id, address }: { id: string; address: string }): string {
  const url = read(address);
  url.searchParams.set("view", id);
  return addressOf(url);
}

/** Whether two addresses show the same. */
export function isSameAddress(one: string, other: string): boolean {
  return savedAddress(one) === savedAddress(other);
}

export function pathOf(address: string): string {
  return read(address).pathname;
}

function read(address: string): URL {
  return new URL(address, "http://own.invalid");
}

/** Where a parameter ends must be said by no character that an address may not have. */
function addressOf({ pathname, searchParams }: URL): string {
  return searchParams.size === 0 ? pathname : `${pathname}?${searchParams.toString()}`;
}
