import { formOfType, type StreamForm } from "../../experiments/series/stream-form.ts";

/**
 * Returns the form that Accept prefers among those it names; lines, the specified form, where it
 * names none that there is. A range of types means lines, and ranks below a named type.
 */
export function acceptedForm(accept: string | undefined): StreamForm {
  let best: StreamForm = "lines";
  let most = 0;
  for (const range of (accept ?? "").split(",")) {
    const [type, ...parameters] = range.split(";").map((word) => word.trim().toLowerCase());
    const form = formOf(type, parameters);
    if (form === undefined) continue;
    // A named type goes before a range of equal weight.
    const weight = weightOf(parameters) - (type.endsWith("*") ? 1e-6 : 0);
    if (weight > most) [best, most] = [form, weight];
  }
  return best;
}

function formOf(type: string, parameters: readonly string[]): StreamForm | undefined {
  if (type === "*/*" || type === "application/*") return "lines";
  const version = parameters.find((one) => one.startsWith("version="));
  return formOfType(type, version?.slice("version=".length));
}

/** The weight of a range: 1 unless it says otherwise, 0 if it is none. */
function weightOf(parameters: readonly string[]): number {
  const said = parameters.find((one) => one.startsWith("q="));
  if (said === undefined) return 1;
  return /^q=(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(said) ? Number(said.slice(2)) : 0;
}
