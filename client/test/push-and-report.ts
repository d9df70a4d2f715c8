/** `push-and-report.ts URL PATH`: pushes, and prints the most memory that this process has had. */
import { LosslessClient } from "../src/index.ts";
import { push } from "../src/files/index.ts";

const [baseUrl = "", path = "", recordDirectory = ""] = process.argv.slice(2);
const client = new LosslessClient({ baseUrl, apiKey: "ak_test" });
await push(client, { artifact: "large", path, recordDirectory });
// Kilobytes on every system that node runs on.
console.log(process.resourceUsage().maxRSS * 1_024);
