import type { Log } from '../outbox/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { CANNOT_DELIVER } from './mail-mode.ts'
import { readSendingGate } from './sending-gate-queries.ts'
import { SENDING_DISABLED, type SendingGate } from './sending-gate.ts'

/** Milliseconds between two checks of a running process. */
const INTERVAL_MS = 15_000

const CAPTURED_ELSEWHERE =
  'This instance captures its mail and delivers none, because another process was started with MAIL_CAPTURE=true. To deliver ' +
  'mail again, start a process with SMTP_URL and without MAIL_CAPTURE'

export interface GateWatch {
  /** Returns the reason why this process cannot send mail that the instance delivers, if there is one. */
  problem(): string | undefined
  stop(): void
}

/** The log messages for a change of the gate. */
export function changesOf(
  before: SendingGate | undefined,
  after: SendingGate,
  { delivers }: { delivers: boolean },
): { level: 'info' | 'warn'; message: string }[] {
  const changes: ReturnType<typeof changesOf> = []
  const wasOpen = before?.isOpen ?? true
  if (wasOpen && !after.isOpen) changes.push({ level: 'warn', message: SENDING_DISABLED })
  if (!wasOpen && after.isOpen) changes.push({ level: 'info', message: 'Sending is enabled again' })
  if (!delivers || before?.mail === after.mail) return changes
  if (after.mail === 'capture') changes.push({ level: 'warn', message: CAPTURED_ELSEWHERE })
  if (before?.mail === 'capture') changes.push({ level: 'info', message: 'Mail is delivered again' })
  return changes
}

/**
 * Logs when another process closes or opens the gate, or changes how mail is sent. Sending does not depend on it: each message
 * checks the gate itself. @param options.smtp whether this process has a mail server @param options.delivers whether it makes the
 * instance deliver its mail
 */
export async function watchSendingGate(
  em: EntityManager,
  {
    smtp,
    delivers,
    log,
    intervalMs = INTERVAL_MS,
  }: { smtp: boolean; delivers: boolean; log: Log; intervalMs?: number },
): Promise<GateWatch> {
  let seen: SendingGate | undefined
  const look = async () => {
    const gate = await readSendingGate(em.fork())
    for (const { level, message } of changesOf(seen, gate, { delivers })) log[level]({}, message)
    seen = gate
  }
  await look()
  // If Postgres does not respond, the last known state applies.
  const timer = setInterval(() => void look().catch(() => undefined), intervalMs).unref()
  return {
    problem: () => (seen?.mail === 'smtp' && !smtp ? CANNOT_DELIVER : undefined),
    stop: () => clearInterval(timer),
  }
}
