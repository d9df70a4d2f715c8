import type { ReportBlock } from "@lossless/client";
import type { Service } from "../../../signed-in.ts";
import type { Found } from "../../experiments/differing-keys.ts";
import { ChartFields } from "../chart-fields.tsx";
import { Markdown } from "../markdown.tsx";
import { type LoggedName, MediaFields } from "../media-fields.tsx";
import type { ReportBoard } from "../report-board.tsx";
import { ReportChart } from "../report-chart.tsx";
import { ReportMedia } from "../report-media.tsx";
import { ReportTable } from "../report-table.tsx";
import { TableFields } from "../table-fields.tsx";
import { useHeldQuery } from "../use-held-query.ts";
import { TextSource } from "./text-source.tsx";
import type { CaretPlace } from "./use-open-block.ts";

interface Props {
  service: Service;
  board: ReportBoard;
  block: ReportBlock;
  isOpen: boolean;
  isNew: boolean;
  /** Gives a new chart the series that nobody chose. */
  onFirst: (seriesName: string) => void;
  /** Gives new media what nobody chose. */
  onFirstMedia: (first: LoggedName) => void;
  /** Where the caret of an opened text begins; undefined: at its end. */
  around: CaretPlace | undefined;
  onChange: (block: ReportBlock) => void;
  /** Gives a table the columns that nobody chose, of these experiments. */
  onUsual: (found: Found) => void;
  onPictures: (files: readonly File[], at: number) => void;
}

/** Milliseconds without typing before a chart is drawn anew; a table waits by itself. */
const chartPauseMs = 300;

/** A block as it is drawn, and while it is open its source, or its fields below. */
export function BlockContent(props: Props) {
  const { service, board, block, isOpen, isNew, around, onFirst, onChange, onUsual } = props;
  const query = "query" in block ? (block.query ?? "") : "";
  const held = useHeldQuery(query, block.kind === "table" ? 0 : chartPauseMs);
  switch (block.kind) {
    case "text":
      if (isOpen)
        return <TextSource {...{ block, around, onChange }} onPictures={props.onPictures} />;
      if (block.markdown.trim() === "") return <p class="soft to-write">Click to write.</p>;
      return <Markdown text={block.markdown} />;
    case "chart": {
      const drawn = block.query === undefined ? block : { ...block, query: held };
      return (
        <>
          <ReportChart {...{ service, board }} block={drawn} onPin={onChange} />
          {isOpen && (
            <ChartFields {...{ service, board, block, drawn, isNew, onFirst, onChange }} />
          )}
        </>
      );
    }
    case "media": {
      const drawn = block.query === undefined ? block : { ...block, query: held };
      return (
        <>
          <ReportMedia {...{ service, board }} block={drawn} />
          {isOpen && (
            <MediaFields
              {...{ service, board, block, drawn, isNew, onChange }}
              onFirst={props.onFirstMedia}
            />
          )}
        </>
      );
    }
    case "table": {
      const drawn = { ...block, query: held };
      return (
        <>
          <ReportTable {...{ service, board }} block={drawn} />
          {isOpen && <TableFields {...{ service, board, block, drawn, onChange, onUsual }} />}
        </>
      );
    }
  }
}
