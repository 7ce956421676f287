import { hash, verify } from '@node-rs/argon2'
import { ConcurrencyLimit } from './concurrency-limit.ts'
import { normalForm } from './normal-form.ts'
import { BUSY, ApiError, defineError } from './api-error.ts'

/** NIST SP 800-63B-4, section 3.1.1.2: length matters, and there are no rules about characters. */
const MIN_LENGTH = 12
const MAX_LENGTH = 256

export const WEAK_PASSWORD = defineError(
  'invalid',
  'weak_password',
  `The password must have ${MIN_LENGTH} to ${MAX_LENGTH} characters, and must not be a common password`,
)

/** OWASP's first choice for Argon2id: 19 MiB, two passes, one lane. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Each hash takes 19 MiB and one of the four threads of libuv, which also serve file access and DNS lookups. */
const CONCURRENCY = {
  maxRunning: 2,
  maxWaiting: 100,
  maxWaitMs: 5_000,
  createError: () => new ApiError(BUSY, { message: 'Too many concurrent sign-ins. Please try again.' }),
}

/** @throws {ApiError} `weak_password` @param email the address of the account, which must not be part of the password */
export function assertGoodPassword(password: string, email: string): void {
  const { length } = [...password]
  const plain = password.toLowerCase()
  const isGuessed =
    new Set(plain).size < 5 ||
    FIRST_TRIED.some((word) => plain.replace(/[\d\W_]+$/, '') === word) ||
    email.toLowerCase().includes(plain) ||
    RUNS.some((run) => run.includes(plain))
  if (length < MIN_LENGTH || length > MAX_LENGTH || isGuessed) throw new ApiError(WEAK_PASSWORD, { param: '/password' })
}

const FIRST_TRIED = [
  'password',
  'passwordpassword',
  'letmeinletmein',
  'changemechangeme',
  'driplinedripline',
  'iloveyouiloveyou',
]
const RUNS = [
  'abcdefghijklmnopqrstuvwxyz',
  '12345678901234567890',
  'qwertyuiopasdfghjklzxcvbnm',
  'qwertzuiopasdfghjklyxcvbnm',
]

/** Hashes and checks passwords, a few at a time. */
export function createPasswords() {
  const limit = new ConcurrencyLimit(CONCURRENCY)
  /** A hash for addresses without an account, so that checking them takes as long as checking real accounts. */
  const dummyHash = hash(crypto.randomUUID(), COST)
  return {
    hash: (password: string): Promise<string> => limit.run('', () => hash(normal(password), COST)),
    /** @param stored `null` if there is no account, or it has no password */
    check: (password: string, stored: string | null): Promise<boolean> =>
      limit.run('', async () => (await verify(stored ?? (await dummyHash), normal(password))) && stored !== null),
  }
}

export type Passwords = ReturnType<typeof createPasswords>

/** Unifies characters that keyboards encode in several ways (NIST SP 800-63B-4, section 3.1.1.2; RFC 8265). */
const normal = (password: string): string => normalForm(password, 'NFKC')
