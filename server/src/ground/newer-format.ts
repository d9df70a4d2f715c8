/** Data of a format that a newer release wrote: nothing of it is read or changed. */
export class NewerFormat extends Error {
  override name = "NewerFormat";
}
