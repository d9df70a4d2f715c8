const variables = ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY"];
const thisMachine = "localhost,127.0.0.1,[::1],::1";

/**
 * Sends requests to the service and to stores through the environment's proxies, as curl and the
 * Python client do, except to this machine. NODE_USE_ENV_PROXY, if set, takes precedence.
 */
export async function followProxies(environment: NodeJS.ProcessEnv): Promise<void> {
  if (environment["NODE_USE_ENV_PROXY"] !== undefined) return;
  if (!variables.some((name) => environment[name])) return;
  const none = environment["no_proxy"] || environment["NO_PROXY"] || "";
  // Connections to stores read both spellings (client/src/files/store-connections.ts).
  if (none.trim() !== "*")
    environment["no_proxy"] = none === "" ? thisMachine : `${none},${thisMachine}`;
  environment["NODE_USE_ENV_PROXY"] = "1";
  const { setGlobalProxyFromEnv } = await import("node:http");
  setGlobalProxyFromEnv(environment);
}
