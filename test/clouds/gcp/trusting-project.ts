import { GoogleProject } from "./project.ts";

/** As the service has it of an active connection. */
interface Access {
  organizationId: string;
  connectionId: string;
  identifiers: { cloud: "gcp"; gcp: Identifiers };
}

interface Identifiers {
  projectId: string;
  projectNumber: string;
  poolId: string;
  providerId: string;
  serviceAccountEmail: string;
}

/** It makes a project trusting a connection, as its setup script does, and the latter's access. */
export function trustingProject(
  issuer: string,
  { organizationId, connectionId }: Pick<Access, "organizationId" | "connectionId">,
  projectNumber = "123456789012",
): { project: GoogleProject; access: Access } {
  const name = `lossless-${connectionId.slice(-10)}`;
  const projectId = `project-${projectNumber}`;
  const account = `${name}@${projectId}.iam.gserviceaccount.com`;
  const subject = `org:${organizationId}:conn:${connectionId}`;
  const project = new GoogleProject(projectId, projectNumber);
  project.services.add("iamcredentials.googleapis.com");
  project.providers.set(`${name}/${name}`, {
    issuer,
    allowedAudiences: ["lossless"],
    attributeMapping: { "google.subject": "assertion.sub" },
    attributeCondition: `assertion.sub == '${subject}'`,
  });
  const pool = `projects/${projectNumber}/locations/global/workloadIdentityPools/${name}`;
  project.accounts.set(account, [
    {
      role: "roles/iam.serviceAccountTokenCreator",
      member: `principal://iam.googleapis.com/${pool}/subject/${subject}`,
    },
  ]);
  const member = `serviceAccount:${account}`;
  const condition = `resource.name.startsWith("projects/_/buckets/${name}-")`;
  const maker = `projects/${projectId}/roles/maker`;
  project.roles.set(maker, ["storage.buckets.create"]);
  project.bindings.push(
    { role: "roles/storage.admin", member, condition },
    { role: maker, member },
  );
  const gcp = {
    projectId,
    projectNumber,
    poolId: name,
    providerId: name,
    serviceAccountEmail: account,
  };
  const access = { organizationId, connectionId, identifiers: { cloud: "gcp" as const, gcp } };
  return { project, access };
}
