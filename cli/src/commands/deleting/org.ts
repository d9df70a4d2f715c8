import { noPositionals } from "../../command.ts";
import { clientOf, serviceCommand } from "../../connection.ts";
import { printable } from "../../output.ts";

export const org = serviceCommand({
  usage: "org",
  help: `
Shows the organization, and whether it has a fallback location, without which no artifact can be stored.
`,
  async run(invocation) {
    noPositionals(invocation);
    const view = await clientOf(invocation).organization.view();
    invocation.output.answer(view, () => {
      const active = view.locations.filter(({ state }) => state === "active").length;
      return [
        `${printable(view.name)}  ${view.orgId}`,
        `${active} active locations, ${view.connections.length} connections`,
        view.ready ? "artifacts can be stored" : "artifacts cannot be stored: no fallback location",
      ].join("\n");
    });
  },
});
