import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Board } from "../../chart/board.ts";
import type { Mark } from "../../chart/lane-marks.ts";
import type { Service } from "../../signed-in.ts";
import type { ComparedExperiment } from "../compare/use-compared.ts";
import { useOwnMarks } from "../compare/use-marks.ts";
import { readFolders } from "../experiment/folder-path.ts";
import type { Folders } from "../experiments/folder-lines.ts";

/**
 * What the charts of a report have in common: a cursor, what happened in their experiments, and the
 * folders.
 */
export class ReportBoard extends Board {
  /** The reference experiment of each chart. */
  readonly references = signal<ReadonlyMap<object, ComparedExperiment>>(new Map());
  /** By the ids of experiments. */
  readonly marks = signal<ReadonlyMap<string, readonly Mark[]>>(new Map());
  #folders: Promise<Folders> | undefined;

  /** Read once, by the first chart that asks; what failed is read again. */
  folders(service: Service): Promise<Folders> {
    this.#folders ??= readFolders(service).catch((error: unknown) => {
      this.#folders = undefined;
      throw error;
    });
    return this.#folders;
  }
}

const none: readonly Mark[] = [];

/** What happened in the reference experiment of a chart: as soon as it was read. */
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

/** Reads what happened in each of the reference experiments once, however many charts have it. */
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
