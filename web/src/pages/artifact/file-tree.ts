/** Files of a version as lines of a tree, by directory. */

export interface ListedFile {
  name: string;
  size: number;
}

export interface FileLine<File extends ListedFile = ListedFile> {
  /** Text of the line: the last word of the path, or the whole path in a list. */
  word: string;
  /** The path; directories end with a slash. */
  path: string;
  level: number;
  bytes: number;
  /** Undefined: a directory, with `files` files below it. */
  file: File | undefined;
  files: number;
  /** Whether the content of a directory is shown below it. */
  isOpen: boolean;
}

/** Lists all lines: the content of a directory follows it, directories and files by name. */
export function fileLines<File extends ListedFile>(
  files: readonly File[],
  isOpen: (directory: string) => boolean,
): FileLine<File>[] {
  const lines: FileLine<File>[] = [];
  const walk = ({ directories, own }: Directory<File>, path: string, level: number) => {
    for (const [word, below] of [...directories].sort(byName)) {
      const inner = `${path}${word}/`;
      const open = isOpen(inner);
      const { bytes, files: count } = below;
      lines.push({ word, path: inner, level, bytes, files: count, file: undefined, isOpen: open });
      if (open) walk(below, inner, level + 1);
    }
    for (const [word, file] of own.sort(byName))
      lines.push({ word, path: file.name, level, bytes: file.size, files: 1, file, isOpen: false });
  };
  walk(directoryOf(files), "", 1);
  return lines;
}

/** Lists the files whose path contains the words. */
export function foundFiles<File extends ListedFile>(
  files: readonly File[],
  search: string,
): FileLine<File>[] {
  const wanted = search.trim().toLowerCase();
  return files
    .filter(({ name }) => name.toLowerCase().includes(wanted))
    .map((file) => ({
      word: file.name,
      path: file.name,
      level: 1,
      bytes: file.size,
      files: 1,
      file,
      isOpen: false,
    }))
    .sort((one, other) => byName([one.path], [other.path]));
}

interface Directory<File> {
  directories: Map<string, Directory<File>>;
  own: [string, File][];
  bytes: number;
  files: number;
}

function directoryOf<File extends ListedFile>(files: readonly File[]): Directory<File> {
  const root: Directory<File> = { directories: new Map(), own: [], bytes: 0, files: 0 };
  for (const file of files) {
    const words = file.name.split("/");
    let at = root;
    for (const word of words.slice(0, -1)) {
      let next = at.directories.get(word);
      if (next === undefined) {
        next = { directories: new Map(), own: [], bytes: 0, files: 0 };
        at.directories.set(word, next);
      }
      next.bytes += file.size;
      next.files++;
      at = next;
    }
    at.own.push([words.at(-1)!, file]);
  }
  return root;
}

const names = new Intl.Collator("en", { numeric: true });

function byName([one]: readonly [string, ...unknown[]], [other]: readonly [string, ...unknown[]]) {
  return names.compare(one, other) || (one < other ? -1 : 1);
}
