import type { Delivery, SendHooks, MailTransport, ConnectionSlot } from './transport.ts'

/** Maximum wait for a connection to the next server. The message occupies a worker slot in the meantime. */
const NEXT_MS = 3_000
/** A server with messages in flight that completed none for this time is skipped. */
const STALLED_MS = 10_000

/**
 * Combines servers in order of priority. A message goes to the first server, and to the next one only if it was certainly not
 * sent and the server is the cause. A message with an unknown outcome is never sent to another server. Neither is a message that
 * a server defers or rejects for its content or recipient, because other servers would respond the same way.
 *
 * @param given servers by priority, each with its own circuit breaker, so that a failing server is skipped immediately
 */
export function withFailOver(given: readonly MailTransport[], { stalledMs = STALLED_MS } = {}): MailTransport {
  if (given.length === 0) throw new Error('No mail server is configured')
  if (given.length === 1) return given[0]!
  const servers = given.map((transport) => new Server(transport, stalledMs))

  const failingOver = (turn: string, permit: ConnectionSlot, rest: readonly Server[]): ConnectionSlot => ({
    release: () => permit.release(),
    async deliver(email, handOver) {
      const once = new BeginOnce(handOver)
      let delivery = await permit.deliver(email, once.handOver)
      for (const next of rest) {
        if (!isToBeTriedElsewhere(delivery) || handOver.breakOff?.aborted || !once.mayGoOn) return delivery
        const another = await permitInTime(next, turn, handOver.breakOff)
        if (!another) return delivery
        const later = await another.deliver(email, once.handOver)
        // The claim was too old for the next server. Keep the result of the first one.
        if (later.kind === 'withdrawn') return delivery
        if (!isToBeTriedElsewhere(later)) return later
        delivery = { ...delivery, reason: `${delivery.reason}; next server: ${later.reason}` }
      }
      return delivery
    },
  })
  /** Lists the available servers by priority, or all servers if none is available. */
  const inOrder = () => {
    const available = servers.filter((server) => !server.isSkipped())
    return available.length > 0 ? available : servers
  }
  return {
    async permitSoon(turn) {
      const [first, ...rest] = inOrder()
      const permit = await first!.permitSoon(turn)
      return permit && failingOver(turn, permit, rest)
    },
    async permit(turn, signal) {
      const [first, ...rest] = inOrder()
      return failingOver(turn, await first!.permit(turn, signal), rest)
    },
    async tryConnection() {
      const failures = await Promise.all(given.map((transport) => transport.tryConnection()))
      const found = failures.flatMap((failure, n) => (failure === undefined ? [] : [`server ${n + 1}: ${failure}`]))
      return found.length === 0 ? undefined : found.join('; ')
    },
    usualMs: () => inOrder()[0]!.usualMs,
    isFailing: () => servers.every((server) => server.isSkipped()),
    drain() {
      for (const transport of given) transport.drain()
    },
    async close() {
      await Promise.all(given.map((transport) => transport.close()))
    },
  }
}

/** A server, and whether it makes progress. */
class Server {
  private readonly transport: MailTransport
  private readonly stalledMs: number
  private underWay = 0
  private lastEnd = 0

  constructor(transport: MailTransport, stalledMs: number) {
    this.transport = transport
    this.stalledMs = stalledMs
  }

  isSkipped(): boolean {
    if (this.transport.isFailing?.()) return true
    return this.underWay > 0 && performance.now() - this.lastEnd > this.stalledMs
  }

  get usualMs(): number | undefined {
    return this.transport.usualMs?.()
  }

  async permitSoon(turn: string): Promise<ConnectionSlot | undefined> {
    const permit = await this.transport.permitSoon(turn)
    return permit && this.watched(permit)
  }

  async permit(turn: string, signal: AbortSignal): Promise<ConnectionSlot> {
    return this.watched(await this.transport.permit(turn, signal))
  }

  private watched(permit: ConnectionSlot): ConnectionSlot {
    return {
      release: () => permit.release(),
      deliver: async (email, handOver) => {
        if (this.underWay === 0) this.lastEnd = performance.now()
        this.underWay += 1
        try {
          return await permit.deliver(email, handOver)
        } finally {
          this.underWay -= 1
          this.lastEnd = performance.now()
        }
      },
    }
  }
}

const isToBeTriedElsewhere = (delivery: Delivery): delivery is Extract<Delivery, { kind: 'not-sent' }> =>
  delivery.kind === 'not-sent' && delivery.serverFailed

/** Calls `begin` once for all servers, because it claims the message. Later servers may use the claim while it is fresh. */
class BeginOnce {
  readonly handOver: SendHooks
  private begun: Promise<boolean> | undefined
  private readonly given: SendHooks

  constructor(given: SendHooks) {
    this.given = given
    this.handOver = { ...given, begin: () => this.begin() }
  }

  /** Checks whether another server may be tried. */
  get mayGoOn(): boolean {
    return this.begun === undefined || (this.given.mayBeginAgain?.() ?? false)
  }

  private begin(): Promise<boolean> {
    if (this.begun) return this.begun.then((mayBegin) => mayBegin && this.mayGoOn)
    return (this.begun = this.given.begin())
  }
}

async function permitInTime(
  server: Server,
  turn: string,
  breakOff: AbortSignal | undefined,
): Promise<ConnectionSlot | undefined> {
  const signals = [AbortSignal.timeout(NEXT_MS), ...(breakOff ? [breakOff] : [])]
  try {
    return await server.permit(turn, AbortSignal.any(signals))
  } catch {
    return undefined
  }
}
