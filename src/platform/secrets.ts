import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** Encrypts secrets for the database under a key that is not in the database. */
export interface Secrets {
  /** True if there is a key. */
  readonly isReady: boolean
  /** @throws {NoSecretsKey} */
  encrypt(text: string, what: string): Buffer
  /** @param what the purpose given at encryption, so that one secret cannot replace another. @throws {NoSecretsKey} */
  decrypt(bytes: Uint8Array, what: string): string
}

/** SECRETS_KEY is missing, or differs from the one that encrypted the secret. */
export class NoSecretsKey extends Error {
  override readonly name = 'NoSecretsKey'
}

const NONCE_BYTES = 12
const TAG_BYTES = 16

/**
 * AES-256 in Galois/Counter Mode (NIST SP 800-38D), under a key derived from SECRETS_KEY (RFC 5869). @param key `undefined` if
 * SECRETS_KEY is not set: then nothing can be encrypted
 */
export function createSecrets(key: string | undefined): Secrets {
  const derived = key === undefined ? undefined : Buffer.from(hkdfSync('sha256', key, '', 'dripline secrets 1', 32))
  const known = (): Buffer => {
    if (!derived) throw new NoSecretsKey('SECRETS_KEY is not set')
    return derived
  }
  return {
    isReady: derived !== undefined,
    encrypt(text, what) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', known(), nonce).setAAD(Buffer.from(what))
      const hidden = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), hidden])
    },
    decrypt(bytes, what) {
      const cipher = createDecipheriv('aes-256-gcm', known(), bytes.subarray(0, NONCE_BYTES))
      cipher.setAAD(Buffer.from(what)).setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
      try {
        return Buffer.concat([cipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), cipher.final()]).toString('utf8')
      } catch (error) {
        throw new NoSecretsKey('SECRETS_KEY differs from the one that encrypted this secret', { cause: error })
      }
    },
  }
}
