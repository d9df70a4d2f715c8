import { attachmentOf } from "../../ground/attachment.ts";
import { writeOne } from "../../storage/storage.ts";
import { endpointRoutes } from "../endpoint-routes.ts";

export const notes = endpointRoutes({
  /** Stores a note: any bytes, of any type. */
  async writeNote({ caller: { organizationId }, query: { artifact, note }, body, served }) {
    const input = { organizationId, artifact, note, content: body };
    await writeOne(served.storage, "note.write", input);
  },

  /** Sends a note, with headers by which no browser shows it as a page of ours (A41). */
  readNote({ caller: { organizationId }, query: { artifact, note }, served, reply }) {
    void reply.headers({
      "content-disposition": attachmentOf(note),
      "content-security-policy": "sandbox; default-src 'none'",
    });
    return served.storage.read("note.read", { organizationId, artifact, note });
  },
});
