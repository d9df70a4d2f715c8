/** The options of every campaign that is begun by hand, for `parseArgs`. */
export const campaignOptions = {
  seed: { type: "string" },
  help: { type: "boolean", default: false },
} as const;

/** Prints the seed by which a campaign can be repeated; with `--help` only the help is printed. */
export function begun(help: string, values: { seed?: string | undefined; help: boolean }): number {
  if (values.help) {
    console.log(help);
    process.exit();
  }
  const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
  console.log(`seed ${seed}`);
  return seed;
}
