export function urlOf(ports: readonly number[], database: string): string {
  return `postgres://lossless@${ports.map((port) => `127.0.0.1:${port}`).join()}/${database}`;
}
