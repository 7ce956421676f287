import assert from 'node:assert/strict'
import { type MachineState, type StoredStep, withSuccessors } from '../../src/automation-engine/index.ts'
import { emailsAhead } from '../../src/publishing/emails-ahead.ts'
import { type Move, moveTo } from '../../src/publishing/move-to.ts'

const HOUR = 60 * 60_000
const DAY = 24 * HOUR
/** It is 12:00. */
const NOON = Date.UTC(2026, 10, 30, 12)

const email = (id: string): StoredStep => ({ id, type: 'EMAIL', content: 'hash' })
const wait = (id: string, days: number): StoredStep => ({ id, type: 'WAIT', delayMinutes: days * 24 * 60 })
const until = (id: string, at: string): StoredStep => ({
  ...{ id, type: 'WAIT_UNTIL', timezone: 'contact', ifPast: 'continue' },
  until: { at },
})
const event = (id: string, eventName: string, days: number): StoredStep => ({
  ...{ id, type: 'WAIT_FOR_EVENT', eventName, timeoutMinutes: days * 24 * 60 },
})
const condition = (id: string): StoredStep => ({ id, type: 'CONDITION', branches: [{ name: 'pro', if: {} }] })
const exit = (id: string): StoredStep => ({ id, type: 'EXIT' })
const within = (step: string, branch: string, steps: StoredStep[]) =>
  steps.map((each) => ({ ...each, in: { step, branch } }))

const at = (stepId: string, state: Partial<MachineState> = {}): MachineState => ({
  ...{ stepId, waitingFor: 'email', wakeAt: null, paused: false, changed: false },
  ...state,
})
const waiting = (stepId: string, wakeAt: number, waitingFor: 'time' | 'retry' = 'time') =>
  at(stepId, { waitingFor, wakeAt })

const BEFORE = [email('first'), wait('pause', 3), email('second'), wait('rest', 2), email('third')]

interface Case {
  title: string
  before?: StoredStep[]
  after: StoredStep[]
  state: MachineState
  removedSteps?: 'CONTINUE' | 'END'
  moves: Move
}

