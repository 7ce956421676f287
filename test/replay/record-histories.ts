/**
 * Records the histories that `test/replay` replays: one of each kind of event in an enrollment. Run it for a release, and commit
 * the new ones. A released history is never recorded again.
 */
import type { StepInput } from '../../src/automations/steps/index.ts'
import { mkdirSync, writeFileSync } from 'node:fs'
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js'
import { newId } from '../../src/platform/ids.ts'
import {
  type AutomationInput,
  createAutomation,
  getAutomation,
  updateAutomation,
} from '../../src/automations/automations.ts'
import { enrollContact } from '../../src/enrollments/enroll-contact.ts'
import { fireEvent } from '../../src/events/fire-event.ts'
import { messagesOf } from '../../src/messages/list-queries.ts'
import { retryOne } from '../../src/messages/retry.ts'
import type { Caller } from '../../src/http/caller.ts'
import { newCall } from '../../src/platform/call.ts'
import { sql } from '../../src/platform/db/sql.ts'
import type { RemovedSteps } from '../../src/publishing/entities.ts'
import { publishWithChoice } from '../../src/publishing/publish.ts'
import { installTemporalRuntime } from '../../src/runtime/temporal-runtime.ts'
import { stateQuery } from '../../src/automation-engine/contract.ts'
import { eventually } from '../support/eventually.ts'
import { quietLog } from '../support/log.ts'
import { stopServices } from '../support/servers.ts'
import { startTimeSkipping, type TimeSkipping } from '../support/time-skipping.ts'
import { startWebhookServer } from '../support/webhook-server.ts'
import { readOptions, refuse } from '../../scripts/options.ts'

const [folder, ...names] = readOptions({
  call: 'npm run histories -- FOLDER [NAME…]',
  what: 'records the histories that test/replay replays: all, or those with a name.',
  options: {},
  words: true,
}).words
if (folder === undefined) refuse('Specify the folder: npm run histories -- test/replay/histories/VERSION')
mkdirSync(folder, { recursive: true })

const isAsked = (name: string) => names.length === 0 || names.includes(name)

const email: StepInput = { type: 'EMAIL', subject: 'Hi', text: 'Hi' }
const wait = (delayMinutes: number): StepInput => ({ type: 'WAIT', delayMinutes })

installTemporalRuntime(quietLog)
const world = await startTimeSkipping()

/** Runs one enrollment with the events of `during`, and stores the history of its first run. */
async function record(
  name: string,
  steps: StepInput[],
  during: (automationId: string, contactId: string, world: TimeSkipping) => Promise<void> = () => Promise.resolve(),
  rules: Partial<AutomationInput> = {},
): Promise<void> {
  if (!isAsked(name)) return
  const automationId = await world.automation(steps, rules)
  const contactId = await world.contact()
  await world.whileWorking(async () => {
    await enrollContact(world.dependencies, world.workspaceId, automationId, { contactId }, newCall())
    const { runId } = await world.handle(automationId, contactId).describe()
    await during(automationId, contactId, world)
    await world
      .handle(automationId, contactId)
      .result()
      .catch(() => undefined)
    await keep(name, `enrollment:${automationId}:${contactId}`, runId)
  })
}

async function keep(name: string, workflowId: string, runId?: string): Promise<void> {
  const handle = world.env.client.workflow.getHandle(workflowId, runId, { followRuns: false })
  await eventually('it is over', async () => ((await handle.describe()).status.name === 'RUNNING' ? undefined : true))
  writeFileSync(`${folder}/${name}.json`, `${withoutMachine(historyToJSON(await handle.fetchHistory()))}\n`)
  process.stdout.write(`${name}\n`)
}

/** Removes the machine from Temporal's identities, which have the form `process@machine`. */
const withoutMachine = (json: string): string =>
  JSON.stringify(JSON.parse(json, (key, value: unknown) => (key === 'identity' ? 'recorder' : value)))

const fire = (automationId: string, contactId: string, databaseHas?: string | null): Promise<void> => {
  const id = newId()
  const enrollmentId = newId()
  const input = {
    enrollmentId,
    workspaceId: world.workspaceId,
    automationId,
    contactId,
    enrolledAt: new Date().toISOString(),
    clockAhead: 0,
    dedupKey: `event:${id}`,
    triggerEventId: id,
  }
  return world.dependencies.enrollments.enter({ automationName: 'A sequence', requestId: null, input }, databaseHas)
}

