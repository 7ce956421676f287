import { setTimeout as delay } from 'node:timers/promises'
import { SCOPES } from '../../src/domain/scopes.ts'
import { createApiKey } from '../../src/services/api-keys.ts'
import { createWorkspace } from '../../src/services/workspaces.ts'
import type { Random } from './random.ts'
import type { World } from './world.ts'

/** How the contacts come in, and what part of them each is. `doomed` is deleted, `held` stays paused, `resumed` goes on. */
const SHARES = { call: 0.3, event: 0.2, signup: 0.2, doomed: 0.1, held: 0.1, resumed: 0.1 } as const
export type Group = keyof typeof SHARES
export const GROUPS = Object.keys(SHARES) as Group[]

/** Of the contacts who are enrolled by a call, the part that is erased in mid-sequence. */
const ERASED = 0.1
const CONTACTS_A_BULK_CALL = 25

/** Minutes between the two emails of a sequence: the shortest wait there is. */
export const WAIT_MINUTES = 1

export interface Acknowledged {
  automations: Record<Group, string>
  /** Who was acknowledged to enter which automation. */
  entered: { group: Group; email: string }[]
  /** When a DELETE was acknowledged, in milliseconds since 1970. */
  deletedAt: number
  /** When the PATCH was acknowledged that paused `held`. */
  pausedAt: number
  erased: Map<string, number>
  /** How often a request was sent again, because it was not acknowledged. */
  repeats: number
}

interface Asked {
  status: number
  body: { data: Record<string, unknown>; error?: string }
  at: number
}

/** Drives the service as clients do that repeat what was not acknowledged, each time with the same Idempotency-Key. */
export async function drive(
  world: World,
  random: Random,
  { enrollments, windowMs }: { enrollments: number; windowMs: number },
): Promise<Acknowledged> {
  const { em } = world.orm
  const keyOf = async (name: string) => {
    const workspace = await createWorkspace(em, { name, mode: 'live' })
    const fields = { workspaceId: workspace.id, name: 'faults', scopes: SCOPES, rateLimit: 1_000_000 }
    return (await createApiKey(em, fields)).key
  }
  const main = await keyOf('Main')
  // Sign-ups have a workspace of their own: every contact of it is one.
  const signUps = await keyOf('Sign-ups')
  let repeats = 0
  let calls = 0

  async function ask(key: string, method: string, path: string, body?: object): Promise<Asked> {
    calls += 1
    const idempotencyKey = `call-${calls}`
    for (let attempt = 0; ; attempt += 1) {
      const api = world.apis[(calls + attempt) % world.apis.length]
      try {
        const response = await fetch(`${api}/api/v1${path}`, {
          method,
          signal: AbortSignal.timeout(15_000),
          headers: {
            'x-api-key': key,
            'content-type': 'application/json',
            ...(method === 'POST' || method === 'PATCH' ? { 'idempotency-key': idempotencyKey } : {}),
          },
          ...(body ? { body: JSON.stringify(body) } : {}),
        })
        const answer = { status: response.status, body: (await response.json()) as Asked['body'], at: Date.now() }
        if (response.ok) return answer
        // A DELETE that was done, and whose answer was lost, finds nothing the second time.
        if (method === 'DELETE' && response.status === 404 && attempt > 0) return answer
        if (response.status < 500 && response.status !== 409) {
          throw new Error(`${method} ${path} was refused: ${response.status} ${answer.body.error}`)
        }
      } catch (error) {
        if (error instanceof Error && error.message.includes('was refused')) throw error
      }
      repeats += 1
      await delay(100 + Math.min(attempt, 20) * 50)
    }
  }

  const email = (subject: string) => ({ type: 'EMAIL', subject, text: 'x' })
  const automation = async (key: string, group: Group, fields: object): Promise<string> => {
    const steps = [email(`${group} 1`), { type: 'WAIT', delayMinutes: WAIT_MINUTES }, email(`${group} 2`)]
    const { body } = await ask(key, 'POST', '/automations', { name: group, status: 'ACTIVE', steps, ...fields })
    return body.data['id'] as string
  }
  const automations = {} as Record<Group, string>
  for (const group of GROUPS) {
    automations[group] =
      group === 'signup'
        ? await automation(signUps, group, { trigger: 'SIGNUP' })
        : await automation(main, group, { trigger: 'EVENT', triggerConfig: { eventName: group } })
  }

  const entered: Acknowledged['entered'] = []
  const erased = new Map<string, number>()
  const within = (from: number, to: number) => delay(random.between(from, to) * windowMs)

  async function enter(group: Group, n: number): Promise<void> {
    const address = `${group}-${n}@example.com`
    // Whoever is to be deleted or held has to be in it by then.
    const early = group === 'doomed' || group === 'held' || group === 'resumed'
    await within(0, early ? 0.4 : 0.95)
    const contact = await ask(main, 'POST', '/contacts', { email: address })
    const contactId = contact.body.data['id'] as string
    if (group === 'event') {
      await ask(main, 'POST', `/contacts/${contactId}/events`, { name: group })
    } else {
      try {
        await ask(main, 'POST', `/automations/${automations[group]}/enroll`, { contactId })
      } catch (error) {
        // Faults have held it up until its automation was paused or gone: nothing was acknowledged.
        if (early && error instanceof Error && error.message.includes('404')) return
        throw error
      }
    }
    entered.push({ group, email: address })
    if (group === 'call' && random.next() < ERASED) {
      await delay(random.between(0, 20_000))
      const { at } = await ask(main, 'DELETE', `/contacts/${contactId}`)
      erased.set(address, at)
    }
  }

  async function signUp(from: number, to: number): Promise<void> {
    await within(0, 0.95)
    const contacts = Array.from({ length: to - from }, (_, n) => ({ email: `signup-${from + n}@example.com` }))
    await ask(signUps, 'POST', '/contacts/bulk', { contacts })
    entered.push(...contacts.map((contact) => ({ group: 'signup' as const, email: contact.email })))
  }

  const tasks: Promise<void>[] = []
  for (const group of GROUPS) {
    const count = Math.round(enrollments * SHARES[group])
    if (group === 'signup') {
      for (let from = 0; from < count; from += CONTACTS_A_BULK_CALL) {
        tasks.push(signUp(from, Math.min(from + CONTACTS_A_BULK_CALL, count)))
      }
    } else {
      for (let n = 0; n < count; n += 1) tasks.push(enter(group, n))
    }
  }
  const setStatus = async (group: Group, status: string, at: number) => {
    await delay(at * windowMs)
    return (await ask(main, 'PATCH', `/automations/${automations[group]}`, { status })).at
  }
  let deletedAt = 0
  let pausedAt = 0
  tasks.push(
    setStatus('held', 'PAUSED', 0.5).then((at) => {
      pausedAt = at
    }),
    setStatus('resumed', 'PAUSED', 0.5)
      .then(() => setStatus('resumed', 'ACTIVE', 0.4))
      .then(() => undefined),
    delay(0.5 * windowMs).then(async () => {
      deletedAt = (await ask(main, 'DELETE', `/automations/${automations.doomed}`)).at
    }),
    // A full pool: more requests at once than the APIs have connections.
    delay(0.7 * windowMs).then(async () => {
      await Promise.all(Array.from({ length: 120 }, () => ask(main, 'GET', '/contacts')))
    }),
  )
  await Promise.all(tasks)
  return { automations, entered, deletedAt, pausedAt, erased, repeats }
}
