import { createCampaign } from '../../src/campaigns/campaigns.ts'
import { cancelCampaign, pauseCampaign, resumeCampaign, scheduleCampaign } from '../../src/campaigns/lifecycle.ts'
import { setPreferences, type PreferenceChange } from '../../src/consent/preferences.ts'
import { suppressByCall } from '../../src/consent/suppress.ts'
import { ERASURE } from '../../src/runtime/erasure.ts'
import { eraseContact } from '../../src/contacts/erase-contact.ts'
import { addToList } from '../../src/contacts/add-to-list.ts'
import { createList } from '../../src/lists/lists.ts'
import { newCall } from '../../src/platform/call.ts'
import { newId } from '../../src/platform/ids.ts'
import { setSender } from '../../src/senders/settings.ts'
import { setWarmUp } from '../../src/senders/warm-up-queries.ts'
import type { Story } from './check-promise.ts'
import { STALL_MS } from './scheduler.ts'
import type { Setting } from './setting.ts'
import type { World } from './world.ts'

const MINUTE_MS = 60_000

interface CampaignOptions {
  recipients: readonly string[]
  throttlePerHour?: number
  /** Sends a second variant to half of the recipients, and chooses the variant for the others after this many minutes. */
  decidesAfterMinutes?: number
}

/** Creates a list of recipients and a draft campaign to it. */
export async function aCampaign(world: World, { recipients, throttlePerHour, decidesAfterMinutes }: CampaignOptions) {
  const { em } = world.ground.orm
  const { workspaceId } = world.ground
  const list = await createList(em.fork(), workspaceId, { name: 'Readers', public: true }, newId())
  const contactIds: string[] = []
  for (const name of recipients) contactIds.push(await world.contact(name))
  await addToList(world.dependencies(), workspaceId, list.id, contactIds, newCall())
  const content = (subject: string) => ({ content: { subject, html: null, text: 'x' }, translations: {} })
  const hasTest = decidesAfterMinutes !== undefined
  if (hasTest) await setSender(em.fork(), workspaceId, { trackOpens: true })
  world.mail.usualMs = world.scheduler.pick([undefined, 10])
  const campaign = await createCampaign(
    em,
    workspaceId,
    { name: 'News', audience: { listIds: [list.id] }, throttlePerHour },
    {
      said: {
        templateId: null,
        templateVersion: null,
        source: { format: 'HTML', subject: 'News', previewText: null, html: null, text: 'x' },
        abTest: hasTest
          ? {
              variants: [{ subject: 'Other news', templateId: null, templateVersion: null }],
              testPercent: 50,
              winnerBy: 'OPENED',
              afterMinutes: decidesAfterMinutes,
            }
          : null,
      },
      contents: { own: content('News'), variants: hasTest ? [content('Other news')] : [] },
      warnings: [],
    },
  )
  return { id: campaign.id, listId: list.id, contactIds }
}

const MOVES = {
  schedule: scheduleCampaign,
  pause: pauseCampaign,
  resume: resumeCampaign,
  cancel: cancelCampaign,
}

/** Matches the error of a repeated transition whose first attempt was carried out but got no response. */
const wasDone = (error: Error) => /^The campaign is /.test(error.message)

/** Repeats a transition of a campaign until it is acknowledged. @returns no answer if an earlier attempt may have done it */
export function move(world: World, id: string, how: 'pause' | 'resume' | 'cancel') {
  const { workspaceId } = world.ground
  return world.client(how, (dependencies) => MOVES[how](dependencies, workspaceId, id, newCall()), wasDone)
}

export function schedule(world: World, id: string, at?: Date) {
  const { workspaceId } = world.ground
  const when = at ? { at: at.toISOString() } : {}
  return world.client(
    'schedule',
    (dependencies) => scheduleCampaign(dependencies, workspaceId, id, when, newCall(), undefined),
    wasDone,
  )
}

/** Pauses a campaign for a while. @returns the steps between which no email of it may begin */
async function pauseForAWhile(world: World, id: string): Promise<[number, number][]> {
  const paused = await move(world, id, 'pause')
  await world.scheduler.pause(world.scheduler.choose([1_000, 0, 8_000, 30_000]))
  const resumedAt = world.scheduler.step
  // A stalled API may still pause it after its client sent the request to another one.
  for (;;) {
    await move(world, id, 'resume')
    if (!world.stopped('api')) break
    await world.scheduler.pause(STALL_MS)
    await move(world, id, 'resume')
    break
  }
  return paused.answer ? [[paused.at, resumedAt]] : []
}

const changePreferences = (change: PreferenceChange) => (world: World, _campaignId: string, contactId: string) =>
  world.client('opt out', (dependencies) => setPreferences(dependencies, { contactId, originId: newId() }, change))

const gone = (error: Error) => /not found/i.test(error.message)

interface Stop {
  /** Repeats the request until it is acknowledged. */
  ask: (world: World, campaignId: string, contactId: string) => Promise<{ answer: unknown; at: number }>
  /** The recipients that get no email afterwards. */
  who: 'ada' | 'all'
  /** Whether an email that began before the stop may not arrive after its response. */
  waits: boolean
}

