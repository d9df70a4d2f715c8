import { parseExact, WrittenNumber } from "../../ground/exact-json.ts";
import { ServiceError } from "../../ground/errors.ts";

/**
 * A field of a message, in the form of protobuf's JSON: unknown fields are ignored, 64-bit integers
 * are numbers or texts, doubles may be the words of values that are not finite; null means absent.
 * Faults are reported in MLflow's words, with their path.
 */
export interface Field<Value> {
  read: (value: unknown, path: Path) => Value;
  /** Set for a list: in an address it may be repeated. */
  repeats?: true;
}

/**
 * Path of a field; undefined in the first reading: faults are found by reading the message again.
 */
type Path = string | undefined;

export type Fields = Record<string, Field<unknown>>;

export type Message<Of extends Fields> = {
  [Name in keyof Of]: Of[Name] extends Field<infer Value> ? Value : never;
};

export function invalid(sentence: string): ServiceError {
  return new ServiceError("bad_request", sentence);
}

export const seeDocs = " See the API docs for more information about request parameters.";

export function missing(path: Path): ServiceError {
  return invalid(`Missing value for required parameter '${path}'.${seeDocs}`);
}

function wrongType(path: Path, value: unknown): ServiceError {
  const hint = ` Hint: Value was of type '${typeName(value)}'.`;
  return invalid(`${invalidValue(path, value, hint)}${seeDocs}`);
}

/**
 * Returns the error as MLflow's `invalid_value` prints it: compact JSON, members in order, ASCII
 * only.
 */
export function invalidValue(path: Path, value: unknown, sentence?: string): string {
  const shown = `Invalid value ${pythonJson(value)} for parameter '${path}' supplied`;
  return sentence === undefined ? `${shown}.` : `${shown}: ${sentence}`;
}

