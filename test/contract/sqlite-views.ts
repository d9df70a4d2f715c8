/** The views of the contract on SQLite, in one process; scripts/test.ts runs it as one suite. */
import { runTopics } from "./topics.ts";

runTopics("sqlite", "views-*");
