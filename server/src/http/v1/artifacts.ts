import type { RequestQuery } from "@lossless/protocol";
import type { ReaderPlace } from "../../artifacts/versions/record.ts";
import { endpointRoutes } from "../endpoint-routes.ts";

/** Artifacts and their versions. */
export const artifacts = endpointRoutes({
  openArtifact({ caller: { organizationId }, query: { artifact }, body, served }) {
    return served.versions.open({ organizationId, artifact, ...body });
  },

  listArtifacts({ caller: { organizationId }, query: { under = "", after = null }, served }) {
    return served.storage.read("artifact.list", { organizationId, under, after });
  },

  beginVersion({ caller: { organizationId }, query: { artifact, version }, body, served }) {
    return served.versions.begin({ organizationId, artifact, version, ...body });
  },

  resignUpload({ caller: { organizationId }, query, body: { epoch }, served }) {
    const { artifact, upload: uploadId } = query;
    return served.versions.resign({ organizationId, artifact, uploadId, epoch });
  },

  commitUpload({ caller: { organizationId }, query, body, served }) {
    const { artifact, upload: uploadId } = query;
    return served.versions.commit({ organizationId, artifact, uploadId, ...body });
  },

  readVersion({ caller: { organizationId }, query, served }) {
    const { artifact, version } = query;
    return served.versions.read({ organizationId, artifact, version, ...readerOf(query) });
  },

  listVersions({ caller: { organizationId }, query, served }) {
    const { artifact, after } = query;
    const input = { organizationId, artifact, after: after || null, ...readerOf(query) };
    return served.versions.list(input);
  },
});

function readerOf({ urls, cloud, region }: RequestQuery<"readVersion" | "listVersions">): {
  urls: boolean;
  place: ReaderPlace;
} {
  const place = {
    ...(cloud === undefined ? {} : { cloud }),
    ...(region === undefined ? {} : { region }),
  };
  return { urls: urls === "1", place };
}
