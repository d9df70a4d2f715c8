import { limits, type LoggedFile } from "@lossless/client";
import type { Signal } from "@preact/signals";
import { createContext } from "preact";
import { useContext, useLayoutEffect, useState } from "preact/hooks";
import { runFiles, versionFiles, type FileSource } from "../pages/artifact/file-source.ts";
import { messageOf } from "../parts/words.ts";
import type { Service } from "../signed-in.ts";
import type { FileQueue } from "./file-queue.ts";

/** Files of media, of one page. */
export interface MediaFiles {
  service: Service;
  queue: FileQueue;
  /** Rows of a table that are shown at first; by default as many as fit a scrolled box. */
  rowsAtOnce?: number;
  /** The size of the picture that was read last: others are likely to have it. */
  likely?: Signal<PictureSize | undefined>;
}

/** In pixels. */
export interface PictureSize {
  width: number;
  height: number;
}

export const FilesContext = createContext<MediaFiles | undefined>(undefined);

export interface ReadFile {
  /** The bytes of the wanted file, or of the one before while that is read. */
  bytes?: Uint8Array;
  /** Whether they are those of the wanted file. */
  isCurrent: boolean;
  problem?: string;
}

/** Bytes of a file that pages show: larger ones are only downloaded. */
export const shownFileBytesMax = limits.filePartBytesMax;

/** Whether a page shows a file, as far as its size tells. */
export function isShown({ bytes }: LoggedFile): boolean {
  return bytes === null || bytes <= shownFileBytesMax;
}

export function sourceOf(service: Service, file: LoggedFile): FileSource {
  const { artifact, version, owner } = file;
  if (owner !== undefined) return runFiles(service, owner);
  return versionFiles(service, { artifact: artifact!, version: version! });
}

/** Reads a file, while it is wanted; undefined: none is. */
export function useFile(file: LoggedFile | undefined): ReadFile {
  const { service, queue } = useContext(FilesContext)!;
  const wanted = file === undefined || !isShown(file) ? undefined : wantedFile(service, file);
  const [read, setRead] = useState<{ key: string; bytes?: Uint8Array; problem?: string }>();
  useLayoutEffect(() => {
    // An unseen file keeps no bytes: those that were read last are in the queue.
    if (wanted === undefined) return setRead(undefined);
    const stopped = new AbortController();
    const { key } = wanted;
    queue.read(wanted, stopped.signal).then(
      (bytes) => bytes && setRead({ key, bytes }),
      (error: unknown) => stopped.signal.aborted || setRead({ key, problem: problemOf(error) }),
    );
    return () => stopped.abort();
  }, [wanted?.key]);
  if (wanted === undefined || read === undefined) return { isCurrent: false };
  const isCurrent = read.key === wanted.key;
  const { bytes, problem } = read;
  return {
    isCurrent,
    ...(bytes !== undefined && { bytes }),
    ...(isCurrent && problem !== undefined && { problem }),
  };
}

export function wantedFile(service: Service, file: LoggedFile) {
  const source = sourceOf(service, file);
  const never = new AbortController().signal;
  return {
    key: `${source.key}\n${file.path}`,
    read: () => source.part(file.path, {}, never),
  };
}

export function problemOf(error: unknown): string {
  const isGone = (error as { code?: unknown }).code === "not_found";
  return isGone ? "Its file was deleted." : messageOf(error);
}

/** A short-lived address of bytes; undefined: there are none. */
export function useBytesAddress(
  bytes: Uint8Array | undefined,
  type: string | undefined,
): string | undefined {
  const [address, setAddress] = useState<string>();
  useLayoutEffect(() => {
    if (bytes === undefined || type === undefined) return setAddress(undefined);
    const made = URL.createObjectURL(new Blob([bytes as Uint8Array<ArrayBuffer>], { type }));
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [bytes, type]);
  return address;
}
