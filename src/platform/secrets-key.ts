import { ApiError, defineError } from './api-error.ts'
import { NoSecretsKey } from './secrets.ts'

export const SECRETS_KEY_MISSING = defineError(
  'taken',
  'secrets_key_missing',
  'Secrets are stored encrypted, but SECRETS_KEY is not set. Set it for the API and the workers.',
)

/** @throws {ApiError} `secrets_key_missing` instead of `NoSecretsKey` */
export async function withSecretsKey<Result>(run: () => Promise<Result> | Result): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    throw error instanceof NoSecretsKey ? new ApiError(SECRETS_KEY_MISSING, { cause: error }) : error
  }
}
