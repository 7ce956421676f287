import http from 'node:http'
import https from 'node:https'
import { setTimeout as delay } from 'node:timers/promises'
import { signedHeaders } from '../platform/webhook-signature.ts'
import { notifyOwners } from '../accounts/index.ts'
import type { Log } from '../outbox/index.ts'
import { batch } from '../platform/batcher.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { pipelined } from '../platform/db/sql.ts'
import { type PublicResponse, requestPublic } from '../platform/public-request.ts'
import { NoSecretsKey, type Secrets } from '../platform/secrets.ts'
import { secretPurpose } from './endpoints.ts'
import { payloadOf } from './event-types.ts'
import {
  type DueEndpoint,
  type FailedEndpoint,
  findRemaining,
  LEASE_SECONDS,
  type LeasedDelivery,
  leaseDeliveries,
  lockDueEndpoints,
  type OutcomeRow,
  releaseDeliveries,
  setFailing,
  setHealthy,
  writeOutcomes,
} from './queries.ts'
import { planOutcome } from './plan-outcome.ts'

/** Requests that a worker sends to an endpoint at a time. An endpoint that fails gets few, so that it costs others nothing. */
const IN_FLIGHT = { healthy: 10, failing: 2 }
/** Deliveries of an endpoint that a worker takes in advance, so that sending does not wait for Postgres. */
const TAKEN = { healthy: 100, failing: 4 }
/** Milliseconds between two checks if nothing was due. */
const IDLE_MS = 500
/** Maximum milliseconds between checks after failures, for example if Postgres is down. */
const MAX_PAUSE_MS = 15_000
/** Milliseconds for which a delivery may be sent without checking again that its contact was not erased. */
const FRESH_MS = 1_000
/** Milliseconds before the end of a lease at which no request begins: a request takes at most 10 seconds. */
const LEASE_MARGIN_MS = 15_000
/** Seconds until another worker may be able to sign. */
const ELSEWHERE_RETRY_SECONDS = 10
/** Milliseconds for which an idle connection stays open. */
const KEPT_OPEN_MS = 15_000

export interface WebhookDependencies {
  em: EntityManager
  log: Log
  secrets: Secrets
}

export interface WebhookOptions {
  /** Names and addresses in private networks that webhooks may reach. */
  allowedHosts: readonly string[]
  idleMs?: number
  timeoutMs?: number
  freshMs?: number
  /** The HTTP client. */
  request?: typeof requestPublic
}

export interface WebhookDeliveries {
  /** Rejects if the loop ended because of a bug. */
  ended: Promise<void>
  /** @param graceMs milliseconds for requests in flight to complete. Others are sent again, with the same ID */
  stop(graceMs?: number): Promise<void>
}

/** A delivery that this worker has taken, and when it was last known to exist. */
type Taken = LeasedDelivery & { takenAt: number; checkedAt: number }

/** An outcome to record. */
interface Recorded {
  outcome: OutcomeRow
  /** The receiver wants no more events. */
  isGone: boolean
  /** Whether the endpoint was failing before the attempt. */
  wasFailing: boolean
}

/** The deliveries of one endpoint that this worker has taken. */
interface Lane {
  endpoint: DueEndpoint
  secrets: readonly string[]
  waiting: Taken[]
  inFlight: Set<Taken>
  /** Answered, but the outcome is not recorded yet. */
  answered: Set<Taken>
}

/**
 * Delivers events to endpoints. Any number of workers can do this, and any of them can be killed: a delivery belongs to a worker
 * until its lease ends, and is then sent again with the same ID.
 *
 * Each endpoint has its own lane, so that one that hangs does not delay another.
 */
