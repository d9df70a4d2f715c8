/** What a backup holds is not what was written, or not all of it is there (exit code 5). */
export class BackupDamaged extends Error {
  override name = "BackupDamaged";
  /** The name of the piece, where it is one. */
  readonly piece: string | undefined;
  constructor(message: string, piece?: string) {
    super(message);
    this.piece = piece;
  }
}
