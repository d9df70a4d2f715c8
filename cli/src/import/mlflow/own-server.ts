import type { Invocation } from "../../command.ts";
import { credentialOf } from "../../login/credential.ts";
import { MlflowServer } from "./mlflow-server.ts";

/** The service itself, by MLflow's interface. */
export function ownMlflowServer(invocation: Invocation): MlflowServer {
  const { url, credential, organization } = credentialOf(invocation);
  return new MlflowServer({
    url,
    authorization: async () => `Bearer ${await credential()}`,
    ...(organization !== undefined && { headers: { "x-svc-organization": organization } }),
  });
}
