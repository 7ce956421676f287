import { idOfValues, isOfValues } from '../platform/ids.ts'

/**
 * The ID that stands for an address of which no contact exists: a message to it needs one. It is always the same for an address
 * of a workspace, so that the messages to it are found. It is a UUIDv8, and the IDs of contacts are UUIDv7.
 */
export const addressIdOf = (workspaceId: string, emailKey: string): string =>
  idOfValues('address', workspaceId, emailKey)

/** Returns whether an ID stands for an address and not for a contact. */
export const isAddressId = isOfValues
