import assert from 'node:assert/strict'
import fc from 'fast-check'
import { nextTransition, positionOf, type MachineEvent } from '../../src/automation-engine/machine.ts'
import { END, INITIAL_STATE, type Effect, type MachineState } from '../../src/automation-engine/machine-state.ts'
import type { StepOutline } from '../../src/automation-engine/steps/index.ts'

const email = (id: string): StepOutline => ({ id, type: 'EMAIL' })
const wait = (id: string, delayMinutes: number): StepOutline => ({ id, type: 'WAIT', delayMinutes })
const MINUTE = 60_000

/** Runs the machine with a driver that only reports the outcomes of its effects. */
function runThrough(steps: readonly StepOutline[]) {
  let now = 1_000
  const sent: { stepId: string; at: number }[] = []
  let { state, effects } = nextTransition(steps, INITIAL_STATE, { kind: 'begun' }, now)
  for (;;) {
    const effect = effects.find((each) => each.do === 'send' || each.do === 'wait' || each.do === 'end')
    assert.ok(effect, 'there is an effect until the end')
    let happening: MachineEvent
    if (effect.do === 'end') return { sent, status: effect.status, state }
    if (effect.do === 'send') {
      sent.push({ stepId: effect.stepId, at: now })
      happening = { kind: 'email-settled', stepId: effect.stepId, as: 'continue' }
    } else {
      assert.ok(effect.do === 'wait' && effect.until !== null)
      now = effect.until
      happening = { kind: 'woken' }
    }
    ;({ state, effects } = nextTransition(steps, state, happening, now))
  }
}

const anySteps = fc
  .array(fc.option(fc.integer({ min: 1, max: 100_000 })), { maxLength: 12 })
  .map((delays) => delays.map((delay, n) => (delay === null ? email(`s${n}`) : wait(`s${n}`, delay))))

/** The ID of the email in flight. */
const PRESENT = 'present'

const anyHappening: fc.Arbitrary<MachineEvent> = fc.oneof(
  fc.constant<MachineEvent>({ kind: 'begun' }),
  fc.constant<MachineEvent>({ kind: 'woken' }),
  fc.constant<MachineEvent>({ kind: 'changed' }),
  fc.integer({ min: 0, max: 2_000_000 }).map((until): MachineEvent => ({ kind: 'brought-forward', until })),
  fc
    .tuple(fc.constantFrom('continue', 'stop', 'paused', 'gone'), fc.constantFrom(PRESENT, PRESENT, PRESENT, 'another'))
    .map(([as, stepId]): MachineEvent => ({ kind: 'email-settled', stepId, as: as as 'continue' })),
)

