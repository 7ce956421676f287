import { createHmac } from 'node:crypto'
import { type DriplineClient, DriplineError, type Schemas } from '@dripline/client'
import { defineCommand, UsageError } from '../command.ts'
import { readListenSecret } from '../listen-secret.ts'

type Event = Schemas['WebhookEvent']
type EventType = Schemas['WebhookInput']['events'][number]

/** The longest that the API waits for an event. */
const WAIT_SECONDS = 25
const FORWARD_TIMEOUT_MS = 30_000
/** Enough for a restart of the instance. */
const RETRIES = 12

export const listenCommands = [
  defineCommand({
    call: 'listen',
    what: 'Prints events as they happen, and forwards them to a server on this computer. Ctrl-C ends it.',
    options: {
      'forward-to': { takes: 'URL', what: 'where to send the events, signed like those of a webhook' },
      event: { takes: 'TYPE', many: true, what: 'only events of this type, such as message.bounced' },
      'print-secret': { what: 'only print the secret of the signatures, which stays the same on this computer' },
    },
    async run({ options, output, connect }) {
      if (options['print-secret']) {
        return output.result({ secret: readListenSecret(process.env) }, ({ secret }) => secret)
      }
      const forwardTo = options['forward-to']
      if (forwardTo !== undefined && !URL.canParse(forwardTo)) {
        throw new UsageError('--forward-to must be a URL, such as http://localhost:8080/hooks.')
      }
      const secret = forwardTo === undefined ? '' : readListenSecret(process.env)
      const stop = stopSignal()
      const dripline = connect({ retries: RETRIES })
      const { id, createdAt } = await dripline.webhooks.create({
        url: null,
        events: (options.event ?? ['*']) as EventType[],
        description: 'Temporary, for "dripline listen"',
      })
      try {
        output.note(forwardTo === undefined ? 'Listening.' : `Listening. The secret of the signatures is ${secret}`)
        for await (const event of eventsOf(dripline, id, stop)) {
          // The API also returns events of the minute before, if another webhook recorded them.
          if (event.createdAt < createdAt) continue
          const delivery = forwardTo === undefined ? {} : await forward(event, forwardTo, secret, stop)
          output.result({ event, ...delivery }, () => lineOf(event, delivery))
        }
      } catch (error) {
        if (!stop.aborted) throw error
      } finally {
        await dripline.webhooks.delete(id).catch(ignoreMissing)
      }
    },
  }),
]

/** Is aborted by Ctrl-C. A second one ends the process immediately. */
function stopSignal(): AbortSignal {
  const controller = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => controller.abort())
  return controller.signal
}

async function* eventsOf(
  dripline: DriplineClient,
  id: string,
  signal: AbortSignal,
): AsyncGenerator<Event, void, undefined> {
  let after: string | undefined
  while (!signal.aborted) {
    const query = { wait: WAIT_SECONDS, ...(after !== undefined && { after }) }
    const { events, cursor } = await dripline.webhooks.poll(id, query, { signal })
    yield* events
    after = cursor
  }
}

interface Delivery {
  /** The status of the response. */
  status?: number
  /** Why there was none. */
  problem?: string
}

/** Sends an event once, as a webhook sends it. */
async function forward(event: Event, url: string, secret: string, signal: AbortSignal): Promise<Delivery> {
  const body = JSON.stringify(event)
  const timestamp = Math.floor(Date.now() / 1000)
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const signature = createHmac('sha256', key).update(`${event.id}.${timestamp}.${body}`).digest('base64')
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': event.id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': `v1,${signature}`,
      },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(FORWARD_TIMEOUT_MS)]),
    })
    await response.body?.cancel()
    return { status: response.status }
  } catch (error) {
    signal.throwIfAborted()
    const { cause, message } = error as Error & { cause?: { code?: string } }
    return { problem: cause?.code ?? message }
  }
}

const lineOf = ({ createdAt, type, id }: Event, { status, problem }: Delivery): string =>
  [createdAt, type, id, status ?? problem].filter((part) => part !== undefined).join('  ')

/** Someone may have deleted the temporary webhook. */
function ignoreMissing(error: unknown): void {
  if (!(error instanceof DriplineError && error.status === 404)) throw error
}
