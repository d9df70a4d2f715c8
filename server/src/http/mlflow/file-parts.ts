import { endpoints } from "@lossless/protocol";
import type { FileName } from "../../artifacts/rows/mlflow/file.ts";
import { pathBehind } from "./files.ts";
import { checkPathLength, fileWords } from "./file-path.ts";
import { integer, invalid, list, message, required, text } from "./message.ts";
import { answered, type MlflowCall, mlflow } from "./mlflow.ts";

const upload = { path: required(text), upload_id: required(text) };

/** Files whose parts clients send straight to the bucket, and addresses that read from there. */
export const fileParts = mlflow({
  mlflowStartParts: answered({ path: required(text), num_parts: integer }, async (asked) => {
    const { num_parts: count = 1n } = asked.message;
    if (count < 1n) {
      throw invalid(
        `Invalid value ${count} for parameter 'num_parts' supplied: It must be a positive integer.`,
      );
    }
    const { parts } = asked.served.files;
    const { uploadId, addresses } = await parts.start(fileOf(asked, "Start"), Number(count));
    return {
      upload_id: uploadId,
      credentials: addresses.map(({ url, headers }, at) => {
        return { url, part_number: at + 1, headers };
      }),
    };
  }),

  mlflowCompleteParts: answered(
    { ...upload, parts: list(message({ part_number: required(integer), etag: text })) },
    async (asked) => {
      const { upload_id: uploadId, parts } = asked.message;
      const sent = parts.map(({ part_number: number, etag = "" }) => {
        return { number: Number(number), etag };
      });
      await asked.served.files.parts.complete({ ...fileOf(asked, "Complete"), uploadId }, sent);
      return {};
    },
  ),

  mlflowAbortParts: answered(upload, async (asked) => {
    const { upload_id: uploadId } = asked.message;
    await asked.served.files.parts.abort({ ...fileOf(asked, "Abort"), uploadId });
    return {};
  }),

  mlflowSignFile: answered({}, async ({ organizationId, target, served: { files } }) => {
    const served = pathBehind(fixedPart("mlflowSignFile"), target);
    const { url, bytes } = await files.address({ organizationId, ...served });
    return { url, headers: {}, file_size: bytes };
  }),
});

/**
 * Returns the file that a request means: the address names the folder, and the body the name on the
 * client's disk.
 */
function fileOf(
  { organizationId, target, message: { path } }: MlflowCall<typeof upload> | StartAsked,
  step: "Start" | "Complete" | "Abort",
): FileName {
  const { owner, path: folder } = pathBehind(fixedPart(`mlflow${step}Parts`), target);
  const [name] = fileWords(path.split(/[/\\]/).at(-1) ?? "");
  const whole = folder === "" ? name : `${folder}/${name}`;
  checkPathLength(whole);
  return { organizationId, owner, path: whole };
}

type StartAsked = MlflowCall<{ path: typeof upload.path }>;

function fixedPart(name: Exclude<keyof typeof fileParts, never>): string {
  return endpoints[name].path.replace("{path}", "");
}
