import type { StepInput } from '../../src/automations/steps/index.ts'
import type { Condition } from '../../src/segments/condition.ts'
import { evaluate, type ModelContact } from '../segments/evaluate-condition.ts'

/** Something that happens while an enrollment waits. `wake` is the end of its wait. */
export type Happening =
  | { kind: 'wake' | 'pause' | 'resume' }
  | { kind: 'event'; name: string; data: Record<string, unknown> }
  | { kind: 'set'; plan: string }

export interface LeaveRule {
  status: 'EXITED' | 'GOAL_REACHED'
  eventName?: string
  filter?: Condition
  condition?: Condition
}

/** The contact's date, for which a WAIT_UNTIL waits: `ahead` until the first wait for it has ended. */
export type DueDate = 'ahead' | 'past' | 'soon' | 'missing'

/** A model of an enrollment, without clocks, a database and Temporal: the emails that are sent, and how it ends. */
export class EnrollmentModel {
  readonly sent: string[] = []
  status = 'ACTIVE'
  /** The step at which the enrollment waits. */
  step: StepInput | undefined
  /** Whether it waits for the automation to be resumed. */
  isHeld = false
  due: DueDate
  private isPaused = false
  private readonly contact: ModelContact
  private readonly rules: readonly LeaveRule[]
  private readonly startData: unknown
  private readonly stepData: Record<string, unknown> = {}
  private readonly course: Generator<void, boolean, Happening>

  /** @param rules the goal first */
  constructor(
    steps: readonly StepInput[],
    {
      rules,
      contact,
      startData,
      due,
    }: { rules: readonly LeaveRule[]; contact: ModelContact; startData: unknown; due: DueDate },
  ) {
    this.rules = rules
    this.contact = { ...contact, metadata: { ...contact.metadata }, events: [] }
    this.startData = startData
    this.due = due
    this.course = this.walk(steps)
    this.advance()
  }

  apply(happening: Happening): void {
    if (happening.kind === 'pause') this.isPaused = true
    if (happening.kind === 'resume') this.isPaused = false
    if (happening.kind === 'set') this.contact.metadata['plan'] = happening.plan
    if (happening.kind === 'event') {
      const { name, data } = happening
      this.contact.events = [...this.contact.events, { name, data, at: 0 }]
      const rule = this.rules.find((each) => each.eventName === name && this.fits(each.filter, data))
      if (rule) return void (this.status = rule.status)
    }
    this.advance(happening)
  }

  private advance(happening: Happening = { kind: 'wake' }): void {
    const { done, value } = this.course.next(happening)
    if (done && this.status === 'ACTIVE') this.status = value ? 'COMPLETED' : 'EXITED'
  }

  /** Whether a step that acts may run. Otherwise, a condition of the goal or an exit rule has ended the enrollment. */
  private *mayRun(): Generator<void, boolean, Happening> {
    for (this.isHeld = this.isPaused; this.isPaused;) yield
    this.isHeld = false
    const rule = this.rules.find(({ condition }) => condition && this.fits(condition, this.startData))
    if (rule) this.status = rule.status
    return rule === undefined
  }

  /** @returns whether the steps that follow run */
  private *walk(steps: readonly StepInput[]): Generator<void, boolean, Happening> {
    for (const step of steps) {
      this.step = step
      if (step.type === 'EXIT') return false
      if (step.type !== 'WAIT' && !(yield* this.mayRun())) return false
      if (step.type === 'EMAIL') this.sent.push(step.subject!)
      if (step.type === 'WAIT') yield* this.waking()
      if (step.type === 'WAIT_UNTIL') {
        const isAhead = step.until.field === undefined ? step.until.at === undefined : this.due === 'ahead'
        if (!isAhead && step.ifPast === 'exit') return false
        if (isAhead) yield* this.waking()
        if (isAhead && step.until.field !== undefined) this.due = 'past'
      }
      if (step.type === 'UPDATE_CONTACT') {
        Object.assign(this.contact.metadata, step.set?.metadata)
        this.contact.tags = [...this.contact.tags, ...(step.addTags ?? [])].filter(
          (tag) => !step.removeTags?.includes(tag),
        )
      }
      if (step.type === 'WEBHOOK') {
        const { searchParams } = new URL(step.url)
        // The first attempt fails. The second one is made after a minute, if nothing has ended or paused the enrollment.
        if (searchParams.has('fails')) {
          for (let isDue = false; !isDue;) {
            const { kind } = yield
            isDue = kind === 'wake'
            if ((isDue || kind === 'resume') && !(yield* this.mayRun())) return false
          }
        }
        if (step.saveAs) this.stepData[step.saveAs] = { plan: searchParams.get('plan') }
      }
      const branch = step.type === 'WAIT_FOR_EVENT' ? yield* this.awaitEvent(step) : this.branchOf(step)
      if (branch === undefined || !(yield* this.walk(branch))) return false
    }
    return true
  }

  private *waking(): Generator<void, void, Happening> {
    while ((yield).kind !== 'wake');
  }

  /** @returns the steps that follow; `undefined` if the enrollment has ended */
  private *awaitEvent(
    step: StepInput & { type: 'WAIT_FOR_EVENT' },
  ): Generator<void, StepInput[] | undefined, Happening> {
    const matches = ({ name, data }: { name: string; data: unknown }) =>
      name === step.eventName && this.fits(step.filter as Condition | undefined, data)
    for (let isOver = false; ;) {
      if (this.contact.events.some(matches)) return step.received ?? []
      if (isOver) return step.timedOut ?? []
      const happening = yield
      isOver ||= happening.kind === 'wake'
      const isWoken = isOver || happening.kind === 'resume' || (happening.kind === 'event' && matches(happening))
      if (isWoken && !(yield* this.mayRun())) return undefined
    }
  }

  private branchOf(step: StepInput): StepInput[] {
    if (step.type === 'SPLIT') return step.branches.find(({ weight }) => weight > 0)?.steps ?? []
    if (step.type !== 'CONDITION') return []
    return (
      (
        step.branches.find((branch) => this.fits(branch.if as unknown as Condition, this.startData)) ?? {
          steps: step.else,
        }
      ).steps ?? []
    )
  }

  private fits(condition: Condition | undefined, eventData: unknown): boolean {
    if (condition === undefined) return true
    return evaluate(condition, this.contact, { at: 0, eventData, stepData: this.stepData, segments: new Map() })
  }
}
