/** Thrown for data in a format of a newer release: none of it is read or changed. */
export class NewerFormat extends Error {
  override name = "NewerFormat";
}