// 'no-steps' exists only for 0.1.0: an automation without steps can no longer be ACTIVE.
await record('email', [email])
await record('email-wait-email', [email, wait(30 * 24 * 60), email])
await record('seven-waits', [wait(1), wait(2), wait(3), wait(4), wait(5), wait(6), wait(7), email])
await record('events-during-wait', [wait(60), email], async (automationId, contactId) => {
  for (let n = 0; n < 3; n += 1) await fire(automationId, contactId)
})
await record('continued-as-new', [wait(60), email], async (automationId, contactId) => {
  for (let n = 0; n < 2_100; n += 20) await Promise.all(Array.from({ length: 20 }, () => fire(automationId, contactId)))
})
await record('doubted-in-wait', [wait(60), email], (automationId, contactId) => fire(automationId, contactId, null))
await record('cancelled-in-wait', [wait(60), email], async (automationId, contactId) => {
  await world.handle(automationId, contactId).cancel()
})
const pause = async (automationId: string, contactId: string) => {
  await updateAutomation(world.orm.em, world.workspaceId, automationId, { status: 'PAUSED' })
  await world.env.sleep('61 minutes')
  await eventually('it is paused', async () =>
    (await world.handle(automationId, contactId).query(stateQuery)).paused ? true : undefined,
  )
  await updateAutomation(world.orm.em, world.workspaceId, automationId, { status: 'ACTIVE' })
  await world.dependencies.enrollments.wake({ automationId, contactId, concurrencyKey: '' })
}
await record('paused-and-resumed', [wait(60), email], pause)
const untilWaits = (automationId: string, contactId: string) =>
  eventually(
    'it waits',
    async () => (await world.handle(automationId, contactId).query(stateQuery)).wakeAt ?? undefined,
  )
/** Orders during a wait. */
const order = async (automationId: string, contactId: string) => {
  await untilWaits(automationId, contactId)
  await fireEvent(world.dependencies, world.workspaceId, contactId, { name: 'ordered' }, newCall())
}
const forOrder: StepInput = {
  type: 'WAIT_FOR_EVENT',
  eventName: 'ordered',
  timeoutMinutes: 60,
  received: [email],
  timedOut: [wait(60), email],
}
const split: StepInput = { type: 'SPLIT', branches: [{ name: 'A', weight: 1, steps: [email] }] }
const branches: StepInput[] = [
  { type: 'UPDATE_CONTACT', addTags: ['vip'] },
  {
    type: 'CONDITION',
    branches: [{ name: 'VIP', if: { tag: 'vip' }, steps: [split] }],
    else: [{ type: 'EXIT' }],
  },
]
await record('wait-until', [{ type: 'WAIT_UNTIL', until: { timeOfDay: '09:00', weekdays: ['MON'] } }, email])
await record('event-received', [forOrder, email], order)
await record('event-timed-out', [forOrder, email])
await record('branches', [...branches, email, { type: 'EXIT' }])
await record('goal-in-wait', [wait(60), email], order, { goal: { eventName: 'ordered' } })
await record('exit-before-a-step', [wait(60), ...branches], undefined, {
  exitOn: [{ condition: { not: { tag: 'none' } } }],
})
await record('paused-at-a-condition', [wait(60), ...branches], pause)
/** Publishes a version without the wait that the contact is in, which is the first step, and moves the contact to it. */
const move = (removedSteps: RemovedSteps) => async (automationId: string, contactId: string) => {
  await untilWaits(automationId, contactId)
  const em = world.orm.em.fork()
  const { steps } = await getAutomation(em, world.workspaceId, automationId)
  const publication = { steps: steps.slice(1) as StepInput[], inside: 'MOVE', removedSteps } as const
  const person = { email: 'ada@example.com' }
  const caller = { by: { kind: 'person', person }, workspace: { id: world.workspaceId } } as unknown as Caller
  await publishWithChoice(em, caller, automationId, publication, undefined)
  const [enrollment] = await sql<{ id: string }>(em, 'select id from enrollments where contact_id = $1::uuid', [
    contactId,
  ])
  await world.dependencies.enrollments.move({ automationId, contactId, concurrencyKey: '' }, enrollment!.id, 2)
}
await record('moved-in-wait', [wait(60), email, wait(60), email], move('CONTINUE'))
await record('ended-at-a-removed-step', [wait(60), email], move('END'))
const webhooks = await startWebhookServer()
webhooks.receiver.answer = () => (webhooks.requests.length === 1 ? 503 : { plan: 'pro' })
await record('webhook-repeated', [{ type: 'WEBHOOK', url: webhooks.url, saveAs: 'account' }, email])
await webhooks.stop()

if (isAsked('retried')) {
  world.sink.behave({ code: 550, text: 'refused', at: 'rcpt' })
  await world.whileWorking(async () => {
    const automationId = await world.automation([email])
    const contactId = await world.contact()
    await enrollContact(world.dependencies, world.workspaceId, automationId, { contactId }, newCall())
    await world.handle(automationId, contactId).result()
    world.sink.behave('accept')
    const [failed] = await messagesOf(
      world.orm.em.fork(),
      world.workspaceId,
      { contactId },
      { statuses: ['FAILED'], limit: 1 },
    )
    await retryOne(world.dependencies, world.workspaceId, failed!.id, { evenIfSent: false }, newCall())
    await keep('retried', `retry:${failed!.id}`)
  })
}

if (isAsked('refused-and-stopped')) {
  world.sink.behave({ code: 550, text: 'refused', at: 'rcpt' })
  const stopping = await createAutomation(world.orm.em, world.workspaceId, {
    name: 'A sequence',
    status: 'ACTIVE',
    trigger: 'EVENT',
    triggerConfig: { eventName: 'go' },
    onSendFailure: 'STOP',
    steps: [email, email],
  })
  world.automation = () => Promise.resolve(stopping.automation.id)
  await record('refused-and-stopped', [])
}

await world.stop()
await stopServices()
process.exit(0)
