/** Thrown when the contents of a backup are damaged or incomplete (exit code 5). */
export class BackupDamaged extends Error {
  override name = "BackupDamaged";
  /** The name of the piece, where it is one. */
  readonly piece: string | undefined;
  constructor(message: string, piece?: string) {
    super(message);
    this.piece = piece;
  }
}
