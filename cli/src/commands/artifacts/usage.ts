import { noPositionals } from "../../command.ts";
import { clientOf, serviceCommand } from "../../connection.ts";
import { bytesText, countText, table } from "../../output.ts";

export const usage = serviceCommand({
  usage: "usage [--days N]",
  help: `
Shows what was written to and read from each location, by UTC day, newest first. A read counts when it is signed.

  --days N           days back, today among them: 1 to 366 (30)`,
  options: { days: { type: "string" } },
  async run(invocation) {
    noPositionals(invocation);
    const days = invocation.values.integer("days", 30, 1, 366);
    const { organization } = clientOf(invocation);
    const rows = await organization.usage(days);
    const { locations } = await organization.view();
    const names = new Map(locations.map(({ id, name }) => [id, name]));
    invocation.output.answer(rows, () =>
      table(
        ["DAY", "KIND", "FROM", "LOCATION", "MATCH", "TRANSFER", "BYTES", "COUNT"],
        rows.map((row) => [
          row.day,
          row.kind,
          [row.placeCloud, row.placeRegion].filter((word) => word !== "").join(" ") || "-",
          names.get(row.location) ?? row.location,
          row.match ?? "-",
          row.transfer,
          bytesText(row.bytes),
          countText(row.count),
        ]),
      ),
    );
  },
});
