import { printXml, type XmlTree } from "../../stores/double/xml.ts";
import type { QueryError } from "./query-error.ts";

const metadata = { RequestId: "01234567-89ab-cdef-0123-456789abcdef" };

/** The forms in which IAM and STS answer. */
export const QueryPrinter = {
  result: (action: string, tree: XmlTree): string =>
    printXml(`${action}Response`, { [`${action}Result`]: tree, ResponseMetadata: metadata }),
  error: ({ code, message }: QueryError): string =>
    printXml("ErrorResponse", {
      Error: { Type: "Sender", Code: code, Message: message },
      ...metadata,
    }),
};
