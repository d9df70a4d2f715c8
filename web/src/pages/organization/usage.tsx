import type { UsageViewReply } from "@lossless/client";
import { Listing } from "../../parts/listing.tsx";
import { bytesText, countedText, countText } from "../../parts/words.ts";
import { BarPlot } from "./bar-plot.tsx";
import { QuotaList } from "./quota-list.tsx";
import { dayBars, type DayBar } from "./usage-bars.ts";

const compact = (value: number) => compactNumbers.format(value);
const compactNumbers = new Intl.NumberFormat("en", { notation: "compact" });

interface UsageProps {
  usage: UsageViewReply;
  nameOf: (group: string) => string;
  locationNames: ReadonlyMap<string, string>;
}

export function Usage({ usage, nameOf, locationNames }: UsageProps) {
  const { firstDay, lastDay, points, pointsBefore, pointsTotal, groups, bytes, stored } = usage;
  const recorded = points.map(({ day, points: value }) => ({ day, of: "points", value }));
  const pointBars = dayBars(firstDay, lastDay, ["points"], recorded);
  const keys = bytes.some(({ of }) => of === null) ? [...groups, null] : groups;
  const names = keys.map((key) => (key === null ? "all others" : nameOf(key)));
  const [written, read] = (["write", "read"] as const).map((kind) => {
    const values = bytes.filter((one) => one.kind === kind);
    return dayBars(
      firstDay,
      lastDay,
      keys,
      values.map(({ day, of, bytes: value }) => ({ day, of, value })),
    );
  }) as [DayBar[], DayBar[]];
  const pointsText = (value: number) => countedText(value, "point");
  return (
    <>
      <section aria-labelledby="points">
        <h2 id="points">Points</h2>
        <BarPlot
          title="Points recorded per day"
          names={["points"]}
          bars={pointBars}
          text={pointsText}
          short={compact}
        />
        <p class="soft">
          {countedText(pointsTotal, "point")} in total. Each point counts on the day on which it was
          stored.{" "}
          {pointsBefore > 0 &&
            ` ${countText(pointsBefore)} of them were stored before points were counted by day.`}
        </p>
        <Numbers title="Points per day" names={["points"]} bars={pointBars} text={countText} />
      </section>
      <section aria-labelledby="bytes">
        <h2 id="bytes">Artifacts</h2>
        <BarPlot
          title="Bytes written per day"
          names={names}
          bars={written}
          text={bytesText}
          short={bytesText}
        />
        <Numbers title="Bytes written per day" names={names} bars={written} text={countText} />
        <BarPlot
          title="Bytes read per day"
          names={names}
          bars={read}
          text={bytesText}
          short={bytesText}
        />
        <p class="soft">A file counts as read when the service signs an address to download it.</p>
        <Numbers title="Bytes read per day" names={names} bars={read} text={countText} />
      </section>
      <Stored stored={stored} names={locationNames} />
      <QuotaList quota={usage.quota} />
    </>
  );
}

interface StoredProps {
  stored: UsageViewReply["stored"];
  names: ReadonlyMap<string, string>;
}

function Stored({ stored, names }: StoredProps) {
  return (
    <section aria-labelledby="stored">
      <h2 id="stored">Stored now</h2>
      <Listing
        label="Stored now"
        columns={["location", "bytes", "versions", "pending"]}
        rows={stored
          .toSorted((one, other) => other.bytes - one.bytes)
          .map((one) => ({
            key: one.location,
            cells: [
              <span class="name">
                <bdi>{names.get(one.location) ?? one.location}</bdi>
              </span>,
              <span title={`${countText(one.bytes)} bytes`}>{bytesText(one.bytes)}</span>,
              countText(one.versions),
              one.pendingUploads === 0
                ? "none"
                : `${countText(one.pendingUploads)} (${bytesText(one.pendingBytes)})`,
            ],
          }))}
        empty="Nothing is stored yet."
      />
    </section>
  );
}

interface NumbersProps {
  title: string;
  names: readonly string[];
  bars: readonly DayBar[];
  text: (value: number) => string;
}

/** Numbers of days that have any; the others are mentioned in one line. */
function Numbers({ title, names, bars, text }: NumbersProps) {
  const days = bars.filter(({ total }) => total > 0);
  return (
    <details>
      <summary>{title} as numbers</summary>
      <Listing
        label={`${title} as numbers`}
        columns={["day", ...names, ...(names.length > 1 ? ["total"] : [])]}
        rows={days.toReversed().map(({ day, shares, total }) => ({
          key: day,
          cells: [
            day,
            ...names.map((_, at) => {
              const share = shares.find(({ series }) => series === at);
              return share === undefined ? "0" : text(share.value);
            }),
            ...(names.length > 1 ? [text(total)] : []),
          ],
        }))}
        empty="No data on any day."
      />
      {days.length > 0 && days.length < bars.length && (
        <p class="soft">No data on {countedText(bars.length - days.length, "other day")}.</p>
      )}
    </details>
  );
}
