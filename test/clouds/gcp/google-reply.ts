/** A reply of a Google interface; refusals are thrown. */
export interface GoogleReply {
  status: number;
  body?: unknown;
}

/** It has the form of the refusing interface: OAuth's, most interfaces', or Cloud Storage's own. */
export class GoogleRefusal extends Error {
  override name = "GoogleRefusal";
  readonly reply: GoogleReply;

  private constructor(reply: GoogleReply, message: string) {
    super(message);
    this.reply = reply;
  }

  static oauth(error: string, description: string): GoogleRefusal {
    return new GoogleRefusal(
      { status: 400, body: { error, error_description: description } },
      `${error}: ${description}`,
    );
  }

  static api(status: number, name: string, message: string, reason?: string): GoogleRefusal {
    const details = reason === undefined ? [] : [{ reason, domain: "googleapis.com" }];
    const error = { code: status, message, status: name, details };
    return new GoogleRefusal({ status, body: { error } }, `${name}: ${message}`);
  }

  static storage(status: number, reason: string, message: string): GoogleRefusal {
    const errors = [{ domain: "global", reason, message }];
    const error = { code: status, message, errors };
    return new GoogleRefusal({ status, body: { error } }, `${reason}: ${message}`);
  }
}
