/**
 * Writes an `ar` archive, the outer format of a Debian package, with a header of 60 bytes a member.
 */
export function ar(
  members: readonly (readonly [name: string, content: Buffer])[],
  seconds: number,
) {
  const parts = members.flatMap(([name, content]) => {
    const fields = [
      name.padEnd(16),
      String(seconds).padEnd(12),
      "0".padEnd(6),
      "0".padEnd(6),
      "100644".padEnd(8),
      String(content.length).padEnd(10),
      "`\n",
    ];
    return [
      Buffer.from(fields.join("")),
      content,
      Buffer.from(content.length % 2 === 0 ? "" : "\n"),
    ];
  });
  return Buffer.concat([Buffer.from("!<arch>\n"), ...parts]);
}
