import { secretsInText } from "./secrets.ts";

/** Levels from least to most severe, as Fastify wants them too. */
export const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];

export interface LogMethod {
  (fields: object, message?: string): void;
  (message: string): void;
}

export interface Log {
  level: string;
  trace: LogMethod;
  debug: LogMethod;
  info: LogMethod;
  warn: LogMethod;
  error: LogMethod;
  fatal: LogMethod;
  silent: LogMethod;
  child(fields: object): Log;
}

/** Length at which texts are cut: a client can put a megabyte into a header or a name. */
const textCharactersMax = 1_000;
/**
 * Names of fields that are never logged, at any depth. Bodies and headers are not logged at all.
 */
const secretFields =
  /^(authorization|cookie|secret|password|token|experimentToken|secretAccessKey)$/i;
const urlPassword = /(\b\w+:\/\/[^\s:/@]*):[^\s@/]+@/g;

/**
 * Makes a log of one JSON object a line: time, level, msg and the given fields. Control characters
 * are escaped, so that no text of a client can forge a line or drive a terminal (T48); secrets are
 * replaced (T19).
 */
export function createLog(
  level: LogLevel,
  write: (line: string) => void,
  fields: object = {},
): Log {
  const threshold = logLevels.indexOf(level);
  const method = (name: LogLevel): LogMethod => {
    if (logLevels.indexOf(name) < threshold || name === "silent") return () => {};
    return (first: object | string, message?: string) => {
      const given =
        typeof first === "string" ? {} : first instanceof Error ? { err: first } : first;
      const msg = typeof first === "string" ? first : message;
      write(line({ time: new Date().toISOString(), level: name, ...fields, ...given, msg }));
    };
  };
  return {
    level,
    trace: method("trace"),
    debug: method("debug"),
    info: method("info"),
    warn: method("warn"),
    error: method("error"),
    fatal: method("fatal"),
    silent: method("silent"),
    child: (more) => createLog(level, write, { ...fields, ...more }),
  };
}

function line(record: object): string {
  let text: string;
  try {
    text = JSON.stringify(record, clean);
  } catch {
    text = JSON.stringify({ level: "error", msg: "a log record could not be written as JSON" });
  }
  // JSON.stringify escapes C0 controls only; DEL and C1 can drive terminals too.
  const escaped = text.replace(
    /[\u007f-\u009f\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return `${escaped}\n`;
}

function clean(key: string, value: unknown): unknown {
  if (secretFields.test(key)) return "[secret]";
  if (typeof value === "bigint") return String(value);
  if (value instanceof Error) return errorFields(value);
  if (typeof value !== "string") return value;
  const cut =
    value.length > textCharactersMax && key !== "stack"
      ? `${value.slice(0, textCharactersMax)}… (${value.length} characters)`
      : value;
  return cut.replaceAll(secretsInText, "$1[secret]").replace(urlPassword, "$1:[secret]@");
}

function errorFields(error: Error): object {
  const { code } = error as { code?: unknown };
  return {
    type: error.name,
    message: error.message,
    ...(typeof code === "string" ? { code } : {}),
    ...(error.cause === undefined ? {} : { cause: error.cause }),
    stack: error.stack?.slice(0, 8_000),
  };
}
