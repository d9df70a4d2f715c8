import { noPositionals, OptionValues } from "../../command.ts";
import { dataCommand, driverSettingsOf, serviceOptionsOf } from "../../data-location.ts";

export const rotateMaster = dataCommand({
  usage: "keys rotate-master [--old-master-key-file OLD --master-key-file NEW]",
  help: `
Changes the master key: seals every stored secret again. No service may run. If the command is interrupted, run it again.
Without files it replaces the key of the data directory by a new one.

  --old-master-key-file OLD   the key in use (LOSSLESS_MASTER_KEY_FILE; master.key in the data directory)
  --master-key-file NEW       the new key; it is made if the file does not exist`,
  options: {
    "old-master-key-file": { type: "string" },
    "master-key-file": { type: "string" },
  },
  async run(invocation) {
    noPositionals(invocation);
    const { values, environment, output } = invocation;
    const { rotateMasterKey } = await import("@lossless/server/operator/master-key-rotation");
    // Flags are left out: `--master-key-file` is the new key's, the service's own setting the old
    // one's.
    const service = await serviceOptionsOf(
      { values: new OptionValues({ config: values.text("config") }), environment },
      ["masterKeyFile"],
    );
    const rotation = await rotateMasterKey({
      ...(await driverSettingsOf(invocation)),
      oldMasterKeyFile: values.text("old-master-key-file") ?? service.masterKeyFile,
      masterKeyFile: values.text("master-key-file"),
    });
    const { file, keyId, resealed } = rotation;
    output.answer(
      rotation,
      () => `${resealed} secrets are sealed under the master key in ${file} (id ${keyId})`,
    );
  },
});
