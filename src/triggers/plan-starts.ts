/** The automations to which an event is delivered, and how it affects them. */
export interface StartPlan {
  /** The automations that receive the event: it starts an enrollment, or the present one receives it. */
  automationIds: readonly string[]
  /** The number of those in which the contact is already. */
  alreadyEnrolled: number
  /** The number of matching automations that a rule keeps the contact out of. They do not receive the event. */
  excluded: number
}

/**
 * Decides what an event starts. Rules about who may enter an automation belong here.
 *
 * @param matching the automations that listen for the event
 * @param enrolled those of them in which the contact is
 */
export const planStarts = (matching: readonly string[], enrolled: ReadonlySet<string>): StartPlan => ({
  automationIds: matching,
  alreadyEnrolled: matching.filter((id) => enrolled.has(id)).length,
  excluded: 0,
})
