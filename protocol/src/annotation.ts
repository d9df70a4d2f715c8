import * as Type from "./type.ts";
import { limits } from "./limits.ts";
import {
  assignedId,
  closedObject,
  experimentIdentity,
  jsonMeta,
  milliseconds,
  reference,
  text,
} from "./schema.ts";

export const AnnotateData = closedObject("AnnotateData", {
  experimentId: reference("Must equal the id in the URL."),
  annotation: text(1, limits.annotationCharactersMax, "The text."),
  meta: jsonMeta("Stored beside the text."),
});

const annotationId = assignedId("Assigned by the service.");
const createdAtMs = milliseconds("Server time at which it was added.");

export const AnnotatedData = closedObject("AnnotatedData", {
  experimentId: assignedId("The experiment."),
  annotationId,
  createdAtMs,
});

export const Annotation = closedObject("Annotation", {
  annotationId,
  annotation: Type.String(),
  meta: jsonMeta("As sent."),
  createdAtMs,
});
export type Annotation = Type.Static<typeof Annotation>;

export const AnnotationsQueryData = experimentIdentity("AnnotationsQueryData", {});

export const AnnotationsResultData = closedObject("AnnotationsResultData", {
  experimentId: assignedId("The experiment."),
  annotations: Type.Array(Annotation, { description: "Newest first, at most 100,000." }),
  truncated: Type.Boolean({ description: "True: there are older ones that are not listed." }),
});
