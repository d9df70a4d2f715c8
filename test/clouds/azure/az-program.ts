/**
 * Stands in for the `az` command line while a setup script runs: writes down what it is called
 * with, one JSON array a line, and answers as an empty subscription does. What was made by one call
 * is there for the next.
 */
import { appendFileSync, readFileSync } from "node:fs";

const file = process.env.AZ_CALLS ?? "";
const [tenantId, subscriptionId, clientId] = (process.env.AZ_IDS ?? "").split(" ");
const words = process.argv.slice(2);
const earlier = readFileSync(file, "utf8").split("\n").filter(Boolean);
const calls = earlier.map((line) => JSON.parse(line) as string[]);
appendFileSync(file, `${JSON.stringify(words)}\n`);

const verb = words
  .slice(
    0,
    words.findIndex((word) => word.startsWith("--")),
  )
  .join(" ");
const query = words[words.indexOf("--query") + 1];
const answer = answers()[verb];
if (answer === undefined) fail(`az: '${verb}' is no command of this double`);
if (answer !== "") console.log(answer);

/** Credentials that the script did not make: there are none. */
function isOfOthersAsked(): boolean {
  return query?.includes("name!=") === true;
}

function answers(): Record<string, string> {
  return {
    "account show": (query === "tenantId" ? tenantId : subscriptionId) ?? "",
    "ad app list": wasCalled("ad app create") ? clientId : "",
    "ad app create": clientId ?? "",
    "ad app credential list": "",
    "ad app federated-credential list": isOfOthersAsked()
      ? ""
      : wasCalled("ad app federated-credential create")
        ? "f"
        : "",
    "ad app federated-credential create": "",
    "ad app federated-credential update": "",
    "ad sp list": wasCalled("ad sp create") ? "principal" : "",
    "ad sp create": "principal",
    "provider show": "Registered",
    "group exists": String(wasCalled("group create")),
    "group create": "",
    "role assignment list": "",
    "role assignment create": "",
  };
}

function wasCalled(command: string): boolean {
  return calls.some((call) => call.join(" ").startsWith(command));
}

function fail(text: string): never {
  console.error(text);
  process.exit(1);
}
