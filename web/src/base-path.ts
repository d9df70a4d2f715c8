import { options } from "preact";

/**
 * The service may stand below a path of its host. Pages, links and what is kept of them name
 * addresses of ours, such as `/experiments`; here alone the path comes before one that goes to the
 * browser, and is taken off one that comes from there. No address of ours begins with it.
 */
export function placed(address: string): string {
  return address.startsWith("/") && !isBelow(address) ? base() + address : address;
}

export function unplaced(address: string): string {
  if (!isBelow(address)) return address;
  const rest = address.slice(base().length);
  return rest.startsWith("/") ? rest : `/${rest}`;
}

/** Whether this address of our host is one of the service, and not of what stands beside it. */
export function isBelow(address: string): boolean {
  const [path] = address.split(/[?#]/, 1);
  return path === base() || path.startsWith(`${base()}/`);
}

/** Where clients find the service, without a slash at its end. */
export function serviceUrl(): string {
  return window.location.origin + base();
}

/** To a document of its own. */
export function leaveTo(address: string): void {
  window.location.assign(placed(address));
}

/** From now on whatever is drawn as a link gets the path. */
export function placeLinks(): void {
  const before = options.vnode?.bind(options);
  options.vnode = (vnode) => {
    const { href } = vnode.props as { href?: unknown };
    if (vnode.type === "a" && typeof href === "string")
      Object.assign(vnode.props, { href: placed(href) });
    before?.(vnode);
  };
}

/** The document says it, where there is one: see the service's web-files.ts. */
function base(): string {
  return document.documentElement.dataset["base"] ?? "";
}
