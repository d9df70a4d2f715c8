/** What a client has to know of an S3 store; the double and real ones are handed on as this. */
export interface StoreCoordinates {
  name: string;
  endpoint: string;
  region: string;
  pathStyle: boolean;
  accessKeyId: string;
  secretAccessKey: string;
}

export interface S3Store extends StoreCoordinates {
  createBucket(name: string): Promise<void>;
}
