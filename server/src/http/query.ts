import { checkQuery, type EndpointName, type RequestQuery } from "@lossless/protocol";
import { ServiceError } from "../ground/errors.ts";
import { problemsText } from "./bodies/json-body.ts";

/**
 * Reads the query of a v1 request, decoded once (T36): malformed percent escapes and UTF-8 are
 * refused, repeated parameters too; unknown ones are ignored (A62). `+` is a space, as in forms.
 */
export function readQuery<Name extends EndpointName>(
  name: Name,
  url: string | undefined,
): RequestQuery<Name> {
  const values = decodeForm(queryText(url ?? ""), "parameter");
  const verdict = checkQuery(name, values);
  if (!verdict.ok) throw new ServiceError("bad_request", problemsText(verdict.problems));
  return values as RequestQuery<Name>;
}

/** Decodes pairs of `application/x-www-form-urlencoded`; throws `bad_request`. */
export function decodeForm(text: string, what: "parameter" | "field"): Record<string, string> {
  const values: Record<string, string> = Object.create(null) as Record<string, string>;
  if (text === "") return values;
  for (const pair of text.split("&")) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    const key = decode(equals < 0 ? pair : pair.slice(0, equals), what);
    if (Object.hasOwn(values, key)) {
      throw new ServiceError("bad_request", `The ${what} ${JSON.stringify(key)} is repeated.`);
    }
    values[key] = equals < 0 ? "" : decode(pair.slice(equals + 1), what);
  }
  return values;
}

function queryText(url: string): string {
  const mark = url.indexOf("?");
  return mark < 0 ? "" : url.slice(mark + 1);
}

function decode(text: string, what: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    throw new ServiceError("bad_request", `A ${what} is not percent-encoded UTF-8.`);
  }
}
