import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Board } from "../../chart/cursor/board.ts";
import type { Mark } from "../../chart/lane/marks.ts";
import type { Service } from "../../signed-in.ts";
import type { ComparedExperiment } from "../compare/use-compared.ts";
import { useOwnMarks } from "../compare/use-marks.ts";
import { readFolders } from "../experiment/folder-path.ts";
import type { Folders } from "../experiments/folder-lines.ts";

/**
 * State shared by the charts of a report: a cursor, marks of their experiments, and the folders.
 */
export class ReportBoard extends Board {
  /** The reference experiment of each chart. */
  readonly references = signal<ReadonlyMap<object, ComparedExperiment>>(new Map());
  /** Marks by experiment id. */
  readonly marks = signal<ReadonlyMap<string, readonly Mark[]>>(new Map());
  /** The folder of the last block that has one, while the report is written. */
  lastFolderId: string | undefined;
  #folders: Promise<Folders> | undefined;

  /** Reads the folders once, for the first chart that asks; a failed read is repeated. */
  folders(service: Service): Promise<Folders> {
    this.#folders ??= readFolders(service).catch((error: unknown) => {
      this.#folders = undefined;
      throw error;
    });
    return this.#folders;
  }
}

const none: readonly Mark[] = [];

/** Returns the marks of a chart's reference experiment, once they are read. */
export function useMarksOn(board: ReportBoard, reference: ComparedExperiment): readonly Mark[] {
  const { current: chart } = useRef({});
  useEffect(() => {
    board.references.value = new Map(board.references.peek()).set(chart, reference);
  }, [board, reference]);
  useEffect(
    () => () => {
      const others = [...board.references.peek()].filter(([one]) => one !== chart);
      board.references.value = new Map(others);
    },
    [board],
  );
  return board.marks.value.get(reference.experimentId) ?? none;
}

interface Props {
  service: Service;
  board: ReportBoard;
}

/** Reads the marks of each reference experiment once for all charts. */
export function MarksReader({ service, board }: Props) {
  const newest = new Map<string, ComparedExperiment>();
  for (const one of board.references.value.values()) {
    const known = newest.get(one.experimentId);
    if (known === undefined || known.revision < one.revision) newest.set(one.experimentId, one);
  }
  return (
    <>
      {[...newest].map(([id, reference]) => (
        <OneReader key={id} {...{ service, board, reference }} />
      ))}
    </>
  );
}

function OneReader({ service, board, reference }: Props & { reference: ComparedExperiment }) {
  const { experimentId } = reference;
  const marks = useOwnMarks(service, reference);
  useEffect(() => {
    board.marks.value = new Map(board.marks.peek()).set(experimentId, marks);
  }, [board, marks]);
  return null;
}
