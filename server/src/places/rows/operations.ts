import { completeConnection, refuseConnection } from "./connections/complete.ts";
import { createConnection } from "./connections/create.ts";
import { removeConnection } from "./connections/remove.ts";
import { findConnection, listConnections } from "./connections/stored-connection.ts";
import { addKeys } from "./issuer/add.ts";
import { readKeys } from "./issuer/key.ts";
import { forgetKeys, rotateKeys } from "./issuer/rotate.ts";
import { addLocation } from "./locations/add.ts";
import { ensureBuiltInLocations } from "./locations/built-in.ts";
import { listLocations } from "./locations/location.ts";
import { provisionLocations } from "./locations/provisioned.ts";
import { updateLocation } from "./locations/update.ts";
import { readUsage } from "./locations/usage.ts";

export const placeWrites = {
  "connection.create": createConnection,
  "connection.complete": completeConnection,
  "connection.refused": refuseConnection,
  "connection.remove": removeConnection,
  "location.add": addLocation,
  "location.update": updateLocation,
  "location.ensureBuiltIn": ensureBuiltInLocations,
  "location.provision": provisionLocations,
  "issuer.add": addKeys,
  "issuer.rotate": rotateKeys,
  "issuer.forget": forgetKeys,
};

export const placeReads = {
  "connection.find": findConnection,
  "connection.list": listConnections,
  "location.list": listLocations,
  "issuer.keys": readKeys,
};

export const placeReplies = {
  "usage.read": readUsage,
};
