/** An error of AWS's query interfaces. */
export class QueryError extends Error {
  override name = "QueryError";
  readonly code: string;
  readonly status: number;

  constructor(code: string, message: string, status = 400) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

export type Form = ReadonlyMap<string, string>;

export function field(form: Form, name: string): string {
  const value = form.get(name);
  if (value === undefined || value === "")
    throw new QueryError("ValidationError", `${name} is missing.`);
  return value;
}
