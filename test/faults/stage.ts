import { setTimeout as delay } from 'node:timers/promises'
import { sql } from '../../src/platform/db/sql.ts'
import { SCOPES } from '../../src/http/scopes.ts'
import { createApiKey } from '../../src/workspaces/create-api-key.ts'
import { createWorkspace } from '../../src/workspaces/create-workspace.ts'
import { Client, type Answer } from './client.ts'
import type { Controller, Standing } from './controller.ts'
import type { Random } from './random.ts'
import type { World } from './world.ts'

/** A violation of a guarantee. */
export class Wrong extends Error {}

export interface Person {
  id: string
  email: string
}

export interface MessageRow {
  contact_id: string
  status: string
  error: string | null
  claimed_at: string
}

export const email = (subject: string) => ({ type: 'EMAIL', subject, text: 'x' })
export const wait = (delayMinutes: number) => ({ type: 'WAIT', delayMinutes })

/** The tools of a story: a workspace of its own in a world, with methods for common requests and checks. */
export class Stage {
  readonly world: World
  readonly random: Random
  readonly client: Client
  readonly controller: Controller
  readonly workspaceId: string
  private readonly key: string
  private readonly prefix: string
  private people = 0
  /** Measurements. */
  readonly notes: string[] = []

  private constructor(world: World, random: Random, workspaceId: string, key: string, prefix: string) {
    this.world = world
    this.random = random
    this.client = new Client(world.apis)
    this.controller = world.controller
    this.workspaceId = workspaceId
    this.key = key
    this.prefix = prefix
  }

  static async set(world: World, random: Random, prefix: string): Promise<Stage> {
    const { em } = world.orm
    const workspace = await createWorkspace(em, { name: prefix, mode: 'live' })
    const fields = { workspaceId: workspace.id, name: 'faults', scopes: SCOPES, rateLimit: 1_000_000 }
    return new Stage(world, random, workspace.id, (await createApiKey(em, fields)).key, prefix)
  }

  /** Repeats a request until it is acknowledged. */
  ask(method: string, path: string, body?: object, idempotencyKey?: string): Promise<Answer> {
    return this.client.ask(this.key, method, path, body, idempotencyKey)
  }

  /** Makes one attempt at a request. */
  once(method: string, path: string, body?: object, idempotencyKey?: string): Promise<Answer | undefined> {
    return this.client.once(this.key, method, path, body, idempotencyKey)
  }

  /** Creates an active automation, by default for the event `go`. */
  async automation(steps: object[], trigger: object = { trigger: 'EVENT', triggerConfig: { eventName: 'go' } }) {
    const { body } = await this.ask('POST', '/automations', { name: 'Story', status: 'ACTIVE', steps, ...trigger })
    return body.data['id'] as string
  }

  nextEmail(): string {
    return `${this.prefix}-${(this.people += 1)}@example.com`
  }

  async person(): Promise<Person> {
    const address = this.nextEmail()
    const { body } = await this.ask('POST', '/contacts', { email: address })
    return { id: body.data['id'] as string, email: address }
  }

  enroll = (automationId: string, { id }: Person) =>
    this.ask('POST', `/automations/${automationId}/enroll`, { contactId: id })
  fire = ({ id }: Person, name = 'go') => this.ask('POST', `/contacts/${id}/events`, { name })
  patch = (automationId: string, status: string) => this.ask('PATCH', `/automations/${automationId}`, { status })
  deleteAutomation = (automationId: string) => this.ask('DELETE', `/automations/${automationId}`)
  erase = ({ id }: Person) => this.ask('DELETE', `/contacts/${id}`)

  /** Adds a measurement to the report. */
  note(measurement: string): void {
    this.notes.push(measurement)
  }

  /** Runs an action and waits until a process is stopped at a point. */
  async meet(point: string, meanwhile: () => Promise<unknown>, withinMs = 30_000): Promise<Standing> {
    const coming = this.controller.meet([point], withinMs)
    const doing = meanwhile()
    doing.catch(() => undefined)
    const standing = await coming
    if (!standing) throw new Error(`No process reached the point "${point}"`)
    return standing
  }

  /** Returns the messages to a contact that the mail server accepted. */
  taken({ email: address }: Person, subject?: string) {
    return this.world
      .accepted()
      .filter((entry) => entry.kind === 'accepted')
      .filter((entry) => entry.to === address && (subject === undefined || entry.subject === subject))
  }

  messagesOf({ id }: Person): Promise<MessageRow[]> {
    return sql<MessageRow>(
      this.world.orm.em.fork(),
      `select contact_id, status, error, claimed_at from messages where contact_id = $1::uuid order by claimed_at`,
      [id],
    )
  }

  enrollmentsOf({ id }: Person): Promise<{ status: string; paused: boolean }[]> {
    return sql(
      this.world.orm.em.fork(),
      'select status, paused from enrollments where contact_id = $1::uuid order by enrolled_at',
      [id],
    )
  }

  /** Counts the events that still have to be delivered to Temporal. */
  async undelivered(): Promise<number> {
    const rows = await sql(this.world.orm.em.fork(), `select from outbox where kind = 'START'`)
    return rows.length
  }

  /** Waits for a condition. The story fails if it does not become true in time. */
  async soon(what: string, isSo: () => Promise<boolean> | boolean, withinMs = 30_000): Promise<void> {
    for (const deadline = Date.now() + withinMs; !(await isSo()); await delay(50)) {
      if (Date.now() > deadline) throw new Wrong(`Not within ${withinMs / 1000} s: ${what}`)
    }
  }

  /** Checks that a condition stays false for a while. */
  async never(what: string, isSo: () => Promise<boolean> | boolean, forMs = 3_000): Promise<void> {
    for (const deadline = Date.now() + forMs; Date.now() < deadline; await delay(50)) {
      if (await isSo()) throw new Wrong(what)
    }
  }

  /** Waits until all enrollments of a contact are over. */
  completed = (person: Person, withinMs = 90_000) =>
    this.soon(
      `${person.email} reaches the end`,
      async () => {
        const rows = await this.enrollmentsOf(person)
        return rows.length > 0 && rows.every(({ status }) => status === 'COMPLETED')
      },
      withinMs,
    )

  /** Checks that the contact got each email once, and that the statuses agree. */
  async mailedOnce(person: Person, emails = 1): Promise<void> {
    const taken = this.taken(person).length
    const statuses = (await this.messagesOf(person)).map(({ status }) => status)
    if (taken !== emails || statuses.length !== emails || statuses.some((status) => status !== 'SENT'))
      throw new Wrong(`${person.email} got ${taken} emails, recorded as ${statuses.join(', ')}`)
  }

  /** Checks that no email was accepted after an instant. */
  nothingSince(person: Person, at: number, what: string): void {
    for (const entry of this.taken(person)) {
      if (entry.at > at) throw new Wrong(`${person.email} got an email ${entry.at - at} ms after ${what}`)
    }
  }
}
