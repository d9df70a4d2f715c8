import type { Config } from "../settings/config.ts";
import { basePathOf } from "../ground/base-address.ts";
import { ConfigError } from "../settings/options.ts";
import { basePathProblem } from "./base-path.ts";
import type { HttpContext, Replies } from "./http-context.ts";
import { openApiText } from "./openapi.ts";
import { readWebFiles, webDirectory } from "./web/web-files.ts";

/** What all are answered alike, made once for the path below which they ask. */
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
