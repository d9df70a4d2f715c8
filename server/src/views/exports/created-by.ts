/** The writer of a Parquet file, in the form that its readers know. */
export const createdBy = "lossless version 1 (build export)";
