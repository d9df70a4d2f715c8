import { mlflow } from "./mlflow.ts";
import { printMessage } from "./print.ts";

/** The version of MLflow whose interface this is. */
const spoken = "3.17.2";

/** What anybody may ask: nothing of any organization. */
export const serverInfo = mlflow({
  mlflowVersion: async () => spoken,
  mlflowHealth: async () => "OK",
  mlflowServerInfo: async () =>
    printMessage({
      store_type: null,
      workspaces_enabled: false,
      multipart_uploads_enabled: false,
      multipart_downloads_enabled: false,
      trace_archival_enabled: false,
    }),
});
