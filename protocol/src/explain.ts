import { member, type Problem } from "./meta-limits.ts";

/** The subset of JSON Schema used by request schemas; the compiled validator knows all of it. */
interface Schema {
  type?: "object" | "array" | "string" | "integer" | "number" | "boolean";
  const?: unknown;
  enum?: readonly unknown[];
  anyOf?: readonly Schema[];
  oneOf?: readonly { required: readonly string[] }[];
  properties?: Record<string, Schema>;
  required?: readonly string[];
  additionalProperties?: boolean | Schema;
  minProperties?: number;
  maxProperties?: number;
  items?: Schema;
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  /** Names the property whose text distinguishes the choices of an anyOf. */
  discriminator?: { propertyName: string };
  "x-rule"?: string;
  "x-any"?: boolean;
}

/** Problems reported at most, as a request may have a thousand wrong events. */
const problemsMax = 20;

/**
 * Explains in sentences why a value does not fit a schema. Only called for values that the compiled
 * validator refused, so it may be slow, but it must find at least one problem.
 */
export function explain(schema: object, value: unknown, path: string): Problem[] {
  const problems: Problem[] = [];
  visit(schema, value, path, problems);
  if (problems.length === 0)
    throw new Error(`BUG: refused without a problem, got ${path || "value"}`);
  return problems;
}

export function plainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function visit(schema: Schema, value: unknown, path: string, problems: Problem[]): void {
  if (problems.length >= problemsMax) return;
  const wrong = (message: string): void => void problems.push({ path, message });
  if (schema.anyOf !== undefined) {
    return schema.discriminator === undefined
      ? visitNullable(schema.anyOf, value, path, problems)
      : visitVariant(schema.anyOf, schema.discriminator.propertyName, value, path, problems);
  }
  if (schema.const !== undefined) {
    if (value !== schema.const) wrong(`must be ${JSON.stringify(schema.const)}`);
    return;
  }
  switch (schema.type) {
    case "object":
      if (!plainObject(value)) return wrong("must be an object");
      return visitObject(schema, value, path, problems);
    case "array":
      if (!Array.isArray(value)) return wrong("must be an array");
      if (value.length > (schema.maxItems ?? Infinity)) {
        return wrong(`must have at most ${schema.maxItems} items, has ${value.length}`);
      }
      if (value.length < (schema.minItems ?? 0)) {
        return wrong(`must have at least ${schema.minItems} items`);
      }
      return value.forEach((item, index) =>
        visit(schema.items ?? {}, item, `${path}[${index}]`, problems),
      );
    case "boolean":
      if (typeof value !== "boolean") wrong("must be true or false");
      return;
    case "string":
      return stringProblem(schema, value, wrong);
    case "integer":
    case "number":
      return numberProblem(schema, value, wrong);
    case undefined:
      if (schema["x-any"] === true) return;
      throw new Error(
        `BUG: a request schema uses what explain() does not know, got ${JSON.stringify(schema)}`,
      );
  }
}

/** Request schemas use anyOf for "this or null" only. */
function visitNullable(
  choices: readonly Schema[],
  value: unknown,
  path: string,
  problems: Problem[],
): void {
  if (value === null) return;
  const found: Problem[] = [];
  visit(choices[0], value, path, found);
  for (const problem of found) {
    const message = problem.path === path ? `${problem.message}, or null` : problem.message;
    problems.push({ path: problem.path, message });
  }
}

/** Reports the problems of the choice that the value names. */
function visitVariant(
  choices: readonly Schema[],
  property: string,
  value: unknown,
  path: string,
  problems: Problem[],
): void {
  if (!plainObject(value)) return void problems.push({ path, message: "must be an object" });
  const names = choices.map((choice) => choice.properties?.[property]?.const);
  const chosen = choices[names.indexOf(value[property])];
  if (chosen !== undefined) return visitObject(chosen, value, path, problems);
  const listed = names.map((name) => JSON.stringify(name)).join(", ");
  problems.push({ path: member(path, property), message: `must be one of ${listed}` });
}

function visitObject(
  schema: Schema,
  value: Record<string, unknown>,
  path: string,
  problems: Problem[],
): void {
  const properties = schema.properties ?? {};
  for (const key of schema.required ?? []) {
    if (!Object.hasOwn(value, key))
      problems.push({ path: member(path, key), message: "is missing" });
  }
  const keys = Object.keys(value);
  if (keys.length > (schema.maxProperties ?? Infinity)) {
    problems.push({
      path,
      message: `must have at most ${schema.maxProperties} keys, has ${keys.length}`,
    });
  }
  for (const key of keys) {
    const where = member(path, key);
    if (Object.hasOwn(properties, key)) visit(properties[key], value[key], where, problems);
    else if (schema.additionalProperties === false)
      problems.push({ path: where, message: "is not a known field" });
    else if (typeof schema.additionalProperties === "object") {
      visit(schema.additionalProperties, value[key], where, problems);
    }
    if (problems.length >= problemsMax) return;
  }
  if (keys.length < (schema.minProperties ?? 0)) {
    problems.push({
      path,
      message: schema["x-rule"] ?? `must have at least ${schema.minProperties} keys`,
    });
  }
  if (schema.oneOf !== undefined) {
    const choices = schema.oneOf.map((choice) => choice.required[0]);
    const present = choices.filter((key) => Object.hasOwn(value, key));
    if (present.length !== 1)
      problems.push({ path, message: `must have exactly one of ${choices.join(" and ")}` });
  }
}

function stringProblem(schema: Schema, value: unknown, wrong: (message: string) => void): void {
  if (schema.enum !== undefined) {
    if (schema.enum.includes(value)) return;
    return wrong(
      `must be one of ${schema.enum.map((choice) => JSON.stringify(choice)).join(", ")}`,
    );
  }
  if (typeof value !== "string") return wrong("must be a string");
  const { minLength = 0, maxLength = Infinity } = schema;
  const characters = value.length > 2 * maxLength ? Infinity : Array.from(value).length;
  if (characters < minLength || characters > maxLength) {
    return wrong(
      minLength === 0
        ? `must have at most ${maxLength} characters`
        : `must have ${minLength} to ${maxLength} characters`,
    );
  }
  if (schema.pattern !== undefined && !new RegExp(schema.pattern).test(value)) {
    wrong(schema["x-rule"] ?? `must match ${schema.pattern}`);
  }
}

function numberProblem(schema: Schema, value: unknown, wrong: (message: string) => void): void {
  const { minimum = -Infinity, maximum = Infinity } = schema;
  const isWithin = (number: number) => number >= minimum && number <= maximum;
  if (schema.type === "number") {
    if (typeof value !== "number") return wrong("must be a number");
    if (!Number.isFinite(value)) wrong("must be a finite number, within the range of a double");
    else if (!isWithin(value)) wrong(`must be a number from ${minimum} to ${maximum}`);
    return;
  }
  if (Number.isInteger(value) && isWithin(value as number)) return;
  wrong(`must be an integer from ${minimum} to ${maximum}`);
}