/** Requests that stop a campaign for one recipient or for all of them. */
const STOPS: Record<string, Stop> = {
  unsubscribed: { ask: changePreferences({ kind: 'nothing' }), who: 'ada', waits: false },
  left: { ask: changePreferences({ kind: 'lists', ids: [] }), who: 'ada', waits: false },
  suppressed: {
    ask: (world) =>
      world.client('suppress', (dependencies) =>
        suppressByCall(
          dependencies,
          world.ground.workspaceId,
          { email: 'ada@example.com', reason: 'COMPLAINED' },
          newCall(),
        ),
      ),
    who: 'ada',
    waits: false,
  },
  erased: {
    ask: (world, _campaignId, contactId) =>
      world.client(
        'erase',
        (dependencies) =>
          eraseContact(dependencies, ERASURE, world.ground.workspaceId, contactId, newCall()).then(() => true),
        gone,
      ),
    who: 'ada',
    waits: true,
  },
  cancelled: { ask: (world, campaignId) => move(world, campaignId, 'cancel'), who: 'all', waits: false },
}

/**
 * Points in the delivery of an email at which a stop arrives: nothing continues there until the stop was answered or has to wait.
 */
const INSTANTS = [
  // While recipients are prepared.
  undefined,
  // Between the preparation of an email and its claim: of the recipient who is stopped, and of another one.
  /^mail DATA ada@/,
  /^mail DATA bob@/,
  // In the middle of the claim's transaction, whose locks block the stop.
  /^SQL with given as \( select \*, case/,
  // After the claim, while the email is transmitted.
  /^mail takes ada@/,
]

/** Maximum wait of a stop for an email whose arrival is delayed, in virtual milliseconds. */
export const KEPT_MS = 1_500

/** Stops a campaign at one of the instants. */
async function stoppedCampaign(world: World, { ask, who, waits }: Stop): Promise<Story> {
  const recipients = ['ada', 'bob', 'cid']
  const { id, contactIds } = await aCampaign(world, { recipients })
  const instant = world.scheduler.pick(INSTANTS)
  const hold = instant && world.scheduler.hold(instant)
  let stoppedAt = Infinity
  const scheduled = schedule(world, id)
  const stopping = async () => {
    if (hold) await Promise.race([hold.reached, world.scheduler.pause(20_000)])
    else await world.scheduler.steps(world.scheduler.pick([5, 10, 20, 30, 40]))
    const request = ask(world, id, contactIds[0]!)
    await Promise.race([request, world.scheduler.pause(KEPT_MS)])
    hold?.release()
    const { answer, at } = await request
    // A repeated schedule request may be carried out after the cancellation, as its client requested.
    const isStopped = answer !== undefined && (who === 'ada' || (await scheduled).attempt === 1)
    if (isStopped) stoppedAt = at
  }
  const of = who === 'ada' ? { contact: 'ada' } : {}
  return {
    done: Promise.all([scheduled, stopping()]),
    expected: [],
    campaign: { id, recipients, subjects: ['News'], mayBeLeft: who === 'ada' ? ['ada'] : recipients },
    never: [{ ...of, begunBetween: () => [[stoppedAt, Infinity]], ...(waits && { takenAfter: () => stoppedAt }) }],
  }
}

export const PEOPLE = ['ada', 'bob', 'cid']

/** Numbers of steps after which a worker dies: a campaign to three contacts takes about 50. */
const DYING_STEPS = Array.from({ length: 50 }, (_, n) => n)
/** Numbers of steps between the transmission of an email and the record of its outcome. */
const RECORDING_STEPS = Array.from({ length: 8 }, (_, n) => n)

/** Worlds of campaigns. */
export const CAMPAIGN_WORLDS = {
  campaign: {
    workers: 2,
    connections: 2,
    async run(world) {
      const { id } = await aCampaign(world, { recipients: PEOPLE })
      await world.contact('eve')
      return {
        done: schedule(world, id),
        expected: [],
        campaign: { id, recipients: PEOPLE, subjects: ['News'] },
        never: [{ contact: 'eve', takenAfter: () => 0 }],
      }
    },
  },
  'campaign-overtaken': {
    workers: 2,
    async run(world) {
      // Slow enough that it still sends when the worker returns.
      const { id } = await aCampaign(world, { recipients: PEOPLE, throttlePerHour: 60 })
      const hold = world.scheduler.hold(world.scheduler.pick([/^mail DATA ada@/, /^mail takes ada@/]))
      const stopping = async () => {
        const late = world.scheduler.pause(20_000).then(() => undefined)
        const action = await Promise.race([hold.reached, late])
        if (action) world.scheduler.stall(action.process)
        hold.release()
      }
      return {
        done: Promise.all([schedule(world, id), stopping()]),
        expected: [],
        campaign: { id, recipients: PEOPLE, subjects: ['News'] },
        never: [],
      }
    },
  },
  'campaign-worker-dies': {
    workers: 2,
    connections: 2,
    async run(world) {
      const { id } = await aCampaign(world, { recipients: PEOPLE })
      const dyingAtAStep = async () => {
        await schedule(world, id)
        await world.scheduler.steps(world.scheduler.pick(DYING_STEPS))
        const [process] = [...world.scheduler.processes].filter(({ name }) => name.startsWith('worker'))
        if (process) world.kill(process)
      }
      const dyingAfterAnEmail = async () => {
        const hold = world.scheduler.hold(world.scheduler.pick([/^mail takes ada@/, /^mail takes bob@/]))
        const late = world.scheduler.pause(20_000).then(() => undefined)
        const [action] = await Promise.all([Promise.race([hold.reached, late]), schedule(world, id)])
        hold.release()
        await world.scheduler.steps(world.scheduler.pick(RECORDING_STEPS))
        if (action) world.kill(action.process)
      }
      return {
        done: world.scheduler.pick([dyingAtAStep, dyingAfterAnEmail])(),
        expected: [],
        campaign: { id, recipients: PEOPLE, subjects: ['News'] },
        never: [],
      }
    },
  },
  'campaign-paused': {
    workers: 2,
    async run(world) {
      const { id } = await aCampaign(world, { recipients: PEOPLE })
      const paused: [number, number][] = []
      const hold = world.scheduler.hold(
        world.scheduler.pick([/^mail DATA bob@/, /^mail DATA ada@/, /^mail takes bob@/]),
      )
      const pausing = async () => {
        await Promise.race([hold.reached, world.scheduler.pause(20_000)])
        const first = pauseForAWhile(world, id)
        await Promise.race([first, world.scheduler.pause(KEPT_MS)])
        hold.release()
        paused.push(...(await first))
        await world.scheduler.steps(world.scheduler.choose([7, 3, 12, 20]))
        paused.push(...(await pauseForAWhile(world, id)))
      }
      return {
        done: Promise.all([schedule(world, id), pausing()]),
        expected: [],
        campaign: { id, recipients: PEOPLE, subjects: ['News'] },
        never: [{ begunBetween: () => paused }],
      }
    },
  },
  'campaign-stopped': {
    workers: 2,
    run: (world) => stoppedCampaign(world, world.scheduler.pick(Object.values(STOPS))),
  },
  'campaign-scheduled': {
    workers: 2,
    async run(world) {
      const { id } = await aCampaign(world, { recipients: PEOPLE })
      const at = world.scheduler.now + 10 * MINUTE_MS
      let isCancelled = false
      let cancelledAt = Infinity
      const scheduling = async () => {
        const { attempt } = await schedule(world, id, new Date(at))
        await world.scheduler.pause(world.scheduler.pick([0, 8 * MINUTE_MS, 10 * MINUTE_MS - 1_000]))
        if (world.scheduler.pick([true, false])) await pauseForAWhile(world, id)
        else {
          isCancelled = true
          const { answer, at: step } = await move(world, id, 'cancel')
          if (answer !== undefined && attempt === 1) cancelledAt = step
        }
      }
      return {
        done: scheduling(),
        expected: [],
        campaign: {
          id,
          recipients: PEOPLE,
          subjects: ['News'],
          notBefore: at,
          mayBeLeft: () => (isCancelled ? PEOPLE : []),
        },
        never: [{ begunBetween: () => [[cancelledAt, Infinity]] }],
      }
    },
  },
  'campaign-throttled': {
    workers: 2,
    async run(world) {
      const { id } = await aCampaign(world, { recipients: PEOPLE, throttlePerHour: 60 })
      return {
        done: schedule(world, id),
        expected: [],
        campaign: { id, recipients: PEOPLE, subjects: ['News'], perHour: 60 },
        never: [],
      }
    },
  },
  'campaign-test': {
    workers: 2,
    connections: 2,
    async run(world) {
      const recipients = [...PEOPLE, 'dan', 'eve']
      const { id } = await aCampaign(world, { recipients, decidesAfterMinutes: 2 })
      const paused: [number, number][] = []
      const pausing = async () => {
        await world.scheduler.pause(world.scheduler.pick([0, 60_000, 119_000, 121_000]))
        paused.push(...(await pauseForAWhile(world, id)))
      }
      return {
        done: Promise.all([schedule(world, id), pausing()]),
        expected: [],
        campaign: { id, recipients, subjects: ['News', 'Other news'] },
        never: [{ begunBetween: () => paused }],
      }
    },
  },
  'warm-up': {
    workers: 2,
    connections: 2,
    async run(world) {
      const recipients = [...PEOPLE, 'dan', 'eve']
      const { id } = await aCampaign(world, { recipients })
      const numbers = { perDay: 2, growthPercent: 900, upTo: 1_000 }
      await setWarmUp(world.em, world.ground.workspaceId, numbers)
      // Some minutes before the second day.
      world.scheduler.now += 24 * 60 * MINUTE_MS - 5 * MINUTE_MS
      return {
        done: schedule(world, id),
        expected: [],
        campaign: { id, recipients, subjects: ['News'], perDay: [2, 20] },
        never: [],
      }
    },
  },
} satisfies Record<string, Setting>