describe('the machine', () => {
  it('shortens the present wait, and prolongs none', () => {
    const steps = [wait('w', 10), email('e')]
    const { state } = nextTransition(steps, INITIAL_STATE, { kind: 'begun' }, 0)
    const forward = (until: number) => nextTransition(steps, state, { kind: 'brought-forward', until }, 0)
    const earlier = forward(4 * MINUTE)
    assert.equal(earlier.state.wakeAt, 4 * MINUTE)
    assert.deepEqual(earlier.effects.at(-1), { do: 'wait', until: 4 * MINUTE })
    assert.deepEqual(forward(11 * MINUTE), { state, effects: [] })
    const sending = nextTransition(steps, earlier.state, { kind: 'woken' }, 4 * MINUTE)
    assert.deepEqual(sending.effects, [{ do: 'send', stepId: 'e' }])
    const late = nextTransition(steps, sending.state, { kind: 'brought-forward', until: 0 }, 4 * MINUTE)
    assert.deepEqual(late.effects, [])
  })

  it('sends every email once, in order, after exactly the waits before it', () => {
    fc.assert(
      fc.property(anySteps, (steps) => {
        const { sent, status, state } = runThrough(steps)
        assert.equal(status, 'COMPLETED')
        assert.equal(state.stepId, END)
        let at = 1_000
        const expected = steps.flatMap((step) => {
          if (step.type === 'WAIT') at += step.delayMinutes * MINUTE
          return step.type === 'EMAIL' ? [{ stepId: step.id, at }] : []
        })
        assert.deepEqual(sent, expected)
      }),
    )
  })

  it('has at most one effect in progress, whatever happens, and never goes back', () => {
    fc.assert(
      fc.property(anySteps, fc.array(anyHappening, { maxLength: 60 }), (steps, happenings) => {
        let state: MachineState = INITIAL_STATE
        let position = -1
        let underWay: Effect['do'] | undefined
        let now = 0
        const take = (given: MachineEvent) => {
          const happening =
            given.kind === 'email-settled' && given.stepId === PRESENT
              ? { ...given, stepId: state.stepId ?? 'none' }
              : given
          const isOfAnother = happening.kind === 'email-settled' && happening.stepId !== state.stepId
          const fits =
            happening.kind === 'woken'
              ? underWay === 'wait' && state.waitingFor === 'time'
              : happening.kind === 'email-settled'
                ? underWay === 'send' || isOfAnother
                : // A run begins at the start time, or where the previous run ended; until then it receives no changes.
                  happening.kind === 'begun' || state.waitingFor !== 'begin'
          if (!fits) return
          // An effect in progress ends with its outcome, with a new run, or with a change that ends a pause. A wait can be replaced.
          const before = underWay
          const mayReplace = happening.kind === 'changed' || happening.kind === 'brought-forward'
          if (!mayReplace && !isOfAnother) underWay = undefined
          now += 1
          const move = nextTransition(steps, state, happening, now)
          if (isOfAnother) assert.deepEqual(move, { state, effects: [] })
          if (happening.kind === 'begun' && state.waitingFor !== 'nothing') {
            assert.ok(move.effects.some(({ do: what }) => what === 'send' || what === 'wait' || what === 'end'))
          }
          const slow = move.effects.filter((effect) => effect.do !== 'publish' && effect.do !== 'announce')
          assert.ok(slow.length <= 1)
          if (slow[0]) {
            if (mayReplace) assert.equal(before, 'wait')
            underWay = slow[0].do
          }
          state = move.state
          const at = state.stepId === null ? -1 : positionOf(steps, state)
          assert.ok(at >= position)
          position = at
        }
        for (const happening of happenings) take(happening)
      }),
    )
  })

  it('decides again if the automation changes while an email is in flight', () => {
    const steps = [email('a')]
    const sending = nextTransition(steps, INITIAL_STATE, { kind: 'begun' }, 0).state
    const changed = nextTransition(steps, sending, { kind: 'changed' }, 0)
    assert.deepEqual(changed.effects, [])
    assert.deepEqual(
      nextTransition(steps, changed.state, { kind: 'email-settled', stepId: 'a', as: 'paused' }, 0).effects,
      [{ do: 'send', stepId: 'a' }],
    )
  })

  it('reports a pause once, and its end once, across runs', () => {
    const steps = [email('a')]
    const sending = nextTransition(steps, INITIAL_STATE, { kind: 'begun' }, 0).state
    const paused = nextTransition(steps, sending, { kind: 'email-settled', stepId: 'a', as: 'paused' }, 0)
    assert.deepEqual(paused.effects, [
      { do: 'publish', paused: true },
      { do: 'wait', until: null },
    ])
    const again = nextTransition(steps, paused.state, { kind: 'begun' }, 0)
    assert.deepEqual(again.effects, [{ do: 'send', stepId: 'a' }])
    const stillPaused = nextTransition(steps, again.state, { kind: 'email-settled', stepId: 'a', as: 'paused' }, 0)
    assert.deepEqual(stillPaused.effects, [{ do: 'wait', until: null }])
    const continued = nextTransition(
      steps,
      nextTransition(steps, stillPaused.state, { kind: 'changed' }, 0).state,
      { kind: 'email-settled', stepId: 'a', as: 'continue' },
      0,
    )
    assert.deepEqual(continued.effects, [
      { do: 'publish', paused: false },
      { do: 'end', status: 'COMPLETED' },
    ])
  })

  it('ends a wait at the same instant over any number of runs', () => {
    const steps = [wait('w', 60), email('a')]
    const first = nextTransition(steps, INITIAL_STATE, { kind: 'begun' }, 5)
    assert.deepEqual(nextTransition(steps, first.state, { kind: 'begun' }, 1_000_000).effects, [
      { do: 'wait', until: 5 + 60 * MINUTE },
    ])
  })

  it('resumes an enrollment that lost its workflow after its last email from the time of that email', () => {
    const steps = [email('a'), wait('w', 60), email('b')]
    const resumed = nextTransition(
      steps,
      INITIAL_STATE,
      { kind: 'begun', resumeAfter: { stepId: 'a', at: 7 } },
      50 * MINUTE,
    )
    assert.deepEqual(resumed.effects.at(-1), { do: 'wait', until: 7 + 60 * MINUTE })
    assert.deepEqual(
      nextTransition(steps, INITIAL_STATE, { kind: 'begun', resumeAfter: { stepId: 'b', at: 7 } }, 9).effects,
      [{ do: 'end', status: 'COMPLETED' }],
    )
  })

  it('resumes an enrollment without a final email from its start', () => {
    const resumed = nextTransition(
      [wait('w', 60), email('a')],
      INITIAL_STATE,
      { kind: 'begun', resumeAfter: { stepId: null, at: 7 } },
      99,
    )
    assert.deepEqual(resumed.effects.at(-1), { do: 'wait', until: 7 + 60 * MINUTE })
  })

  it('begins a wait when the preceding email became final, even if an earlier attempt finalized it', () => {
    const steps = [email('a'), wait('w', 60)]
    const sending = nextTransition(steps, INITIAL_STATE, { kind: 'begun' }, 0).state
    const late = nextTransition(
      steps,
      sending,
      { kind: 'email-settled', stepId: 'a', as: 'continue', at: 7 },
      25 * MINUTE,
    )
    assert.deepEqual(late.effects.at(-1), { do: 'wait', until: 7 + 60 * MINUTE })
  })

  it('begins a wait after another wait at the intended end of the first one, no matter how late the workflow wakes', () => {
    const steps = [wait('v', 10), wait('w', 20), email('a')]
    const first = nextTransition(steps, INITIAL_STATE, { kind: 'begun' }, 5)
    const late = nextTransition(steps, first.state, { kind: 'woken' }, 25 * MINUTE)
    assert.deepEqual(late.effects.at(-1), { do: 'wait', until: 5 + 30 * MINUTE })
  })

  it('ends immediately when requested, in any state, and does nothing afterwards', () => {
    const steps = [wait('w', 60), email('a')]
    const waiting = nextTransition(steps, INITIAL_STATE, { kind: 'begun' }, 0).state
    const over = nextTransition(steps, waiting, { kind: 'exit' }, 1)
    assert.deepEqual(over.effects, [{ do: 'end', status: 'CANCELLED' }])
    assert.deepEqual(nextTransition(steps, over.state, { kind: 'woken' }, 2).effects, [])
  })
})
