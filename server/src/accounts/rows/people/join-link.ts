/**
 * Address of the page where a person takes an invitation, the link of the first start, or one for a
 * new password.
 */
export function joinLink(baseUrl: string, secret: string): string {
  return `${baseUrl}/join?token=${secret}`;
}
