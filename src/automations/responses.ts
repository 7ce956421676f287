import { array, boolean, object, string, type InferType } from 'yup'
import type { AutomationSummary } from './queries.ts'
import { AUTOMATION_STATUSES, type AutomationStatus, SEND_FAILURE_POLICIES } from '../automation-engine/index.ts'
import { SUMMARY_TRIGGERS, TRIGGERS } from '../triggers/index.ts'
import type { Caller } from '../workspaces/index.ts'
import { presentSteps, stepResponse } from './steps/index.ts'
import type { AutomationDetail } from './automations.ts'
import { count, EXAMPLE_ID, freeObject, id, presentForWriter, timestamp, writtenResponse } from '../http/index.ts'

/** Two steps as a response has them: an email, and a wait. */
const EXAMPLE_STEPS = [
  {
    ...{ id: EXAMPLE_ID, type: 'EMAIL', name: null, position: 0, category: 'marketing' },
    ...{ templateId: null, templateVersion: null },
    ...{
      subject: 'Welcome, {{ contact.firstName | default: "friend" }}!',
      html: null,
      text: 'Good to have you here.',
      previewText: null,
      delayMinutes: 0,
    },
  },
  { id: EXAMPLE_ID, type: 'WAIT', name: null, position: 1, subject: null, delayMinutes: 1440 },
]

const lower = (status: AutomationStatus) => status.toLowerCase() as Lowercase<AutomationStatus>

/** The summary: status in lower case, trigger under its other name. */
export const automationSummaryResponse = object({
  id: id('automation'),
  name: string().required().meta({ example: 'Welcome' }),
  status: string().oneOf(AUTOMATION_STATUSES.map(lower)).required().meta({ example: 'active' }),
  triggerType: string().oneOf(Object.values(SUMMARY_TRIGGERS)).required().meta({ example: 'CONTACT_CREATED' }),
  triggerConfig: freeObject()
    .required()
    .meta({ description: 'What the trigger listens for, such as its listId, tagName or eventName.', example: {} }),
  version: count('The version of the steps. Each change of the steps creates a version.', 1),
  revision: count('The revision, as in the ETag. It grows with each change.', 7),
  hasDraft: boolean().required().meta({ description: 'Whether it has unpublished changes.', example: false }),
  stepCount: count('The number of steps.', 3),
  enrolledCount: count('The number of enrollments so far.', 120),
  completedCount: count('The number of enrollments that completed.', 95),
  createdAt: timestamp('The time of creation.'),
  updatedAt: timestamp('The time of the last update.'),
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
  revision: summary.revision,
  hasDraft: summary.hasDraft,
  stepCount: summary.stepCount,
  enrolledCount: summary.enrolledCount,
  completedCount: summary.completedCount,
  createdAt: summary.createdAt.toISOString(),
  updatedAt: summary.updatedAt.toISOString(),
})

/** The details, including the content of the emails. */
export const automationResponse = object({
  id: id('automation'),
  name: string().required().meta({ example: 'Welcome' }),
  description: string().nullable().defined().meta({ example: null }),
  status: string().oneOf(AUTOMATION_STATUSES).required().meta({ example: 'ACTIVE' }),
  pauseReason: string().nullable().defined().meta({
    description: 'Why Dripline paused the automation itself; null if a member paused it.',
    example: null,
  }),
  trigger: string().oneOf(TRIGGERS).required().meta({ example: 'SIGNUP' }),
  triggerConfig: freeObject()
    .required()
    .meta({ description: 'What the trigger listens for, such as its listId, tagName or eventName.', example: {} }),
  onSendFailure: string().oneOf(SEND_FAILURE_POLICIES).required().meta({
    description: 'What happens to the enrollment if an email fails permanently.',
    example: 'CONTINUE',
  }),
  entry: freeObject().required().meta({ description: 'The rules for who enters.', example: {} }),
  exitOn: array()
    .of(freeObject().required())
    .required()
    .meta({ description: 'The rules for who leaves early.', example: [] }),
  goal: freeObject()
    .nullable()
    .defined()
    .meta({ description: 'The goal, if any.', json: { type: ['object', 'null'] }, example: null }),
  version: count('The version of the steps. Each change of the steps creates a version.', 1),
  createdAt: timestamp('The time of creation.'),
  updatedAt: timestamp('The time of the last update.'),
  steps: array().of(stepResponse).required().meta({ description: 'Ordered by position.', example: EXAMPLE_STEPS }),
})
  .required()
  .meta({ component: 'Automation', description: 'A sequence of steps, and the trigger that starts it.' })

export const presentAutomation = ({ automation, steps }: AutomationDetail) => ({
  id: automation.id,
  name: automation.name,
  description: automation.description ?? null,
  status: automation.status,
  pauseReason: automation.pauseReason ?? null,
  trigger: automation.trigger,
  triggerConfig: automation.triggerConfig,
  onSendFailure: automation.onSendFailure,
  entry: automation.entry,
  exitOn: automation.exitOn,
  goal: automation.goal ?? null,
  version: automation.version,
  createdAt: automation.createdAt.toISOString(),
  updatedAt: automation.updatedAt.toISOString(),
  steps: presentSteps(steps),
})

/** The response to a write, which a key that may not read automations gets only in part. */
export const writtenAutomationResponse = writtenResponse(automationResponse, {
  component: 'WrittenAutomation',
  scope: 'automations:read',
})

/** @param given the fields of the request */
export const presentWrittenAutomation = (caller: Caller, detail: AutomationDetail, given: object) =>
  presentForWriter(caller, 'automations:read', presentAutomation(detail), given)
