/** The rest of the contract on PostgreSQL, in one process; scripts/test.ts runs it as one suite. */
import { runTopics } from "./topics.ts";

runTopics("postgres", "!(artifacts-*|views-*)");