const CASES: Case[] = [
  {
    title: 'keeps a contact at an email that is the same step',
    after: [email('new'), ...BEFORE],
    state: at('second'),
    moves: { kind: 'stays', state: at('second') },
  },
  {
    title: 'keeps a wait that is as long as before',
    after: [email('first'), wait('pause', 3)],
    state: waiting('pause', NOON + HOUR),
    moves: { kind: 'stays', state: waiting('pause', NOON + HOUR) },
  },
  {
    title: 'computes a longer wait from when it began',
    after: [email('first'), wait('pause', 4), email('second')],
    state: waiting('pause', NOON + HOUR),
    moves: { kind: 'waits', state: waiting('pause', NOON + HOUR + DAY) },
  },
  {
    title: 'lets a wait end in the past that began long ago',
    after: [email('first'), wait('pause', 1), email('second')],
    state: waiting('pause', NOON + HOUR),
    moves: { kind: 'waits', state: waiting('pause', NOON + HOUR - 2 * DAY) },
  },
  {
    title: 'continues at the step after a removed wait',
    after: [email('first'), email('second'), email('third')],
    state: waiting('pause', NOON + HOUR),
    moves: { kind: 'continues', state: at('second') },
  },
  {
    title: 'begins the next wait now if several steps were removed',
    after: [email('first'), wait('rest', 2), email('third')],
    state: waiting('pause', NOON + HOUR),
    moves: { kind: 'continues', state: waiting('rest', NOON + 2 * DAY) },
  },
  {
    title: 'completes if no later step is left',
    after: [email('first'), email('new')],
    state: waiting('rest', NOON + HOUR),
    moves: { kind: 'ends', status: 'COMPLETED' },
  },
  {
    title: 'exits if the next step that is left is an exit',
    before: [wait('pause', 3), exit('exit')],
    after: [exit('exit')],
    state: waiting('pause', NOON + HOUR),
    moves: { kind: 'ends', status: 'EXITED' },
  },
  {
    title: 'ends a contact at a removed step if chosen',
    after: [email('first'), email('second')],
    state: waiting('pause', NOON + HOUR),
    removedSteps: 'END',
    moves: { kind: 'ends', status: 'CANCELLED' },
  },
  {
    title: 'takes a step with another type for a removed one',
    after: [email('first'), email('pause'), email('second')],
    state: waiting('pause', NOON + HOUR),
    moves: { kind: 'continues', state: at('second') },
  },
  {
    title: 'releases a paused contact whose email was removed',
    after: [email('first'), wait('rest', 2)],
    state: at('second', { waitingFor: 'change', paused: true }),
    moves: { kind: 'continues', state: waiting('rest', NOON + 2 * DAY) },
  },
  {
    title: 'computes the wait for another event again for a contact who is paused at it, or who has just been woken',
    before: [event('answer', 'ordered', 3)],
    after: [event('answer', 'paid', 3)],
    state: at('answer', { waitingFor: 'change', paused: true }),
    moves: { kind: 'reruns', state: at('answer', { waitingFor: 'change', paused: true }) },
  },
  {
    title: 'continues after the branches of a removed condition',
    before: [condition('plan'), ...within('plan', '0', [email('pro')]), email('last')],
    after: [email('pro'), email('last')],
    state: at('plan', { waitingFor: 'step' }),
    moves: { kind: 'continues', state: at('last') },
  },
  {
    title: 'stays at a step that moved out of its branch',
    before: [condition('plan'), ...within('plan', '0', [email('pro')]), email('last')],
    after: [email('pro'), email('last')],
    state: at('pro'),
    moves: { kind: 'stays', state: at('pro') },
  },
  {
    title: 'continues after the branches if the rest of a branch was removed',
    before: [condition('plan'), ...within('plan', '0', [wait('pause', 1), email('pro')]), email('last')],
    after: [condition('plan'), email('last')],
    state: waiting('pause', NOON + HOUR),
    moves: { kind: 'continues', state: at('last') },
  },
  {
    title: 'keeps a wait for a date that has not changed',
    before: [until('launch', '2026-12-01T09:00')],
    after: [until('launch', '2026-12-01T09:00'), email('last')],
    state: waiting('launch', NOON + DAY),
    moves: { kind: 'stays', state: waiting('launch', NOON + DAY) },
  },
  {
    title: 'computes a wait for another date again',
    before: [until('launch', '2026-12-01T09:00')],
    after: [until('launch', '2026-12-02T09:00')],
    state: waiting('launch', NOON + DAY),
    moves: { kind: 'reruns', state: at('launch', { waitingFor: 'step' }) },
  },
  {
    title: 'looks again for an event with another name',
    before: [event('order', 'ordered', 3)],
    after: [event('order', 'paid', 3)],
    state: waiting('order', NOON + DAY, 'retry'),
    moves: { kind: 'reruns', state: at('order', { waitingFor: 'step' }) },
  },
  {
    title: 'keeps a wait for the same event',
    before: [event('order', 'ordered', 3)],
    after: [event('order', 'ordered', 3), email('last')],
    state: waiting('order', NOON + DAY, 'retry'),
    moves: { kind: 'stays', state: waiting('order', NOON + DAY, 'retry') },
  },
]

describe('moving to another version', () => {
  for (const { title, before = BEFORE, after, state, removedSteps = 'CONTINUE', moves } of CASES)
    it(title, () => {
      const moved = moveTo(withSuccessors(before), withSuccessors(after), state, { removedSteps, now: NOON })
      assert.deepEqual(moved, moves)
    })

  it('counts the emails of the longest way', () => {
    const steps = withSuccessors([
      email('first'),
      condition('plan'),
      ...within('plan', '0', [email('pro'), email('more')]),
      ...within('plan', 'else', [email('free'), exit('exit')]),
      email('last'),
    ])
    assert.equal(emailsAhead(steps, { stepId: 'first' }), 4)
    assert.equal(emailsAhead(steps, { stepId: 'free' }), 1)
    assert.equal(emailsAhead(steps, { stepId: 'last' }), 1)
    assert.equal(emailsAhead(steps, { stepId: null }), 0)
  })
})
