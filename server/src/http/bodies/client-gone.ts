/** The connection ended before the body did: there is nobody to answer. */
export class ClientGone extends Error {
  override name = "ClientGone";

  constructor() {
    super("the request ended early");
  }
}
