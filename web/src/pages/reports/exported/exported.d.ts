/** Made by build.ts: the contents of a standalone file, and their SHA-256 in base64. */
declare module "exported:script" {
  export const text: string;
  export const hash: string;
}
declare module "exported:style" {
  export const text: string;
  export const hash: string;
}
