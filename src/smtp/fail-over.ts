import type { Delivery, SendHooks, MailTransport, ConnectionSlot } from './transport.ts'

/** How long one that failed elsewhere waits for a connection of the next server, in milliseconds: it keeps a slot of its worker. */
const NEXT_MS = 3_000
/** A server that has something to do, and has come to no end with anything for so long, in milliseconds, is passed by. */
const STALLED_MS = 10_000

/**
 * Several servers in an order: each message goes to the first one, and to the next where it is certain that it has not been sent, and that
 * the server is to blame. Of which nobody knows whether it was sent, no other one is told; and what a server puts off or refuses for its
 * own sake another one would, too.
 *
 * @param given the first one first, each with a circuit breaker of its own: a server that fails is passed by at once
 */
export function withFailOver(given: readonly MailTransport[], { stalledMs = STALLED_MS } = {}): MailTransport {
  if (given.length === 0) throw new Error('There is no mail server')
  if (given.length === 1) return given[0]!
  const servers = given.map((transport) => new Server(transport, stalledMs))

  const failingOver = (turn: string, permit: ConnectionSlot, rest: readonly Server[]): ConnectionSlot => ({
    release: () => permit.release(),
    async deliver(email, handOver) {
      const asking = new AskingOnce(handOver)
      let delivery = await permit.deliver(email, asking.handOver)
      for (const next of rest) {
        if (!isToBeTriedElsewhere(delivery) || handOver.breakOff?.aborted || !asking.mayGoOn) return delivery
        const another = await permitInTime(next, turn, handOver.breakOff)
        if (!another) return delivery
        const later = await another.deliver(email, asking.handOver)
        // It was too late for that one: what the first one said is what is known.
        if (later.kind === 'withdrawn') return delivery
        if (!isToBeTriedElsewhere(later)) return later
        delivery = { ...delivery, reason: `${delivery.reason}; and the next one: ${later.reason}` }
      }
      return delivery
    },
  })
  /** Those that may be asked, in their order: where none may, the first one is waited for. */
  const inOrder = () => {
    const asked = servers.filter((server) => !server.isPassedBy())
    return asked.length > 0 ? asked : servers
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
    isFailing: () => servers.every((server) => server.isPassedBy()),
    drain() {
      for (const transport of given) transport.drain()
    },
    async close() {
      await Promise.all(given.map((transport) => transport.close()))
    },
  }
}

/** One of them, and whether it gets on with what it has. */
class Server {
  private readonly transport: MailTransport
  private readonly stalledMs: number
  private underWay = 0
  private lastEnd = 0

  constructor(transport: MailTransport, stalledMs: number) {
    this.transport = transport
    this.stalledMs = stalledMs
  }

  isPassedBy(): boolean {
    if (this.transport.isFailing?.()) return true
    return this.underWay > 0 && performance.now() - this.lastEnd > this.stalledMs
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

/** Whether a message may flow is asked once, whatever server waits for it: behind that it is claimed, as long as that is young. */
class AskingOnce {
  readonly handOver: SendHooks
  private begun: Promise<boolean> | undefined
  private readonly given: SendHooks

  constructor(given: SendHooks) {
    this.given = given
    this.handOver = { ...given, begin: () => this.begin() }
  }

  /** Whether another server may be asked to take it. */
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
