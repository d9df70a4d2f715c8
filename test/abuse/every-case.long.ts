/** `npm run test:long`: the short forms of all abuses, on both databases. */
process.env.LOSSLESS_TEST_EVERY_CASE = "1";
await import("./abuse.test.ts");
