import { array, boolean, object, string, type InferType } from 'yup'
import type { AutomationSummary } from './queries.ts'
import { AUTOMATION_STATUSES, type AutomationStatus, SEND_FAILURE_POLICIES } from '../automation-engine/index.ts'
import { SUMMARY_TRIGGERS, TRIGGERS } from '../triggers/index.ts'
import type { Caller } from '../workspaces/index.ts'
import { presentStep, stepResponse } from './steps/index.ts'
import type { AutomationDetail } from './automations.ts'
import { count, freeObject, id, presentForWriter, timestamp, writtenResponse } from '../http/index.ts'

const lower = (status: AutomationStatus) => status.toLowerCase() as Lowercase<AutomationStatus>

/** The summary shape: status in lower case, trigger under its other name. */
export const automationSummaryResponse = object({
  id: id('automation'),
  name: string().required().meta({ example: 'Welcome' }),
  status: string().oneOf(AUTOMATION_STATUSES.map(lower)).required().meta({ example: 'active' }),
  triggerType: string().oneOf(Object.values(SUMMARY_TRIGGERS)).required().meta({ example: 'CONTACT_CREATED' }),
  triggerConfig: freeObject()
    .required()
    .meta({ description: 'What it listens for: listId, tagName or eventName.', example: {} }),
  version: count('Of its steps: each change of them makes another one.', 1),
  hasDraft: boolean().required().meta({ description: 'Whether somebody edits it.', example: false }),
  stepCount: count('How many steps it has.', 3),
  enrolledCount: count('How many enrollments it has had.', 120),
  completedCount: count('How many of them reached the end.', 95),
  createdAt: timestamp('When it was created.'),
  updatedAt: timestamp('When it was last changed.'),
})
  .required()
  .meta({ component: 'AutomationSummary', description: 'An automation, as an item of the list.' })

export const presentAutomationSummary = (summary: AutomationSummary): InferType<typeof automationSummaryResponse> => ({
  id: summary.id,
  name: summary.name,
  status: lower(summary.status),
  triggerType: SUMMARY_TRIGGERS[summary.trigger],
  triggerConfig: summary.triggerConfig,
  version: summary.version,
  hasDraft: summary.hasDraft,
  stepCount: summary.stepCount,
  enrolledCount: summary.enrolledCount,
  completedCount: summary.completedCount,
  createdAt: summary.createdAt.toISOString(),
  updatedAt: summary.updatedAt.toISOString(),
})

/** The detail shape, with the content of the emails besides. */
export const automationResponse = object({
  id: id('automation'),
  name: string().required().meta({ example: 'Welcome' }),
  description: string().nullable().defined().meta({ example: null }),
  status: string().oneOf(AUTOMATION_STATUSES).required().meta({ example: 'ACTIVE' }),
  trigger: string().oneOf(TRIGGERS).required().meta({ example: 'SIGNUP' }),
  triggerConfig: freeObject()
    .required()
    .meta({ description: 'What it listens for: listId, tagName or eventName.', example: {} }),
  onSendFailure: string().oneOf(SEND_FAILURE_POLICIES).required().meta({
    description: "What an email that is refused for good does to the contact's sequence.",
    example: 'CONTINUE',
  }),
  version: count('Of its steps: each change of them makes another one.', 1),
  createdAt: timestamp('When it was created.'),
  updatedAt: timestamp('When it was last changed.'),
  steps: array().of(stepResponse).required().meta({ description: 'Ordered by position.' }),
})
  .required()
  .meta({ component: 'Automation', description: 'A sequence of steps, and what starts it.' })

export const presentAutomation = ({ automation, steps }: AutomationDetail) => ({
  id: automation.id,
  name: automation.name,
  description: automation.description ?? null,
  status: automation.status,
  trigger: automation.trigger,
  triggerConfig: automation.triggerConfig,
  onSendFailure: automation.onSendFailure,
  version: automation.version,
  createdAt: automation.createdAt.toISOString(),
  updatedAt: automation.updatedAt.toISOString(),
  steps: steps.map(presentStep),
})

/** An automation, as whoever has changed it is told. */
export const writtenAutomationResponse = writtenResponse(automationResponse, {
  component: 'WrittenAutomation',
  scope: 'automations:read',
})

/** @param given the fields that the call gave of it. */
export const presentWrittenAutomation = (caller: Caller, detail: AutomationDetail, given: object) =>
  presentForWriter(caller, 'automations:read', presentAutomation(detail), given)
