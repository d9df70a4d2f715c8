/** Made by build.ts: what a file that stands for itself has in it, and its SHA-256 in base64. */
declare module "exported:script" {
  export const text: string;
  export const hash: string;
}
declare module "exported:style" {
  export const text: string;
  export const hash: string;
}
