const variables = ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY"];
const thisMachine = "localhost,127.0.0.1,[::1],::1";

/**
 * Has what goes to the service and to stores go by the environment's proxies, as curl does and the
 * Python client, and past them to this machine itself. Whoever says NODE_USE_ENV_PROXY has decided.
 */
export async function followProxies(environment: NodeJS.ProcessEnv): Promise<void> {
  if (environment["NODE_USE_ENV_PROXY"] !== undefined) return;
  if (!variables.some((name) => environment[name])) return;
  const none = environment["no_proxy"] || environment["NO_PROXY"] || "";
  // Connections to stores read both (client/src/files/store-connections.ts).
  if (none.trim() !== "*")
    environment["no_proxy"] = none === "" ? thisMachine : `${none},${thisMachine}`;
  environment["NODE_USE_ENV_PROXY"] = "1";
  const { setGlobalProxyFromEnv } = await import("node:http");
  setGlobalProxyFromEnv(environment);
}
