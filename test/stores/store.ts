/** Coordinates of an S3 store for a client, of the double or a real one. */
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
