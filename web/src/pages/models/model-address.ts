/** The page of a registered model. */
export function modelAddress(model: string): string {
  return `/model?${new URLSearchParams({ name: model }).toString()}`;
}
