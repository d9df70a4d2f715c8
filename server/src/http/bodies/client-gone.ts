/** The connection ended before the body did: no client is left to answer. */
export class ClientGone extends Error {
  override name = "ClientGone";

  constructor() {
    super("the request ended early");
  }
}
