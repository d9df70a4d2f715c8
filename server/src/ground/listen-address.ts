/** `http://host:port`, as far as an address is known: `0.0.0.0` is no address of anything. */
export function listenUrl(host: string, port: number): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/**
 * Returns a warning when the service listens everywhere without a configured name. The name is not
 * taken from the Host header: the issuer of sign-ins has to be constant (RFC 8414), and every
 * process has to sign the same addresses.
 */
export function namelessWarning(bound: string, baseUrl: string | undefined): string | undefined {
  if (baseUrl !== undefined || (bound !== "0.0.0.0" && bound !== "::")) return undefined;
  return (
    `The service listens on every address (${bound}) and has no --base-url: links, signed addresses of the ` +
    "built-in location and the sign-in of the command line work on this machine alone, and requests under a " +
    "name (not an IP address) other than localhost are refused with 421. " +
    "Set --base-url to the address that clients use, and have a proxy in front pass the Host header on."
  );
}

/**
 * Returns a warning about a token issuer's address (`--issuer-url`, or else the base URL) that AWS
 * would refuse. A base URL of http is refused by every cloud; the setup scripts report that.
 */
export function issuerPortWarning({
  issuerUrl,
  baseUrl,
}: {
  issuerUrl: string | undefined;
  baseUrl: string | undefined;
}): string | undefined {
  const address = issuerUrl ?? (baseUrl?.startsWith("https:") === true ? baseUrl : undefined);
  if (address === undefined || new URL(address).port === "") return undefined;
  return (
    `The token issuer's address ${address} has a port, which AWS does not accept: connections to AWS accounts fail. ` +
    "Publish its two documents at an https address without a port, and name it by --issuer-url (lossless issuer export DIR)."
  );
}
