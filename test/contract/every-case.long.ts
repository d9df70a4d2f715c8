/** `npm run test:long`: who may do what on PostgreSQL, too. */
import { runTopics } from "./topics.ts";

process.env.LOSSLESS_TEST_EVERY_CASE = "1";
runTopics("postgres", "every-operation");
