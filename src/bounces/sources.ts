import type { EntityManager } from '../platform/db/orm.ts'
import { FRESH_READ, unitOf } from '../platform/db/sql.ts'
import { invalid, ApiError } from '../platform/api-error.ts'
import type { Secrets } from '../platform/secrets.ts'
import { SECRETS_KEY_MISSING } from '../platform/secrets-key.ts'
import { FeedbackSource } from './entities.ts'
import { findProvider } from './providers/index.ts'
import { FEEDBACK_SOURCE_NOT_FOUND } from './errors.ts'

/** Purpose of the encrypted credential: see `Secrets.encrypt`. */
export const CREDENTIAL_PURPOSE = 'feedback'

/** Lists the providers that have a credential in a workspace. */
export const listSources = (em: EntityManager, workspaceId: string): Promise<FeedbackSource[]> =>
  unitOf(em).find(FeedbackSource, { workspaceId }, FRESH_READ)

/**
 * Sets the credential that authenticates a provider's calls.
 * @throws {ApiError} `feedback_source_not_found`; `invalid`; `secrets_key_missing`
 */
export async function setSource(
  em: EntityManager,
  secrets: Secrets,
  workspaceId: string,
  { provider, credential }: { provider: string; credential: string },
): Promise<FeedbackSource> {
  const known = findProvider(provider)
  if (!known) throw new ApiError(FEEDBACK_SOURCE_NOT_FOUND)
  const problem = known.problemOf(credential)
  if (problem !== undefined) throw invalid(`credential ${problem}`, '/credential')
  if (!secrets.isReady) throw new ApiError(SECRETS_KEY_MISSING)
  const unit = unitOf(em)
  const kept = secrets.encrypt(credential, CREDENTIAL_PURPOSE)
  await unit.upsert(FeedbackSource, { workspaceId, provider, credential: kept, updatedAt: new Date() })
  return unit.findOneOrFail(FeedbackSource, { workspaceId, provider }, FRESH_READ)
}

/** Deletes a provider's credential, so that its calls are rejected. @throws {ApiError} `feedback_source_not_found` */
export async function deleteSource(em: EntityManager, workspaceId: string, provider: string): Promise<void> {
  const deleted = await unitOf(em).nativeDelete(FeedbackSource, { workspaceId, provider })
  if (deleted === 0) throw new ApiError(FEEDBACK_SOURCE_NOT_FOUND)
}
