import type { CompleteConnectionBody } from "@lossless/protocol";
import type { Actor } from "../../database/audit/audit.ts";
import type { StoreError } from "../../buckets/bucket.ts";
import type { Clouds } from "../clouds/cloud.ts";
import { cloudTitles } from "../rows/connections/setup/issuer-reach.ts";
import { noSuchConnection, type StoredConnection } from "../rows/connections/stored-connection.ts";
import { ServiceError } from "../../ground/errors.ts";
import type { StoredLocation } from "../rows/locations/location.ts";
import { type Storage, writeOne } from "../../storage/storage.ts";
import { requireReach } from "./connection-reach.ts";
import { storeFailureOf } from "./store-failure.ts";

/** Completion of connections, as the HTTP side sees it. */
export interface ConnectionSetup {
  /** `PUT /connections`: asks the cloud, then saves. Throws ServiceError. */
  complete(request: CompleteConnection): Promise<StoredConnection>;
}

export interface CompleteConnection {
  organizationId: string;
  id: string;
  body: CompleteConnectionBody;
  by: Actor;
}

export interface ConnectionSetupSettings {
  storage: Storage;
  clouds: Clouds;
  /** Counts for the organization; throws `rate_limited`: the call goes to a chosen account. */
  takeProbe: (organizationId: string) => void;
}

export class VerifiedConnectionSetup implements ConnectionSetup {
  readonly #settings: ConnectionSetupSettings;

  constructor(settings: ConnectionSetupSettings) {
    this.#settings = settings;
  }

  /**
   * Completes a connection. The cloud is asked between two transactions; the second checks again
   * that the caller may do this. A refusal is kept in the row and changes nothing else (A47, A48);
   * an unreachable cloud changes nothing at all. Identifiers other than those of an active
   * connection must reach all of its buckets, whose objects would otherwise be cut off.
   */
  async complete({ organizationId, id, body, by }: CompleteConnection): Promise<StoredConnection> {
    const { storage, takeProbe } = this.#settings;
    const found = await storage.read("connection.find", { organizationId, id });
    if (found === null) throw noSuchConnection();
    if (found.cloud !== body.cloud) {
      const titles = `${cloudTitles[found.cloud]}, not to ${cloudTitles[body.cloud]}`;
      throw new ServiceError(
        "bad_request",
        `cloud must be ${found.cloud}: this connects to ${titles}.`,
      );
    }
    takeProbe(organizationId);
    const atStake = await this.#atStake(found, body);
    const failure = await this.#verify({ organizationId, id, body }, atStake);
    if (failure === undefined) {
      return writeOne(storage, "connection.complete", {
        organizationId,
        id,
        identifiers: body,
        reached: atStake.map((location) => location.id),
        by,
      });
    }
    if (failure.transient) throw unreachable(found, failure);
    const error = refusalText(found, failure);
    await writeOne(storage, "connection.refused", { organizationId, id, error, by });
    throw new ServiceError("bad_request", error);
  }

  /** The locations that would be reached by the new identifiers from now on. */
  async #atStake(
    { organizationId, id, identifiers }: StoredConnection,
    body: CompleteConnectionBody,
  ): Promise<StoredLocation[]> {
    if (identifiers === null || JSON.stringify(identifiers) === JSON.stringify(body)) return [];
    const locations = await this.#settings.storage.read("location.list", { organizationId });
    return locations.filter(({ connection }) => connection === id);
  }

  async #verify(
    { organizationId, id: connectionId, body: identifiers }: Omit<CompleteConnection, "by">,
    atStake: readonly StoredLocation[],
  ): Promise<StoreError | undefined> {
    try {
      const cloud = this.#settings.clouds[identifiers.cloud];
      const access = { organizationId, connectionId, identifiers };
      await cloud.verify(access);
      await requireReach(cloud, access, atStake);
      return undefined;
    } catch (error) {
      const failure = storeFailureOf(error);
      if (failure === undefined) throw error;
      return failure;
    }
  }
}

function refusalText({ cloud }: StoredConnection, { code, advice }: StoreError): string {
  const sentence = `${cloudTitles[cloud]} refused: ${code}.`;
  return advice === undefined ? sentence : `${sentence} ${advice}`;
}

function unreachable({ cloud }: StoredConnection, { code, advice }: StoreError): ServiceError {
  const sentence = `${cloudTitles[cloud]} could not be asked: ${code}. Nothing was changed; try again.`;
  return new ServiceError("upstream", advice === undefined ? sentence : `${sentence} ${advice}`);
}
