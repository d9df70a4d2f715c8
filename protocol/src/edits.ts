import { limits } from "./limits.ts";
import { Annotation } from "./annotation.ts";
import {
  anyJson,
  assignedId,
  closedObject,
  jsonMeta,
  milliseconds,
  reference,
  text,
} from "./schema.ts";
import * as Type from "./type.ts";

/** Edits and notes that people make to an experiment recorded by a program. */

const path = Type.Array(Type.String(), {
  description:
    'Member names from the root of the meta: `["optimizer", "lr"]`. All but the last are those of objects that are ' +
    "there; a list is one value, changed as a whole.",
  minItems: 1,
  maxItems: limits.metaPathMax,
});

const description = (what: string) => text(0, limits.descriptionCharactersMax, what);

export const EditBody = closedObject("EditBody", {
  experimentId: reference("The experiment."),
  description: Type.Optional(
    closedObject("DescriptionEdit", {
      before: description("The text that the client saw, which is to be replaced."),
      after: description("The new text; may be empty."),
    }),
  ),
  meta: Type.Optional(
    Type.Array(
      closedObject("MetaEdit", {
        path,
        before: Type.Optional(anyJson("The value that the client saw; missing: none.")),
        after: Type.Optional(anyJson("The new value, kept digit by digit; missing: none.")),
      }),
      {
        description: "The rest of the meta stays unchanged.",
        maxItems: limits.metaEditsMax,
      },
    ),
  ),
});
export type EditBody = Type.Static<typeof EditBody>;

export const EditReply = closedObject("EditReply", {
  experimentId: assignedId("The experiment."),
  description: Type.String(),
  meta: jsonMeta("The current meta."),
  updatedAtMs: milliseconds("Server time of the edit; if it changed nothing, of the last change."),
});
export type EditReply = Type.Static<typeof EditReply>;

/** Body of a refused edit: the places of the edit at which another value stands now. */
export const PresentTexts = closedObject(
  "PresentTexts",
  {
    description: Type.Optional(Type.String()),
    meta: Type.Optional(
      Type.Array(
        closedObject("PresentMeta", {
          path: Type.Array(Type.String()),
          value: Type.Optional(anyJson("Missing: there is none.")),
        }),
      ),
    ),
  },
  { description: "With conflict: the current values that differ from those that the client saw." },
);
export type PresentTexts = Type.Static<typeof PresentTexts>;

export const NoteBody = closedObject("NoteBody", {
  experimentId: reference("The experiment."),
  messageId: text(
    1,
    limits.messageIdCharactersMax,
    "Of the caller's choice, best a UUID: the same one again in the experiment adds nothing.",
  ),
  annotation: text(1, limits.annotationCharactersMax, "The text."),
  step: Type.Optional(
    Type.Integer({
      description: "Its place on the axis of steps: `step` of its meta.",
      minimum: 0,
      maximum: limits.stepMax,
    }),
  ),
});
export type NoteBody = Type.Static<typeof NoteBody>;

export const NoteReply = closedObject("NoteReply", {
  experimentId: assignedId("The experiment."),
  annotationId: assignedId("Id of the annotation, also if it was stored before."),
  createdAtMs: milliseconds("Server time at which it was added."),
  deduplicated: Type.Boolean({ description: "True: it was stored before, with this messageId." }),
});
export type NoteReply = Type.Static<typeof NoteReply>;

export const newAnnotationsQuery = Type.Object({
  experimentId: reference("The experiment."),
  after: Type.Optional(reference("`next` of the reply before: only annotations added since.")),
  logged: Type.Optional(
    Type.Literal("omit", {
      description: "Leaves out media, texts and histograms that `logged-items` has.",
    }),
  ),
});

export const NewAnnotationsReply = closedObject("NewAnnotationsReply", {
  annotations: Type.Array(Annotation, { description: "Newest first, at most 100,000." }),
  truncated: Type.Boolean({ description: "True: there are older ones that are not listed." }),
  next: Type.String({ description: "For the next request; opaque." }),
});
export type NewAnnotationsReply = Type.Static<typeof NewAnnotationsReply>;
