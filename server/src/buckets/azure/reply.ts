export interface AzureReply {
  status: number;
  headers: Headers;
  body: Buffer<ArrayBuffer>;
}
