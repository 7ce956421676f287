import type { RefusalReason } from './refused-entry-queries.ts'

/** Effects of a custom event, in addition to the enrollments that it started. */
export interface OtherEffects {
  /** The automations in which a step waited for it, once for each enrollment. */
  continued: { automationId: string }[]
  /** The automations that the contact left by an exit rule or a goal, once for each enrollment. */
  ended: { automationId: string; status: 'EXITED' | 'GOAL_REACHED' }[]
  /** The automations that it would start if the contact were not in them. */
  alreadyEnrolled: { automationId: string }[]
  /** The automations that a rule or a pause keeps the contact out of. */
  refused: { automationId: string; rule: RefusalReason }[]
}

/** Effects of a custom event. */
export interface EventEffects extends OtherEffects {
  started: { automationId: string }[]
}

/** Puts the stored parts together. */
export const effectsOf = (automationIds: readonly string[], stored: Partial<OtherEffects>): EventEffects => ({
  started: automationIds.map((automationId) => ({ automationId })),
  ...{ continued: [], ended: [], alreadyEnrolled: [], refused: [] },
  ...stored,
})

/** The lists that are not empty, to store. */
export const storedEffects = (effects: Partial<OtherEffects>): Partial<OtherEffects> =>
  Object.fromEntries(Object.entries(effects).filter(([, list]) => list.length > 0))

/** The number of active automations that listened for the event: a paused one does not count. */
export const countMatching = ({ started, alreadyEnrolled, refused }: EventEffects): number =>
  started.length + alreadyEnrolled.length + refused.filter(({ rule }) => rule !== 'PAUSED').length