function pythonJson(value: unknown): string {
  if (value instanceof WrittenNumber) return value.source;
  if (typeof value === "bigint") return `${value}`;
  if (typeof value === "number" && !Number.isFinite(value)) return `${value}`;
  if (typeof value !== "object" || value === null) {
    const text = JSON.stringify(value) ?? "null";
    return text.replaceAll(/[\u0080-\uffff]/g, (unit) => {
      return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
    });
  }
  if (Array.isArray(value)) return `[${value.map(pythonJson).join(",")}]`;
  const members = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, own]) => `${pythonJson(name)}:${pythonJson(own)}`).join(",")}}`;
}

function typeName(value: unknown): string {
  if (value === null || value === undefined) return "NoneType";
  if (value instanceof WrittenNumber) return /[.eE]/.test(value.source) ? "float" : "int";
  if (typeof value === "string") return "str";
  if (typeof value === "boolean") return "bool";
  return Array.isArray(value) ? "list" : "dict";
}

function optional<Value>(read: (value: unknown, path: Path) => Value): Field<Value | undefined> {
  return {
    read: (value, path) => (value === undefined || value === null ? undefined : read(value, path)),
  };
}

export function required<Value>({ read }: Field<Value | undefined>): Field<Value> {
  return {
    read(value, path) {
      // Empty texts count as missing, as in MLflow, whatever the type.
      const found = value === "" ? undefined : read(value, path);
      if (found === undefined) throw missing(path);
      return found;
    },
  };
}

export const text = optional((value, path): string => {
  if (typeof value !== "string") throw wrongType(path, value);
  // Columns of text hold no U+0000.
  if (value.includes("\0")) throw invalid(invalidValue(path, value));
  // Half a surrogate pair is stored as U+FFFD, and PostgreSQL takes none in a list.
  return value.toWellFormed();
});

const int64 = { least: -(2n ** 63n), greatest: 2n ** 63n - 1n };

export const integer = optional((value, path): bigint => {
  if (Number.isSafeInteger(value)) return BigInt(value as number);
  const written = value instanceof WrittenNumber ? value.source : value;
  if (typeof written !== "string") throw wrongType(path, value);
  const found = integerIn(written);
  if (found === undefined || found < int64.least || found > int64.greatest)
    throw wrongType(path, value);
  return found;
});

/**
 * Returns an integer: 5, 5.0 and 5e0 are the same. Text with a point or an exponent is read as a
 * double first.
 */
function integerIn(written: string): bigint | undefined {
  const match = /^\s*([+-]?\d{1,40})(?:\.0*)?\s*$/.exec(written);
  if (match !== null) return BigInt(match[1].replace(/^\+/, ""));
  const number = /^[+-]?(?=\.?\d)\d*\.?\d*(?:[eE][+-]?\d+)?$/.test(written) ? Number(written) : NaN;
  return Number.isSafeInteger(number) ? BigInt(number) : undefined;
}

export const flag = optional((value, path): boolean => {
  if (typeof value !== "boolean") throw wrongType(path, value);
  return value;
});

const words: Record<string, number> = { NaN, Infinity, "-Infinity": -Infinity };

export const double = optional((value, path): number => {
  if (Number.isFinite(value)) return value as number;
  if (value instanceof WrittenNumber) {
    const number = Number(value.source);
    // Digits beyond the range of doubles are not infinity.
    if (Number.isFinite(number)) return number;
  } else if (typeof value === "string") {
    const word = words[value];
    if (word !== undefined) return word;
    const number = Number(value);
    if (value.trim() !== "" && Number.isFinite(number)) return number;
  }
  throw wrongType(path, value);
});

/** Reads the word of an enumeration, or its number. */
export function oneOf<const Words extends Record<string, number>>(
  choices: Words,
): Field<keyof Words | undefined> {
  return optional((value, path) => {
    if (typeof value === "string" && Object.hasOwn(choices, value)) return value;
    const written = value instanceof WrittenNumber ? value.source : value;
    const found = Object.entries(choices).find(([, number]) => String(number) === written);
    if (found === undefined) throw wrongType(path, value);
    return found[0];
  });
}

/** Reads a list; a missing one is empty. */
export function list<Value>({ read }: Field<Value>): Field<Exclude<Value, undefined>[]> {
  return {
    repeats: true,
    read(value, path) {
      if (value === undefined || value === null) return [];
      if (!Array.isArray(value)) throw wrongType(path, value);
      return value.map((each, at) => {
        const own = path && `${path}[${at}]`;
        if (each === null || each === undefined) throw wrongType(own, each);
        return read(each, own) as Exclude<Value, undefined>;
      });
    },
  };
}

export function atLeastOne<Value>({ read, ...list }: Field<Value[]>): Field<Value[]> {
  return {
    ...list,
    read(value, path) {
      const found = read(value, path);
      if (found.length === 0) throw missing(path);
      return found;
    },
  };
}

export function message<Of extends Fields>(fields: Of): Field<Message<Of> | undefined> {
  const spelled = spellings(fields);
  return optional((value, path) => readMessage<Of>(spelled, value, path));
}

interface SpelledField {
  name: string;
  camelCase: string;
  olderName: string;
  field: Field<unknown>;
}

/** Returns both spellings of each field, which protobuf takes. */
function spellings(fields: Fields): SpelledField[] {
  return Object.entries(fields).map(([name, field]) => {
    const camelCase = name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
    return { name, camelCase, olderName: olderNames[name] ?? name, field };
  });
}

function readMessage<Of extends Fields>(
  fields: readonly SpelledField[],
  value: unknown,
  path: Path,
): Message<Of> {
  if (
    typeof value !== "object" ||
    value === null ||
    Array.isArray(value) ||
    value instanceof WrittenNumber
  )
    throw wrongType(path, value);
  const given = value as Record<string, unknown>;
  const found: Record<string, unknown> = {};
  for (const { name, camelCase, olderName, field } of fields) {
    const own = given[name] ?? given[camelCase] ?? given[olderName];
    found[name] = field.read(own, path === "" ? name : path && `${path}.${name}`);
  }
  return found as Message<Of>;
}

/** Names of fields for clients of MLflow before 1.0, which newer ones send as well. */
const olderNames: Record<string, string> = { run_id: "run_uuid" };

/** Reads the message of a body; an empty one has no fields. */
export function readBodyText<Of extends Fields>(fields: Of, body: string): Message<Of> {
  const spelled = spellings(fields);
  return readQuickly<Of>(spelled, body) ?? readExactly<Of>(spelled, body);
}

/**
 * Reads a message by JSON.parse; undefined where a fault is to be reported, or where the rounding
 * of numbers to doubles matters. Keeping the digits of each takes much longer.
 */
function readQuickly<Of extends Fields>(
  fields: readonly SpelledField[],
  body: string,
): Message<Of> | undefined {
  try {
    return readMessage<Of>(fields, JSON.parse(body), undefined);
  } catch {
    return undefined;
  }
}

function readExactly<Of extends Fields>(
  fields: readonly SpelledField[],
  body: string,
): Message<Of> {
  let value: unknown;
  try {
    value = body.trim() === "" ? {} : parseExact(body);
    // Very old clients sent JSON within a JSON text.
    if (typeof value === "string") value = parseExact(value);
  } catch {
    throw new ServiceError("malformed_json", "The body is not a JSON document.");
  }
  return readMessage<Of>(fields, value ?? {}, "");
}

/** Reads the message of an address, in which fields may repeat. */
export function readAddress<Of extends Fields>(fields: Of, url: string): Message<Of> {
  const mark = url.indexOf("?");
  const given = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(mark < 0 ? "" : url.slice(mark + 1)))
    given.set(name, [...(given.get(name) ?? []), value]);
  const values = Object.entries(fields).flatMap(([name, field]) => {
    const found = given.get(name) ?? given.get(olderNames[name] ?? name);
    if (found === undefined) return [];
    return [[name, field.repeats ? found : found[0]] as const];
  });
  return readMessage<Of>(spellings(fields), Object.fromEntries(values), "");
}