export function startWebhookDeliveries(dependencies: WebhookDependencies, options: WebhookOptions): WebhookDeliveries {
  const { em, log, secrets } = dependencies
  const { allowedHosts, idleMs = IDLE_MS, timeoutMs, freshMs = FRESH_MS, request = requestPublic } = options
  const stopping = new AbortController()
  const agentOptions = { keepAlive: true, maxFreeSockets: IN_FLIGHT.healthy, timeout: KEPT_OPEN_MS }
  const agents = { http: new http.Agent(agentOptions), https: new https.Agent(agentOptions) }
  const lanes = new Map<string, Lane>()
  /** Ends the pause of the loop. */
  let wake = () => {}
  let isAborted = false
  /** Whether the last statement found fewer deliveries than wanted. */
  let foundFew = false

  const record = batch<Recorded, undefined>(
    () => '',
    async (items) => {
      await recordOutcomes(dependencies, items)
      return items.map(() => undefined)
    },
  )

  /** Takes deliveries that are due, and begins to send them. */
  async function take(): Promise<void> {
    // The time before the lease: this process may be stopped after it. Test: the simulation's world `webhooks-stopped`.
    const now = Date.now()
    const full = [...lanes].flatMap(([id, lane]) => (isFull(lane) ? [id] : []))
    const considered = foundFew ? 'many' : 'few'
    foundFew = false
    const { endpoints, wanted, leased } = await pipelined(em.fork(), async (unit) => {
      const endpoints = await lockDueEndpoints(unit, full)
      const wanted = endpoints.map((endpoint) => {
        const lane = lanes.get(endpoint.id)
        return { id: endpoint.id, max: Math.max(0, limitOf(TAKEN, endpoint) - (lane ? heldBy(lane) : 0)) }
      })
      return async () => ({
        endpoints,
        wanted,
        leased: wanted.length === 0 ? [] : await leaseDeliveries(unit, wanted, considered),
      })
    })
    foundFew = leased.length < wanted.reduce((sum, { max }) => sum + max, 0)
    const byEndpoint = Map.groupBy(leased, ({ endpointId }) => endpointId)
    for (const endpoint of endpoints) {
      const taken = (byEndpoint.get(endpoint.id) ?? []).map((one) => ({ ...one, takenAt: now, checkedAt: now }))
      if (taken.length === 0) continue
      const own = readSecrets(endpoint)
      if (!own) await releaseDeliveries(em.fork(), taken, ELSEWHERE_RETRY_SECONDS)
      else {
        const lane = lanes.get(endpoint.id) ?? {
          endpoint,
          secrets: own,
          waiting: [],
          inFlight: new Set(),
          answered: new Set(),
        }
        // The endpoint may have been changed, or have recovered.
        Object.assign(lane, { endpoint, secrets: own })
        lane.waiting.push(...taken)
        lanes.set(endpoint.id, lane)
        pump(lane)
      }
    }
  }

  function readSecrets({ id, secret, previousSecret }: DueEndpoint): string[] | undefined {
    try {
      const purpose = secretPurpose(id)
      return [secret, ...(previousSecret ? [previousSecret] : [])].map((one) => secrets.decrypt(one, purpose))
    } catch (error) {
      if (!(error instanceof NoSecretsKey)) throw error
      log.warn({ webhookId: id, reason: error.message }, 'A webhook waits for a worker that can sign its requests')
      return undefined
    }
  }

  /** Begins as many requests of a lane as it may have in flight. */
  function pump(lane: Lane): void {
    while (!stopping.signal.aborted && lane.inFlight.size < limitOf(IN_FLIGHT, lane.endpoint)) {
      const next = lane.waiting.shift()
      if (!next) break
      lane.inFlight.add(next)
      void attempt(lane, next)
    }
    if (heldBy(lane) === 0) lanes.delete(lane.endpoint.id)
  }

  async function attempt(lane: Lane, delivery: Taken): Promise<void> {
    try {
      const recorded = (await mayBeSent(lane, delivery)) ? await deliver(lane, delivery) : undefined
      // The next request does not wait for Postgres.
      lane.answered.add(delivery)
      lane.inFlight.delete(delivery)
      pump(lane)
      if (recorded) await record(recorded)
    } catch (error) {
      // The delivery is sent again when its lease ends.
      log.warn({ error, webhookId: lane.endpoint.id }, 'The outcome of a webhook could not be recorded')
    } finally {
      lane.inFlight.delete(delivery)
      lane.answered.delete(delivery)
      pump(lane)
      if (!isFull(lane)) wake()
    }
  }

  /** Checks that a delivery still belongs to this worker, and that its contact was not erased. */
  async function mayBeSent(lane: Lane, delivery: Taken): Promise<boolean> {
    // Race: the process is stopped during a check, and the contact is erased in the meantime. Guard: a check that took longer than
    // `FRESH_MS` is repeated. Test: the simulation's world `webhooks-stopped`.
    for (;;) {
      const now = Date.now()
      if (now - delivery.takenAt > LEASE_SECONDS * 1_000 - LEASE_MARGIN_MS) {
        await releaseDeliveries(em.fork(), [delivery], 0)
        return false
      }
      if (now - delivery.checkedAt <= freshMs) return true
      const checked = [delivery, ...lane.waiting]
      const remaining = await findRemaining(em.fork(), checked, lane.endpoint.revision)
      const isLeft = ({ eventPosition, endpointId }: Taken) => remaining.has(`${eventPosition} ${endpointId}`)
      for (const one of checked.filter(isLeft)) one.checkedAt = now
      // Those of a changed endpoint are taken again, with its present URL and secrets. Requests that check at the same time see the
      // same deliveries; only one of them gives each back, because it may be taken again at once.
      const others = lane.waiting.filter((one) => checked.includes(one) && !isLeft(one))
      lane.waiting = lane.waiting.filter((one) => !others.includes(one))
      if (!isLeft(delivery)) others.push(delivery)
      if (others.length > 0) await releaseDeliveries(em.fork(), others, 0)
      if (!isLeft(delivery)) return false
      if (Date.now() - now <= FRESH_MS) return true
    }
  }

  /** Sends a request. @returns the outcome; `undefined` if this worker was stopped in the meantime */
  async function deliver(lane: Lane, delivery: Taken): Promise<Recorded | undefined> {
    const { endpoint } = lane
    const { event, eventPosition, endpointId, attempts } = delivery
    const at = new Date()
    const began = performance.now()
    const body = JSON.stringify(payloadOf(event))
    const response = await request(
      {
        url: endpoint.url,
        method: 'POST',
        headers: {
          'User-Agent': 'Dripline',
          'Content-Type': 'application/json',
          ...signedHeaders(lane.secrets, { id: event.id, at, body }),
        },
        body,
        readsBody: 'beginning',
      },
      { allowedHosts, agents, ...(timeoutMs !== undefined && { timeoutMs }) },
    )
    if (isAborted) return undefined
    const outcome = planOutcome(response, attempts, new Date())
    const wasFailing = endpoint.isFailing
    // Not of `endpoint`, which may have been read again in the meantime.
    lane.endpoint.isFailing = outcome.status !== 'DELIVERED'
    if (lane.endpoint.isFailing) await leaveSome(lane)
    return {
      outcome: {
        event_position: eventPosition,
        endpoint_id: endpointId,
        attempts,
        status: outcome.status,
        due_in: outcome.status === 'PENDING' ? outcome.dueInSeconds : 0,
        entry: {
          at: at.toISOString(),
          durationMs: Math.round(performance.now() - began),
          url: endpoint.url,
          ...describe(response),
        },
      },
      isGone: outcome.status === 'FAILED' && outcome.isGone,
      wasFailing,
    }
  }

  /** Gives back the deliveries that a failing endpoint would get too late. */
  async function leaveSome(lane: Lane): Promise<void> {
    const rest = lane.waiting.splice(TAKEN.failing)
    if (rest.length > 0) await releaseDeliveries(em.fork(), rest, 0)
  }

  async function loop(): Promise<void> {
    for (let pause = idleMs; !stopping.signal.aborted;) {
      const woken = new Promise<void>((resolve) => (wake = resolve))
      const hurry = new AbortController()
      const wait = (ms: number) =>
        delay(ms, undefined, { signal: AbortSignal.any([stopping.signal, hurry.signal]) }).catch(() => undefined)
      try {
        await take()
        pause = idleMs
        await Promise.race([woken, wait(pause)])
      } catch (error) {
        log.warn({ error }, 'Webhooks could not be delivered; retrying')
        pause = Math.min(pause * 2, MAX_PAUSE_MS)
        await wait(pause)
      } finally {
        hurry.abort()
      }
    }
  }

  const ended = loop()
  return {
    ended,
    async stop(graceMs = 0) {
      stopping.abort()
      wake()
      await ended
      const deadline = Date.now() + graceMs
      const inFlight = () => [...lanes.values()].flatMap((lane) => [...lane.inFlight])
      const isBusy = () => [...lanes.values()].some((lane) => lane.inFlight.size + lane.answered.size > 0)
      while (isBusy() && Date.now() < deadline) await delay(20)
      // Another worker takes the rest at once.
      isAborted = true
      const rest = [...lanes.values()].flatMap((lane) => lane.waiting.splice(0)).concat(inFlight())
      agents.http.destroy()
      agents.https.destroy()
      if (rest.length > 0) await releaseDeliveries(em.fork(), rest, 0).catch(() => undefined)
    },
  }
}

