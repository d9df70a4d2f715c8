/** Items dragged within the page onto a folder: rows of the table, or another folder. */
export type Dragged =
  | { kind: "experiments"; ids: readonly string[] }
  | { kind: "folder"; id: string };

/** Media type of our drags; others are ignored. */
const type = "application/x-lossless";

export function startRowsDrag(event: DragEvent, ids: readonly string[]): void {
  startDrag(event, { kind: "experiments", ids });
}

export function startDrag(event: DragEvent, dragged: Dragged): void {
  event.dataTransfer?.setData(type, JSON.stringify(dragged));
  if (event.dataTransfer) event.dataTransfer.effectAllowed = "move";
}

/** Whether a drag is ours: while it hovers, the browser shows its types only. */
export function isDragged(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes(type) ?? false;
}

export function droppedOn(event: DragEvent): Dragged | undefined {
  const text = event.dataTransfer?.getData(type) ?? "";
  return text === "" ? undefined : (JSON.parse(text) as Dragged);
}
