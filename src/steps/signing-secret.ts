import { ApiError } from '../platform/api-error.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import type { Secrets } from '../platform/secrets.ts'
import { SECRETS_KEY_MISSING, withSecretsKey } from '../platform/secrets-key.ts'
import { newSigningSecret } from '../platform/webhook-signature.ts'
import { addSigningSecret, findSigningSecret, replaceSigningSecret } from './signing-secret-queries.ts'

/** Purpose of the encrypted secret: see `Secrets.encrypt`. */
const purposeOf = (workspaceId: string): string => `webhook ${workspaceId}`

/**
 * Returns the secrets that sign a workspace's webhooks: the current one, and for a day the one before. Creates the first one.
 *
 * @returns an empty list if there is no SECRETS_KEY to encrypt the first one
 * @throws {NoSecretsKey} if this process cannot decrypt it
 */
export async function readSigningSecrets(em: EntityManager, secrets: Secrets, workspaceId: string): Promise<string[]> {
  const purpose = purposeOf(workspaceId)
  let found = await findSigningSecret(em, workspaceId)
  if (!found) {
    if (!secrets.isReady) return []
    await addSigningSecret(em, workspaceId, secrets.encrypt(newSigningSecret(), purpose))
    found = await findSigningSecret(em, workspaceId)
  }
  // The workspace is deleted.
  if (!found) return []
  const current = secrets.decrypt(found.secret, purpose)
  return found.previous === null ? [current] : [current, secrets.decrypt(found.previous, purpose)]
}

/** Returns the current secret. @throws {ApiError} `secrets_key_missing` */
export async function getSigningSecret(em: EntityManager, secrets: Secrets, workspaceId: string): Promise<string> {
  const [current] = await withSecretsKey(() => readSigningSecrets(em, secrets, workspaceId))
  if (current === undefined) throw new ApiError(SECRETS_KEY_MISSING)
  return current
}

/** Replaces the secret. The one before signs, too, for a day. @throws {ApiError} `secrets_key_missing` */
export async function rotateSigningSecret(em: EntityManager, secrets: Secrets, workspaceId: string): Promise<string> {
  const secret = newSigningSecret()
  // A secret that can no longer be decrypted is of no use.
  const isReadable = await readSigningSecrets(em, secrets, workspaceId).then(
    () => true,
    () => false,
  )
  await withSecretsKey(() =>
    replaceSigningSecret(em, workspaceId, secrets.encrypt(secret, purposeOf(workspaceId)), isReadable),
  )
  return secret
}
