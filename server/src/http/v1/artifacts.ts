import { v1 } from "./v1.ts";

export const artifacts = v1({
  openArtifact({ caller: { organizationId }, query: { artifact }, body, served }) {
    return served.versions.open({ organizationId, artifact, ...body });
  },

  listArtifacts({ caller: { organizationId }, query: { under = "", after = null }, served }) {
    return served.storage.read("artifact.list", { organizationId, under, after });
  },
});
