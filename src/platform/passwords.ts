import { hash, verify } from '@node-rs/argon2'
import { ConcurrencyLimit } from './concurrency-limit.ts'
import { normalForm } from './normal-form.ts'
import { BUSY, ApiError, defineError } from './api-error.ts'

/** As NIST SP 800-63B-4, section 3.1.1.2, has them: length counts, and no rule of which characters. */
const SHORTEST = 12
const LONGEST = 256

export const WEAK_PASSWORD = defineError(
  'invalid',
  'weak_password',
  `The password must have ${SHORTEST} to ${LONGEST} characters, and not be what everybody tries first`,
)

/** OWASP's first choice for Argon2id: 19 MiB, two passes, one lane. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Each takes 19 MiB and a thread of libuv's four, which files and names are looked up in, too. */
const CONCURRENCY = {
  maxRunning: 2,
  maxWaiting: 100,
  maxWaitMs: 5_000,
  createError: () => new ApiError(BUSY, { message: 'Too many sign-ins at a time; please try again' }),
}

/** @throws {ApiError} `weak_password` @param email whose it is: nobody's is in their address */
export function assertGoodPassword(password: string, email: string): void {
  const { length } = [...password]
  const plain = password.toLowerCase()
  const isGuessed =
    new Set(plain).size < 5 ||
    FIRST_TRIED.some((word) => plain.replace(/[\d\W_]+$/, '') === word) ||
    email.toLowerCase().includes(plain) ||
    RUNS.some((run) => run.includes(plain))
  if (length < SHORTEST || length > LONGEST || isGuessed) throw new ApiError(WEAK_PASSWORD, { param: '/password' })
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
  /** Of nobody: whoever has no account is checked as long as whoever has one. */
  const nobodys = hash(crypto.randomUUID(), COST)
  return {
    hash: (password: string): Promise<string> => limit.run('', () => hash(normal(password), COST)),
    /** @param stored `null` where there is no account, or none with a password */
    check: (password: string, stored: string | null): Promise<boolean> =>
      limit.run('', async () => (await verify(stored ?? (await nobodys), normal(password))) && stored !== null),
  }
}

export type Passwords = ReturnType<typeof createPasswords>

/** One spelling of what keyboards write in several (NIST SP 800-63B-4, section 3.1.1.2; RFC 8265). */
const normal = (password: string): string => normalForm(password, 'NFKC')
