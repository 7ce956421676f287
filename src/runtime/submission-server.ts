import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { listenForSubmissions, type SubmissionServer } from '../emails/index.ts'
import type { AuthenticateKey } from '../http/index.ts'
import type { Config } from '../platform/config.ts'
import type { Context } from './context.ts'
import { portProblem } from './running-service.ts'

/**
 * Accepts emails over SMTP if SMTP_SUBMISSION_PORT is set.
 * @throws {Error} naming the variable if the port is in use, or API keys would cross a network in plain text
 */
export async function startSubmissionServer(
  { config, dependencies, log }: Context,
  authenticateKey: AuthenticateKey,
): Promise<SubmissionServer | undefined> {
  const { SMTP_SUBMISSION_PORT: port, SMTP_SUBMISSION_HOST: host } = config
  if (port === undefined) return undefined
  const tls = tlsOf(config)
  if (tls === undefined && !isLoopback(host) && !config.SMTP_SUBMISSION_PLAINTEXT)
    throw new Error(
      'SMTP_SUBMISSION_HOST is not this machine, so API keys would cross the network in plain text. Set ' +
        'SMTP_SUBMISSION_CERT and SMTP_SUBMISSION_KEY, or SMTP_SUBMISSION_PLAINTEXT=true if the network is private',
    )
  try {
    const server = await listenForSubmissions({ ...dependencies, authenticateKey }, { port, host, tls })
    log.info({ port, host, tls: tls !== undefined }, 'Accepting emails over SMTP')
    return server
  } catch (error) {
    throw portProblem(error as NodeJS.ErrnoException, 'SMTP_SUBMISSION_PORT', port)
  }
}

/** @throws {Error} if only one of the two files is set */
function tlsOf({ SMTP_SUBMISSION_CERT: cert, SMTP_SUBMISSION_KEY: key }: Config) {
  if (cert === undefined && key === undefined) return undefined
  if (cert === undefined || key === undefined)
    throw new Error('SMTP_SUBMISSION_CERT and SMTP_SUBMISSION_KEY must be set together, or not at all')
  return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') }
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
