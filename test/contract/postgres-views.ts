/** The views of the contract on PostgreSQL, in one process; scripts/test.ts runs it as a suite. */
import { runTopics } from "./topics.ts";

runTopics("postgres", "views-*");
