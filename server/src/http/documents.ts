import type { Config } from "../settings/config.ts";
import { basePathOf } from "../ground/base-address.ts";
import { ConfigError } from "../settings/options.ts";
import { basePathProblem } from "./base-path.ts";
import type { HttpContext } from "./http-context.ts";
import { openApiText } from "./openapi.ts";
import type { Replies } from "./replies/made-replies.ts";
import { readWebFiles, webDirectory } from "./web/web-files.ts";

/**
 * Builds the replies that are the same for all clients, once for the base path of their requests.
 */
export function documentsOf(
  config: Pick<Config, "baseUrl" | "altBaseUrl">,
): Pick<HttpContext, "basePath"> & Pick<Replies, "openApi" | "web"> {
  const problem = basePathProblem(config);
  if (problem !== undefined) throw new ConfigError(problem);
  const basePath = config.baseUrl === undefined ? "" : basePathOf(config.baseUrl);
  return {
    basePath,
    openApi: openApiText(basePath),
    web: readWebFiles(webDirectory, basePath),
  };
}
