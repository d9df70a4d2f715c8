/** The organization that a read is for, whose share of the turns it takes. */
export function holderOf(input: unknown): string {
  const { organizationId } = (input ?? {}) as { organizationId?: unknown };
  return String(organizationId);
}