const heldBy = ({ waiting, inFlight, answered }: Lane): number => waiting.length + inFlight.size + answered.size

/** Returns whether a lane has enough deliveries for now. */
const isFull = (lane: Lane): boolean => heldBy(lane) > limitOf(TAKEN, lane.endpoint) / 2

const limitOf = (limits: { healthy: number; failing: number }, { isFailing }: DueEndpoint): number =>
  isFailing ? limits.failing : limits.healthy

/** Describes a response for the log. Postgres cannot store NUL. */
const describe = (response: PublicResponse): Pick<OutcomeRow['entry'], 'status' | 'problem' | 'response'> =>
  'status' in response
    ? { status: response.status, problem: null, response: response.text?.replaceAll('\0', '\ufffd') ?? null }
    : { status: null, problem: response.problem, response: null }

/** Records the outcomes of attempts, and then the health of their endpoints, if it changed. */
async function recordOutcomes({ em, log }: WebhookDependencies, items: readonly Recorded[]): Promise<void> {
  await writeOutcomes(
    em.fork(),
    items.map(({ outcome }) => outcome),
  )
  const idsOf = (some: readonly Recorded[]) => [...new Set(some.map(({ outcome }) => outcome.endpoint_id))]
  const isSuccess = ({ outcome }: Recorded) => outcome.status === 'DELIVERED'
  const healthy = idsOf(items.filter(isSuccess))
  const recovered = idsOf(items.filter((item) => isSuccess(item) && item.wasFailing))
  const failed = new Map<string, FailedEndpoint>()
  for (const { outcome, isGone } of items.filter((item) => !isSuccess(item))) {
    const { endpoint_id: id, entry } = outcome
    if (healthy.includes(id) && !isGone) continue
    failed.set(id, { id, url: entry.url, isGone: isGone || (failed.get(id)?.isGone ?? false) })
  }
  if (recovered.length > 0) await setHealthy(em.fork(), recovered)
  if (failed.size === 0) return
  for (const { id, workspaceId, reason } of await disableFailing(em, [...failed.values()]))
    log.warn({ webhookId: id, workspaceId, reason }, 'A webhook was disabled')
}

/** Records failures. If that disables endpoints, the emails to their owners are enqueued in the same transaction. */
const disableFailing = (em: EntityManager, failed: readonly FailedEndpoint[]) =>
  em.fork().transactional(async (unit) => {
    const disabled = await setFailing(unit, failed)
    await notifyOwners(
      unit,
      disabled.map(({ id, workspaceId }) => ({ workspaceId, webhookId: id })),
    )
    return disabled
  })
