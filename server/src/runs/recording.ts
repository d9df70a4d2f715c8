/** What a call that brings points gets: appends them, all or none, and gives a PointResult each. */
export interface Recording {
  append?: () => Promise<Uint8Array>;
}
